"""Test ready work: the cards that can start, their order, and the reasons why others wait."""

import random
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any, Unpack
from zoneinfo import ZoneInfo

import pytest

from almanac.families.planner.core.records import LINK_HEADS
from almanac.families.team.claims.claims import Claims
from almanac.families.team.core.project import open_project
from almanac.families.team.core.records import DECIDED_REVIEWS
from almanac.families.team.messages.reviews import Reviews
from almanac.platform.store.keys import Partition
from almanac.platform.store.port import Page, Paging, Put
from almanac.platform.store.wrapper import StoreWrapper
from tests.app import ToolRefusal
from tests.project_app import ProjectApp, planner_app

Json = dict[str, Any]


def card(app: ProjectApp, title: str, **more: Any) -> str:
    return app.do("kanban_create_card", **({"columnId": "col_todo", "title": title, "position": 999} | more))["id"]


def blocks(app: ProjectApp, first: str, then: str, kind: str = "task") -> None:
    ends = {"fromItemId": first, "fromItemType": kind, "toItemId": then, "toItemType": "task"}
    app.do("items_link", relationType="blocks", **ends)


def pass_time(app: ProjectApp, by: timedelta) -> None:
    app.clock.instant += by


def claims_of(app: ProjectApp) -> Claims:
    return Claims(open_project(app.services, app.caller.scope, app.caller.actor, app.clock))


def ready(app: ProjectApp, **asked: Any) -> list[str]:
    return [one["title"] for one in app.do("kanban_ready", **asked)["ready"]]


def test_the_best_card_comes_first(app: ProjectApp) -> None:
    card(app, "old")
    card(app, "low and due", priority="low", dueDate="2026-02-18")
    card(app, "due later", dueDate="2026-02-20")
    card(app, "due at nine", dueDate="2026-02-19", dueTime="09:00")
    card(app, "due that day", dueDate="2026-02-19")
    card(app, "urgent", priority="urgent")
    pass_time(app, timedelta(seconds=1))
    card(app, "new")
    order = ["urgent", "due at nine", "due that day", "due later", "old", "new", "low and due"]
    assert ready(app) == order
    some = app.do("kanban_ready", limit=3)
    assert ([one["title"] for one in some["ready"]], some["truncated"]) == (order[:3], True)


def test_a_blocked_card_waits_for_what_blocks_it_by_name(app: ProjectApp) -> None:
    first, then = card(app, "Design"), card(app, "Build")
    event = app.do("calendar_create_event", title="Sign off", date="tomorrow", type="task")["id"]
    blocks(app, first, then)
    blocks(app, event, then)
    waiting = app.do("kanban_ready")["waiting"]
    assert [one["title"] for one in waiting] == ["Build"]
    assert sorted(one["title"] for one in waiting[0]["blockedBy"]) == ["Design", "Sign off"]
    app.do("kanban_move_card", cardId=first, columnId="col_done")
    assert ready(app) == []
    app.do("calendar_update_event", eventId=event, status="done")
    assert ready(app) == ["Build"]
    app.do("kanban_move_card", cardId=first, columnId="col_todo")
    assert ready(app) == ["Design"]
    app.do("kanban_delete_card", cardId=first)
    assert ready(app) == ["Build"]


def test_blockers_of_links_that_were_made_by_earlier_versions_are_found_and_kept(app: ProjectApp) -> None:
    first, second, then = card(app, "Design"), card(app, "Order"), card(app, "Build")
    blocks(app, first, then)
    heads = LINK_HEADS.within(app.store, app.caller.scope)
    written = heads.get(then)
    assert written is not None
    assert written.blockers == (first,)
    put = heads.put(written)
    attributes = {name: value for name, value in put.attributes.items() if name != "blockers"}
    app.store.write([Put(put.key, attributes)])
    assert [[one["title"] for one in each["blockedBy"]] for each in app.do("kanban_ready")["waiting"]] == [["Design"]]
    blocks(app, second, then)
    assert set((heads.by_id([then])[then]).blockers or ()) == {first, second}
    app.do("items_unlink", relationType="blocks", fromItemId=first, toItemId=then)
    assert heads.by_id([then])[then].blockers == (second,)


def test_a_card_with_more_blockers_than_its_head_keeps_waits_for_all_of_them(app: ProjectApp) -> None:
    then, firsts = card(app, "then", priority="urgent"), [card(app, str(number)) for number in range(102)]
    for first in firsts:
        blocks(app, first, then)
    waiting = app.do("kanban_ready", limit=50)["waiting"]
    assert [(each["id"], each["blockerCount"]) for each in waiting] == [(then, 102)]
    app.do("kanban_delete_card", cardId=firsts[0])
    assert app.do("kanban_ready", limit=50)["waiting"][0]["blockerCount"] == 101


class CountedQueries(StoreWrapper):
    queries = 0

    def query(self, partition: Partition, **narrowing: Unpack[Paging]) -> Page:
        self.queries += 1
        return super().query(partition, **narrowing)


def test_blocked_cards_cost_no_query_each(app: ProjectApp, tmp_path: Path) -> None:
    queries: list[int] = []
    for count in (5, 40):
        cards = [card(app, str(number)) for number in range(count)]
        for first, then in pairwise(cards):
            blocks(app, first, then)
        counted = CountedQueries(app.store)
        assert len(planner_app(tmp_path, store=counted).do("kanban_ready", limit=2)["waiting"]) == 2
        queries.append(counted.queries)
    assert queries[0] == queries[1]


def test_cards_that_are_begun_or_done_are_not_ready(app: ProjectApp) -> None:
    card(app, "begun", columnId="col_doing")
    card(app, "done", columnId="col_done")
    assert app.do("kanban_ready") == {"ready": [], "waiting": [], "count": 0, "truncated": False, "untrusted": True}


@pytest.mark.parametrize(
    ("columns", "waits"),
    [
        (["Ideas", "Next", "Doing", "Review", "Done"], ["Ideas", "Next"]),
        (["Backlog", "Selected", "Shipped"], ["Backlog"]),
        (["Offen", "In Arbeit", "Prüfung", "Fertig"], ["Offen"]),
        (["List", "Done"], ["List"]),
    ],
)
def test_cards_wait_left_of_the_column_where_work_is_done(
    app: ProjectApp, columns: list[str], waits: list[str]
) -> None:
    board = app.do("kanban_edit_board", action="create_board", title="B", columns=columns)["board"]
    for column in board["columns"]:
        card(app, column["title"], columnId=column["id"])
    assert sorted(ready(app, board=board["id"])) == waits
    assert ready(app, board="board_default") == []


def test_labels_narrow_what_is_listed(app: ProjectApp) -> None:
    card(app, "both", labels=["Backend", "#auth"])
    card(app, "one", labels=["backend"])
    assert sorted(ready(app, labels=["BACKEND"])) == ["both", "one"]
    assert ready(app, labels=["backend", "auth"]) == ["both"]
    assert app.do("kanban_ready", labels=["auth"])["ready"][0]["labels"] == ["Backend", "auth"]
    with pytest.raises(ToolRefusal, match="Board not found"):
        ready(app, board="board_none")


def test_a_card_that_somebody_claimed_is_not_ready(app: ProjectApp) -> None:
    one = card(app, "one")
    claims_of(app).acquire(f"card:{one}", "codex@kei#1", 60_000)
    row = app.do("kanban_ready")["waiting"][0]
    assert row["claimedBy"] == {"holder": "codex@kei#1", "actor": "ann", "expiresAt": "2026-02-18T09:31:00-05:00"}
    pass_time(app, timedelta(seconds=61))
    assert ready(app) == ["one"]
    claims_of(app).acquire("card:*", "codex@kei#1", 60_000)
    assert ready(app) == []


@pytest.mark.usefixtures("same_ids")
@pytest.mark.parametrize("first", range(0, 200, 20))
def test_ready_is_exact_over_random_graphs(app: ProjectApp, first: int) -> None:
    """200 graphs of items that block each other and wait at gates, across a change of the clocks, beside an oracle that
    knows only what was done to them."""
    app.clock.instant = datetime(2026, *(((3, 4), (10, 28))[first // 20 % 2]), 15, tzinfo=UTC)
    for seed in range(first, first + 20):
        _check_graph(app, random.Random(seed), seed)


def _check_graph(app: ProjectApp, chance: random.Random, seed: int) -> None:
    titles = ["Next", "Doing", "Done"]
    board = app.do("kanban_edit_board", action="create_board", title=f"B{seed}", columns=titles)["board"]
    columns = {column["title"]: column["id"] for column in board["columns"]}
    facts: dict[str, Json] = {}
    for number in range(chance.randint(2, 9)):
        pass_time(app, timedelta(seconds=chance.choice([0, 1])))
        due = chance.choice([None, None, "2026-03-01", "2026-03-02"])
        priority = chance.choice(["urgent", "high", "normal", "low"])
        column = chance.choice(["Next", "Next", "Next", "Doing", "Done"])
        labels = chance.sample(["a", "b"], chance.randint(0, 2))
        given = {"priority": priority, "labels": labels, **({"dueDate": due} if due else {})}
        one = card(app, str(number), columnId=columns[column], **given)
        rank = ["urgent", "high", "normal", "low"].index(priority)
        facts[one] = {"column": column, "order": (rank, due or "9", app.clock.now(), one), "labels": set(labels)}
    ids = list(facts)
    edges: set[tuple[str, str]] = set()
    for _ in range(chance.randint(0, 2 * len(ids))):
        first, then = chance.sample(ids, 2)
        if _reaches(edges, then, first):
            with pytest.raises(ToolRefusal, match="block each other"):
                blocks(app, first, then)
        else:
            blocks(app, first, then)
            edges.add((first, then))
    for one in chance.sample(ids, min(2, len(ids))):
        column = chance.choice(["Next", "Done"])
        open_before = [first for first, then in edges if then == one and facts[first]["column"] != "Done"]
        if column == "Done" and open_before:
            continue
        app.do("kanban_move_card", cardId=one, columnId=columns[column])
        facts[one]["column"] = column
    wanted = set(chance.sample(["a", "b"], chance.randint(0, 2)))
    waits = sorted(
        (one for one in ids if facts[one]["column"] == "Next" and wanted <= facts[one]["labels"]),
        key=lambda one: facts[one]["order"],
    )
    blocked = {
        one: {first for first, then in edges if then == one and facts[first]["column"] != "Done"} for one in waits
    }
    gates = _Gates(app, chance, seed)
    for one in chance.sample(waits, min(len(waits), chance.choice([0, 1, 2]))):
        gates.add(one)
    for _ in range(chance.choice([1, 2])):
        pass_time(app, timedelta(minutes=chance.choice([0, 1, 30, 60, 24 * 60])))
        gates.disturb()
        closed_gates = {one: gates.closed_gates(one) for one in waits}
        answer = app.do("kanban_ready", board=board["id"], labels=sorted(wanted), limit=50)
        free = [one for one in waits if not blocked[one] and not closed_gates[one]]
        assert [one["id"] for one in answer["ready"]] == free, seed
        found = {one["id"]: {each["id"] for each in one["blockedBy"]} for one in answer["waiting"]}
        assert found == {one: blocked[one] for one in waits if one not in free}, seed
        told = {one["id"]: {(each["id"], "stuck" in each) for each in one["gates"]} for one in answer["waiting"]}
        assert told == {one: closed_gates[one] for one in waits if one not in free}, seed


class _Gates:
    """Gates of the cards of a graph, with an oracle of which are closed, by the clock of New York."""

    def __init__(self, app: ProjectApp, chance: random.Random, seed: int) -> None:
        self._app, self._chance, self._seed, self._number = app, chance, seed, 0
        self._closed: dict[str, dict[str, Callable[[], tuple[bool, bool]]]] = {}
        self._disturbances: list[Callable[[], None]] = []
        self._reviews = Reviews(open_project(app.services, app.caller.scope, "bob", app.clock))

    def closed_gates(self, card_id: str) -> set[tuple[str, bool]]:
        """Return the closed gates of a card, and whether each is stuck."""
        states = {gate: state() for gate, state in self._closed.get(card_id, {}).items()}
        return {(gate, is_stuck) for gate, (is_closed, is_stuck) in states.items() if is_closed}

    def disturb(self) -> None:
        """Move or delete an event, decide or lose a review, acquire or release a claim."""
        for one in self._chance.sample(self._disturbances, min(1, len(self._disturbances))):
            one()

    def add(self, card_id: str) -> None:
        self._number += 1
        name = f"{self._seed}x{self._number}"
        waits, state = self._chance.choice([self._time, self._event, self._review, self._claim])(name)
        gate = self._app.do("kanban_gate", cardId=card_id, **waits)["gate"]["id"]
        self._closed.setdefault(card_id, {})[gate] = state

    def _local(self) -> datetime:
        """An instant in the coming days, on the whole minute."""
        later = self._app.clock.now() + timedelta(minutes=self._chance.choice([1, 30, 90, 26 * 60]))
        return later.astimezone(ZoneInfo("America/New_York")).replace(second=0, microsecond=0)

    def _time(self, _: str) -> tuple[Json, Callable[[], tuple[bool, bool]]]:
        opens = self._local() + timedelta(minutes=1)
        return {"until": opens.isoformat()}, lambda: (self._app.clock.now() < opens, False)

    def _event(self, name: str) -> tuple[Json, Callable[[], tuple[bool, bool]]]:
        at: list[datetime | None] = [self._local() + timedelta(minutes=1)]
        starts = self._chance.random() < 0.5
        length = self._chance.choice([15, 45])

        def date_of(instant: datetime) -> Json:
            return {"date": instant.isoformat()}

        first = at[0] or self._local()
        made = self._app.do(
            "calendar_create_event", title=f"Freeze {name}", type="event", durationMinutes=length, **date_of(first)
        )

        def disturb() -> None:
            if at[0] is None:
                return
            if self._chance.random() < 0.3:
                self._app.do("calendar_delete_event", eventId=made["id"])
                at[0] = None
            else:
                at[0] = self._local() + timedelta(minutes=1)
                self._app.do("calendar_update_event", eventId=made["id"], **date_of(at[0]))

        def state() -> tuple[bool, bool]:
            if at[0] is None:
                return True, True
            edge = at[0].astimezone(UTC) + timedelta(minutes=0 if starts else length)
            return self._app.clock.now() < edge, False

        self._disturbances.append(disturb)
        return {"until": f"when freeze {name} starts" if starts else f"after freeze {name}"}, state

    def _review(self, name: str) -> tuple[Json, Callable[[], tuple[bool, bool]]]:
        review, stands = self._reviews.request(name).id, ["open"]
        rows = DECIDED_REVIEWS.within(self._app.store, self._app.caller.scope)

        def disturb() -> None:
            if stands[0] == "open":
                self._reviews.decide(review, self._chance.choice(["approved", "rejected"]), None)
                stands[0] = "decided"
            else:
                self._app.store.write([rows.delete(review)])
                stands[0] = "gone"

        self._disturbances.append(disturb)
        return {"review": review}, lambda: (stands[0] != "decided", stands[0] == "gone")

    def _claim(self, name: str) -> tuple[Json, Callable[[], tuple[bool, bool]]]:
        claims, until = claims_of(self._app), list[datetime]()
        key = self._chance.choice([f"file:{name}/src/a.py", f"{name}/src/**"])

        def disturb() -> None:
            if until and until.pop() > self._app.clock.now():
                claims.release(key, "codex@kei#1")
            else:
                claims.acquire(key, "codex@kei#1", 45 * 60_000)
                until.append(self._app.clock.now() + timedelta(minutes=45))

        if self._chance.random() < 0.5:
            disturb()
        self._disturbances.append(disturb)
        return {"claim": f"file:{name}/src/a.py"}, lambda: (bool(until) and until[-1] > self._app.clock.now(), False)


def _reaches(edges: set[tuple[str, str]], start: str, end: str) -> bool:
    seen, waiting = {start}, [start]
    while waiting:
        one = waiting.pop()
        if one == end:
            return True
        following = {then for first, then in edges if first == one} - seen
        seen |= following
        waiting += following
    return False


def test_a_card_is_taken_with_its_claim_and_given_back_when_it_is_done(app: ProjectApp) -> None:
    first, then = card(app, "first", priority="high"), card(app, "then")
    blocks(app, first, then)
    taken = app.do("kanban_take", holder="codex@kei#1", ttlMs=60_000)
    assert (taken["card"]["id"], taken["card"]["columnId"], taken["waiting"]) == (first, "col_doing", [])
    claim = {name: taken["claim"][name] for name in ("key", "holder", "expiresAt")}
    assert claim == {"key": f"card:{first}", "holder": "codex@kei#1", "expiresAt": "2026-02-18T09:31:00-05:00"}
    none = app.do("kanban_take")
    assert (none["card"], none["claim"], [one["title"] for one in none["waiting"]]) == (None, None, ["then"])
    app.do("kanban_move_card", cardId=first, columnId="col_done", claimToken=taken["claim"]["token"])
    assert claims_of(app).all_held() == []
    assert app.do("kanban_take")["card"]["id"] == then


def test_a_card_whose_taker_is_gone_can_be_taken_again_and_the_late_one_is_refused(app: ProjectApp) -> None:
    one = card(app, "one")
    late = app.do("kanban_take", ttlMs=60_000)["claim"]
    assert app.do("kanban_take")["card"] is None
    pass_time(app, timedelta(seconds=61))
    assert ready(app) == ["one"]
    again = app.do("kanban_take", ttlMs=60_000)["claim"]
    assert again["token"] > late["token"]
    for column in ("col_done", "col_todo", "col_doing"):
        with pytest.raises(ToolRefusal, match="has ended") as refused:
            app.do("kanban_move_card", cardId=one, columnId=column, claimToken=late["token"])
        assert refused.value.code == "stale_claim"
    app.do("kanban_move_card", cardId=one, columnId="col_todo", claimToken=again["token"])
    assert ready(app) == []
    claims_of(app).release(again["key"], again["holder"])
    assert ready(app) == ["one"]
    released = app.do("kanban_take")["claim"]
    claims_of(app).release(released["key"], released["holder"])
    assert ready(app) == ["one"]


def test_who_changes_a_card_that_somebody_else_took_is_told(app: ProjectApp) -> None:
    one = card(app, "one")
    app.do("kanban_take", holder="codex@kei#1", ttlMs=60_000)
    assert app.do("kanban_update_card", cardId=one, title="mine")["warning"] is None
    other = replace(app.caller, actor="mo")

    edited = app.do("kanban_update_card", caller=other, cardId=one, title="other")
    without_team = replace(other, families=frozenset({"planner"}))
    outside = app.do("kanban_update_card", caller=without_team, cardId=one, title="outside")
    moved = app.do("kanban_move_card", caller=other, cardId=one, columnId="col_done")

    assert f"codex@kei#1 of {app.caller.actor} has taken this card" in edited["warning"]
    assert outside["warning"].startswith("Another actor has taken this card")
    assert "2026-02-18T09:31:00-05:00" in moved["warning"]
    assert app.do("kanban_move_card", caller=other, cardId=one, columnId="col_todo")["warning"] is None


def test_who_deletes_a_card_that_another_actor_took_is_warned(app: ProjectApp) -> None:
    one, two = card(app, "one"), card(app, "two")
    other = replace(app.caller, actor="mo")
    app.do("kanban_take", holder="codex@kei#1", ttlMs=60_000)
    app.do("kanban_take", holder="codex@kei#1", ttlMs=60_000)

    deleted = app.do("kanban_delete_card", caller=other, cardId=one)
    own = app.do("kanban_delete_card", cardId=two)

    assert f"codex@kei#1 of {app.caller.actor} has taken this card" in deleted["warning"]
    assert deleted["warning"].endswith("tell them that the card is gone.")
    assert own["warning"] is None


def test_a_deleted_card_names_the_open_items_that_it_blocked(app: ProjectApp) -> None:
    first, then, built = card(app, "Design"), card(app, "Build"), card(app, "Sketch")
    free, done = card(app, "Order nails"), card(app, "Measure")
    for blocked in (then, built):
        blocks(app, first, blocked)
    blocks(app, done, then)
    blocks(app, then, free)
    app.do("kanban_move_card", cardId=done, columnId="col_done")
    app.do("kanban_delete_card", cardId=built)

    deleted = app.do("kanban_delete_card", cardId=first)

    assert deleted["warning"] == f'The card blocked "Build" ({then}), and no longer does.'
    assert app.do("kanban_delete_card", cardId=done)["warning"] is None
    assert app.do("kanban_delete_card", cardId=free)["warning"] is None


def test_a_blocked_card_can_be_started_with_a_warning(app: ProjectApp) -> None:
    first, then = card(app, "Design"), card(app, "Build")
    blocks(app, first, then)
    assert app.do("kanban_move_card", cardId=then, columnId="col_todo", position=0)["warning"] is None
    started = app.do("kanban_move_card", cardId=then, columnId="col_doing")
    assert started["warning"] == f'The card is blocked by "Design" ({first}), not done yet.'
    assert app.do("kanban_move_card", cardId=first, columnId="col_doing")["warning"] is None
    app.do("kanban_move_card", cardId=first, columnId="col_done")
    assert app.do("kanban_move_card", cardId=then, columnId="col_doing")["warning"] is None


def test_on_a_board_with_one_open_column_a_taken_card_stays_there(app: ProjectApp) -> None:
    columns = ["List", "Done"]
    board = app.do("kanban_edit_board", action="create_board", title="B", columns=columns)["board"]
    ids = [card(app, title, columnId=board["columns"][0]["id"]) for title in "AB"]
    taken = [app.do("kanban_take", board=board["id"])["card"] for _ in ids]
    assert {one["columnId"] for one in taken} == {board["columns"][0]["id"]}
    assert {one["id"]: one["position"] for one in taken} == {ids[0]: 0, ids[1]: 1}
    assert app.do("kanban_take", board=board["id"])["card"] is None


@pytest.mark.parametrize(
    ("zone", "words", "opens"),
    [
        ("America/New_York", "tomorrow", "2026-02-19T05:00:00+00:00"),
        ("America/New_York", "next friday at 3pm", "2026-02-20T20:00:00+00:00"),
        ("Europe/Berlin", "2026-03-29 at 02:30", "2026-03-29T01:00:00+00:00"),  # clocks skip it
        ("Europe/Berlin", "2026-10-25 at 02:30", "2026-10-25T00:30:00+00:00"),  # comes twice
        ("Africa/Cairo", "2026-04-24", "2026-04-23T22:00:00+00:00"),  # the day begins at one
        ("Europe/Berlin", "2026-03-29T03:30:00+02:00", "2026-03-29T01:30:00+00:00"),
    ],
)
def test_a_gate_opens_at_its_instant_across_clock_changes(app: ProjectApp, zone: str, words: str, opens: str) -> None:
    one = card(app, "one")
    app.do("kanban_gate", cardId=one, until=words, timezone=zone)
    (waiting,) = app.do("kanban_ready", timezone="UTC")["waiting"]
    assert datetime.fromisoformat(waiting["gates"][0]["opensAt"]) == datetime.fromisoformat(opens)
    app.clock.instant = datetime.fromisoformat(opens) - timedelta(seconds=1)
    assert ready(app) == []
    app.clock.instant = datetime.fromisoformat(opens)
    assert ready(app) == ["one"]


def test_words_that_name_no_later_time_make_no_gate(app: ProjectApp) -> None:
    one = card(app, "one")
    for words, said in (("yesterday", "already past"), ("03/04", "two days"), ("when pigs fly", "neither")):
        with pytest.raises(ToolRefusal, match=said):
            app.do("kanban_gate", cardId=one, until=words)
    for given in ({}, {"until": "tomorrow", "signal": "CI"}):
        with pytest.raises(ToolRefusal, match="exactly one condition"):
            app.do("kanban_gate", cardId=one, **given)
    assert ready(app) == ["one"]


def test_a_person_opens_the_gate_that_takes_his_yes_and_nobody_else(app: ProjectApp) -> None:
    one = card(app, "one")
    gate = app.do("kanban_gate", cardId=one, person="Bea")["gate"]["id"]
    with pytest.raises(ToolRefusal, match='Only "Bea" can approve'):
        app.do("open_gate", cardId=one, gateId=gate)
    assert app.do("kanban_take")["waiting"][0]["gates"][0]["waitsFor"] == "Bea"
    app.caller = replace(app.caller, actor="bea", is_person=True)
    answers = [app.do("open_gate", cardId=one, gateId=gate) for _ in range(2)]
    assert [(each["opened"], each["closedGates"]) for each in answers] == [(True, 0), (False, 0)]
    assert app.do("kanban_take")["card"]["id"] == one
    app.caller = replace(app.caller, actor=f"{'a' * 244}@example.org")
    gate = app.do("kanban_gate", cardId=one, person=app.caller.actor)["gate"]["id"]
    assert app.do("open_gate", cardId=one, gateId=gate)["opened"]


def test_an_agent_cannot_give_the_yes_of_the_person_whose_key_it_has(app: ProjectApp) -> None:
    one = card(app, "one")
    gate = app.do("kanban_gate", cardId=one, person="ann")["gate"]["id"]
    with pytest.raises(ToolRefusal, match=r"dashboard.*almanac keys issue --person") as refused:
        app.do("open_gate", cardId=one, gateId=gate)
    assert refused.value.code == "not_a_person"
    assert ready(app) == []
    signal = app.do("kanban_gate", cardId=one, signal="CI")
    assert app.do("open_gate", cardId=one, gateId=signal["gate"]["id"], token=signal["token"])["closedGates"] == 1
    app.caller = replace(app.caller, is_person=True)
    assert app.do("open_gate", cardId=one, gateId=gate)["closedGates"] == 0
    assert ready(app) == ["one"]


def test_a_signal_opens_its_gate_with_its_token_only(app: ProjectApp) -> None:
    one = card(app, "one")
    made = [app.do("kanban_gate", cardId=one, signal=name) for name in ("CI", "merged")]
    gates = [each["gate"]["id"] for each in made]
    for token in (None, "", "0" * 48, made[1]["token"]):
        with pytest.raises(ToolRefusal, match="does not belong to this gate"):
            app.do("open_gate", cardId=one, gateId=gates[0], **({} if token is None else {"token": token}))
    assert app.do("open_gate", cardId=one, gateId=gates[0], token=made[0]["token"])["closedGates"] == 1
    assert ready(app) == []
    assert made[0]["token"] not in str(app.do("kanban_ready")) + str(app.events())
    app.do("kanban_gate", cardId=one, remove=gates[1])
    assert ready(app) == ["one"]
    with pytest.raises(ToolRefusal, match="no gate"):
        app.do("open_gate", cardId=one, gateId=gates[1], token=made[1]["token"])
