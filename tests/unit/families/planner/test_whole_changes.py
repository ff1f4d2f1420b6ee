"""Test that a change in several writes happens as a whole, not at all, or is finished later, wherever it stops."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from almanac.families.planner.core.records import LINK_HEADS, LINKS
from almanac.families.planner.core.unfinished_work import UNFINISHED
from almanac.kernel.clock import FixedClock
from almanac.platform.store.port import Change
from almanac.platform.store.sqlite.store import SqliteStore
from tests.app import ToolRefusal
from tests.project_app import MORNING, ProjectApp, planner_app
from tests.unit.families.planner.agenda import agenda


class ProcessKilled(BaseException):
    """Stands for the end of the process."""


class Mortal(SqliteStore):
    """Takes so many writes yet."""

    writes_left = 10**9

    def write(self, changes: Sequence[Change]) -> None:
        if self.writes_left == 0:
            raise ProcessKilled
        self.writes_left -= 1
        super().write(changes)


def app_at(folder: Path) -> tuple[ProjectApp, Mortal]:
    store = Mortal(folder / "almanac.db", clock=FixedClock(MORNING), cursor_secret=b"c" * 32)
    return planner_app(folder, store=store), store


def series_with(app: ProjectApp, exceptions: int, links: int) -> tuple[str, list[str]]:
    """A daily series, and cards that are linked to the series, its exceptions and its other instances in turn."""
    made = app.do(
        "calendar_create_event",
        title="Run",
        date="tomorrow",
        time="07:00",
        type="event",
        recurrence={"frequency": "daily"},
    )
    series = made["recurrenceSeriesId"]
    rows = app.do("calendar_list_events", dateFrom="tomorrow", dateTo="in 99 days", limit=100)["events"]
    ids = [row["id"] for row in rows]
    for one in ids[:exceptions]:
        app.do("calendar_update_event", eventId=one, title=f"Run {one[-4:]}")
    targets = [series, *ids[: max(1, exceptions)], *ids[-10:]]
    cards = [
        app.do(
            "kanban_create_card", columnId="col_todo", title=str(number), eventLinks=[targets[number % len(targets)]]
        )["id"]
        for number in range(links)
    ]
    return series, cards


def leftovers(app: ProjectApp) -> tuple[int, int]:
    """Links, and work that is not done."""
    scope = app.caller.scope
    links = LINKS.within(app.store, scope).query(limit=1000).records
    return len(links), len(UNFINISHED.within(app.store, scope).query().records)


def test_a_much_linked_series_is_deleted_with_every_link(app: ProjectApp) -> None:
    series, cards = series_with(app, exceptions=25, links=60)
    assert app.do("calendar_delete_event", eventId=series, scope="all")["seriesDeleted"]
    assert agenda(app, dateFrom="tomorrow", dateTo="in 99 days") == []
    assert all(card["eventLinks"] == [] for card in app.do("kanban_list_cards")["cards"])
    app.react()
    assert leftovers(app) == (0, 0)
    assert not [one for one in LINK_HEADS.within(app.store, app.caller.scope).query().records if one.links]
    assert len(cards) == 60


def test_what_is_refused_has_changed_nothing(app: ProjectApp) -> None:
    series, _ = series_with(app, exceptions=3, links=30)
    with pytest.raises(ToolRefusal, match="changed since you read it"):
        app.do("calendar_delete_event", eventId=series, scope="all", revision=77)
    assert leftovers(app) == (60, 0)


@pytest.mark.slow
@pytest.mark.parametrize("dies_after", range(1, 10))
def test_a_series_whose_deletion_was_interrupted_is_gone_at_once_and_wholly_in_the_end(
    tmp_path: Path, dies_after: int
) -> None:
    app, store = app_at(tmp_path)
    series, _ = series_with(app, exceptions=20, links=40)
    store.writes_left = dies_after
    with suppress(ProcessKilled):
        app.do("calendar_delete_event", eventId=series, scope="all")
    store.writes_left = 10**9
    again, _ = app_at(tmp_path)
    assert agenda(again, dateFrom="tomorrow", dateTo="in 99 days") == []
    assert again.do("daily_overview")["items"] == []
    free = {"calendar_id": "primary", "start": "2026-02-20T07:00:00-05:00", "end": "2026-02-20T08:00:00-05:00"}
    assert again.do("check_availability", **free)["available"]
    assert all(card["eventLinks"] == [] for card in again.do("kanban_list_cards")["cards"])
    again.react()
    assert leftovers(again) == (0, 0)


@pytest.mark.slow
@pytest.mark.parametrize("dies_after", range(1, 12))
def test_a_series_whose_cut_was_interrupted_shows_every_instance_once(tmp_path: Path, dies_after: int) -> None:
    app, store = app_at(tmp_path)
    series, _ = series_with(app, exceptions=20, links=40)
    rows = app.do("calendar_list_events", dateFrom="tomorrow", dateTo="in 99 days", limit=100)["events"]
    third = rows[2]["id"]
    expected = [(row["date"], row["title"] if row["recurrenceException"] else "Walk") for row in rows[2:]]
    store.writes_left = dies_after
    with suppress(ProcessKilled):
        app.do("calendar_update_event", eventId=third, title="Walk", scope="this_and_following")
    store.writes_left = 10**9
    again, _ = app_at(tmp_path)

    def list_rows() -> list[tuple[str, str]]:
        found = again.do("calendar_list_events", dateFrom="tomorrow", dateTo="in 99 days", limit=100)["events"]
        return [(row["date"], row["title"]) for row in found][2:]

    assert list_rows() == expected
    again.react()
    assert list_rows() == expected
    assert leftovers(again) == (80, 0)
    # Every exception belongs to the new series: it goes with it.
    heir = again.do("calendar_list_events", dateFrom="in 60 days", limit=1)["events"][0]["recurrenceSeriesId"]
    assert heir != series
    again.do("calendar_delete_event", eventId=heir, scope="all")
    again.react()
    assert list_rows() == []


@pytest.mark.parametrize("below", ["cascade", "lift"])
@pytest.mark.parametrize("dies_after", [1, 2, 4, 7, 30])
def test_a_tree_whose_deletion_was_interrupted_follows_its_root(tmp_path: Path, below: str, dies_after: int) -> None:
    app, store = app_at(tmp_path)
    root = app.do("notes_create", title="Root")["id"]
    twigs = [app.do("notes_create", title=f"Twig {number}", parentId=root)["id"] for number in range(12)]
    for twig in twigs[:4]:
        app.do("notes_create", title="Leaf", parentId=twig)
    store.writes_left = dies_after
    with suppress(ProcessKilled):
        app.do("notes_delete", noteId=root, children=below)
    store.writes_left = 10**9
    again, _ = app_at(tmp_path)
    notes = again.do("notes_search", limit=100)["notes"]
    assert len(notes) == (0 if below == "cascade" else 16)
    again.react()
    notes = again.do("notes_search", limit=100)["notes"]
    assert len(notes) == (0 if below == "cascade" else 16)
    assert {note["parentId"] for note in notes if note["title"] != "Leaf"} <= {""}
    assert leftovers(again) == (0, 0)


ITEMS: dict[str, tuple[Callable[[ProjectApp], str], str, str, str]] = {
    "task": (
        lambda app: app.do("kanban_create_card", columnId="col_todo", title="Hub")["id"],
        "kanban_delete_card",
        "cardId",
        "task",
    ),
    "note": (lambda app: app.do("notes_create", title="Hub")["id"], "notes_delete", "noteId", "note"),
    "log": (
        lambda app: app.do("journal_create", title="Hub", date="today")["id"],
        "journal_delete",
        "entryId",
        "log",
    ),
    "event": (
        lambda app: app.do("calendar_create_event", title="Hub", date="today", type="event")["id"],
        "calendar_delete_event",
        "eventId",
        "event",
    ),
}


@pytest.mark.parametrize("kind", ITEMS)
@pytest.mark.parametrize("dies_after", [1, 2, 3])
def test_links_to_what_is_gone_are_seen_no_more_and_go(tmp_path: Path, kind: str, dies_after: int) -> None:
    app, store = app_at(tmp_path)
    make, tool, name, type_ = ITEMS[kind]
    hub = make(app)
    cards: list[Any] = []
    for number in range(40):
        card = app.do("kanban_create_card", columnId="col_todo", title=str(number))["id"]
        app.do("items_link", fromItemId=card, fromItemType="task", toItemId=hub, toItemType=type_)
        cards.append(card)
    store.writes_left = dies_after
    with suppress(ProcessKilled):
        app.do(tool, **{name: hub})
    store.writes_left = 10**9
    again, _ = app_at(tmp_path)
    assert all(again.do("items_list_links", itemId=card)["links"] == [] for card in cards)
    again.react()
    assert leftovers(again) == (0, 0)


@pytest.mark.parametrize("dies_after", [1, 2, 3])
def test_a_column_that_comes_to_mean_done_closes_all_its_cards(tmp_path: Path, dies_after: int) -> None:
    app, store = app_at(tmp_path)
    for number in range(120):
        app.do("kanban_create_card", columnId="col_doing", title=str(number), dueDate="2026-02-01")
    store.writes_left = dies_after
    with suppress(ProcessKilled):
        app.do("kanban_edit_board", action="update_column", columnId="col_doing", isDone=True)
    store.writes_left = 10**9
    again, _ = app_at(tmp_path)
    again.react()
    assert again.do("daily_overview")["overdue"] == []
    again.do("kanban_edit_board", action="update_column", columnId="col_doing", isDone=False)
    again.react()
    assert len(again.do("daily_overview")["overdue"]) == 50


def test_a_series_that_ends_its_repeating_keeps_what_was_linked_to_its_instances(app: ProjectApp) -> None:
    series, cards = series_with(app, exceptions=2, links=30)
    app.do("calendar_update_event", eventId=series, scope="all", recurrence=None)
    app.react()
    assert app.do("items_list_links", itemId=series)["count"] == 30
    assert {tuple(card["eventLinks"]) for card in app.do("kanban_list_cards")["cards"]} == {(series,)}
    assert len(cards) == 30
