"""Test gates that events, reviews and claims open, and cards beyond the number that one call looks at."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from almanac.families.planner.cards import ready as ready_cards
from almanac.families.team.core.project import open_project
from almanac.families.team.core.records import DECIDED_REVIEWS
from almanac.families.team.messages.reviews import Reviews
from tests.app import ToolRefusal
from tests.project_app import ProjectApp
from tests.unit.families.planner.test_ready import blocks, card, claims_of, pass_time, ready

Json = dict[str, Any]


def event(app: ProjectApp, title: str, day: str, **more: Any) -> Json:
    return app.do("calendar_create_event", **({"title": title, "date": day, "type": "event"} | more))


def gate(app: ProjectApp, **waits: Any) -> Json:
    """The gate of a new card "one"."""
    return app.do("kanban_gate", cardId=card(app, "one"), **waits)["gate"]


def waits(app: ProjectApp) -> Json:
    """The one closed gate of the one card that waits."""
    ((one,),) = [row["gates"] for row in app.do("kanban_ready")["waiting"]]
    return one


def at(app: ProjectApp, instant: str) -> None:
    app.clock.instant = datetime.fromisoformat(instant)


def reviews(app: ProjectApp) -> Reviews:
    return Reviews(open_project(app.services, app.caller.scope, "bob", app.clock))


@pytest.mark.parametrize(
    ("title", "more", "words", "opens"),
    [
        ("Code freeze", {"time": "10:00"}, "after the code freeze", "2026-03-06T11:00:00-05:00"),
        ("Code freeze", {"time": "10:00"}, "after the freeze", "2026-03-06T11:00:00-05:00"),
        ("Freeze", {"time": "10:00"}, "when the freeze starts", "2026-03-06T10:00:00-05:00"),
        ("FREEZE", {}, "once the freeze is over", "2026-03-07T00:00:00-05:00"),
        ("Anna: vacation", {"durationMinutes": 3 * 1440}, "when Anna is back", "2026-03-09T00:00:00-04:00"),
        ("Urlaub Anna", {}, "wenn Anna zurück ist", "2026-03-07T00:00:00-05:00"),
    ],
)
def test_words_name_an_event_once(app: ProjectApp, title: str, more: Json, words: str, opens: str) -> None:
    event(app, "Lunch with Anna", "2026-03-01")
    made = event(app, title, "2026-03-06", **more)
    event(app, "Code review", "2026-03-06")
    told = gate(app, until=words)
    assert (told["kind"], told["waitsFor"], told["eventId"]) == ("event", words, made["id"])
    assert told["opensAt"] == opens
    event(app, "Another freeze for Anna, who is out", "2026-03-03")
    at(app, opens)
    app.clock.instant -= timedelta(seconds=1)
    assert ready(app) == []
    pass_time(app, timedelta(seconds=1))
    assert ready(app) == ["one"]


def test_words_that_mean_several_events_are_refused_with_them(app: ProjectApp) -> None:
    first, then = event(app, "Code freeze", "2026-03-06"), event(app, "Design freeze", "2026-04-01")
    with pytest.raises(ToolRefusal, match="may mean 2 events") as refused:
        gate(app, until="after the freeze")
    assert refused.value.code == "ambiguous_event"
    for made in (first, then):
        assert f'"{made["title"]}" on {made["date"]} ({made["id"]})' in str(refused.value)
    assert gate(app, until=then["id"])["eventId"] == then["id"]
    assert (
        app.do("kanban_gate", cardId=card(app, "two"), until="after the code freeze")["gate"]["eventId"] == first["id"]
    )
    for words in ("when pigs fly", "after", "after the party"):
        with pytest.raises(ToolRefusal, match="neither a time nor"):
            gate(app, until=words)
    event(app, "Kickoff", "2026-02-16")
    with pytest.raises(ToolRefusal, match="neither"):
        gate(app, until="after the kickoff")


def test_a_series_is_waited_for_until_its_next_instance(app: ProjectApp) -> None:
    event(app, "Standup", "2026-02-16", time="09:00", durationMinutes=15, recurrence={"frequency": "daily"})
    told = gate(app, until="after the standup")
    assert told["opensAt"] == "2026-02-19T09:15:00-05:00"
    app.do("calendar_update_event", eventId=told["eventId"], time="11:00")
    assert waits(app)["opensAt"] == "2026-02-19T11:15:00-05:00"
    app.do("calendar_delete_event", eventId=told["eventId"])
    assert "cancelled or deleted" in waits(app)["stuck"]


def test_a_moved_event_moves_its_gate_and_a_deleted_one_is_named(app: ProjectApp) -> None:
    made = event(app, "Freeze", "2026-03-06", time="10:00")
    one = gate(app, until="after the freeze")
    app.do("calendar_update_event", eventId=made["id"], date="2026-03-09", title="Code stop")
    assert (waits(app)["opensAt"], waits(app)["waitsFor"]) == ("2026-03-09T11:00:00-04:00", "after the freeze")
    at(app, "2026-03-06T11:00:00-05:00")
    assert ready(app) == []
    app.do("calendar_delete_event", eventId=made["id"])
    assert waits(app)["stuck"] == "Its event was cancelled or deleted."
    assert app.do("kanban_take")["waiting"][0]["gates"][0]["stuck"]
    with pytest.raises(ToolRefusal, match="by itself"):
        app.do("open_gate", cardId=app.do("kanban_ready")["waiting"][0]["id"], gateId=one["id"])
    app.do("kanban_gate", cardId=app.do("kanban_ready")["waiting"][0]["id"], remove=one["id"])
    assert ready(app) == ["one"]


def test_a_card_that_waits_for_the_callers_yes_is_listed_before_others_however_many_there_are(app: ProjectApp) -> None:
    blocker = card(app, "the first", priority="urgent")
    for number in range(12):
        blocks(app, blocker, card(app, f"then {number}", priority="high"))
    asked = card(app, "asked")
    app.do("kanban_gate", cardId=asked, person="Ann")
    app.do("kanban_gate", cardId=card(app, "asks ben"), person="ben")
    waiting = [one["title"] for one in app.do("kanban_ready", limit=3)["waiting"]]
    assert waiting[0] == "asked"
    assert "asks ben" not in waiting
    app.caller = replace(app.caller, actor="ben")
    assert app.do("kanban_ready", limit=3)["waiting"][0]["title"] == "asks ben"


def test_a_stuck_card_is_listed_before_others_that_wait_however_many_there_are(app: ProjectApp) -> None:
    blocker = card(app, "the first", priority="urgent")
    for number in range(6):
        waiting = card(app, f"waits {number}", priority="high")
        blocks(app, blocker, waiting)
    freeze = event(app, "Freeze", "2026-03-06", time="10:00")
    app.do("kanban_gate", cardId=card(app, "stuck", priority="low"), until="after the freeze")
    app.do("calendar_delete_event", eventId=freeze["id"])

    told = app.do("kanban_ready", limit=2)

    assert [one["title"] for one in told["ready"]] == ["the first"]
    stuck, other = (one["title"] for one in told["waiting"])
    assert (stuck, other[:5]) == ("stuck", "waits")


def test_a_review_opens_its_gate_once_it_is_decided(app: ProjectApp) -> None:
    asked = reviews(app).request("Login page")
    assert gate(app, review=asked.id)["waitsFor"] == asked.id
    assert ready(app) == []
    reviews(app).decide(asked.id, "approved", None)
    assert ready(app) == ["one"]
    app.store.write([DECIDED_REVIEWS.within(app.store, app.caller.scope).delete(asked.id)])
    assert waits(app)["stuck"] == "Its review was deleted."
    with pytest.raises(ToolRefusal, match="no review"):
        gate(app, review="none")


def test_a_claim_that_is_free_opens_its_gate(app: ProjectApp) -> None:
    claims_of(app).acquire("src/**", "codex@kei#1", 60_000)
    assert gate(app, claim="file:src/a.py")["waitsFor"] == "file:src/a.py"
    assert waits(app)["kind"] == "claim"
    claims_of(app).release("src/**", "codex@kei#1")
    assert ready(app) == ["one"]
    claims_of(app).acquire("file:src/a.py", "codex@kei#1", 60_000)
    assert ready(app) == []
    pass_time(app, timedelta(seconds=60))
    assert ready(app) == ["one"]
    with pytest.raises(ToolRefusal):
        gate(app, claim="file:")


def test_where_more_cards_wait_than_one_call_looks_at_it_says_so(app: ProjectApp, monkeypatch: Any) -> None:
    monkeypatch.setattr(ready_cards, "MAX_CARDS", 2)
    for title in "ab":
        card(app, title)
    assert "incomplete" not in app.do("kanban_ready")
    other = app.do("kanban_edit_board", action="create_board", title="B", columns=["Next", "Doing", "Done"])["board"]
    card(app, "c", columnId=other["columns"][0]["id"])
    assert app.do("kanban_ready")["incomplete"] is True
    assert "incomplete" not in app.do("kanban_ready", board=other["id"])
    taken = [app.do("kanban_take", board="board_default") for _ in range(3)]
    assert "incomplete" not in taken[-1]
    for title in "def":
        one = card(app, title)
        app.do("kanban_gate", cardId=one, signal="CI")
    none = app.do("kanban_take", board="board_default")
    assert (none["card"], none["incomplete"]) == (None, True)
