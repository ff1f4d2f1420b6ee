"""Forgetting, and what brings a memory back."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from msgspec.structs import replace as altered

from almanac.families.memory.core.event_kinds import MEMORY_FORGOTTEN, MEMORY_RESTORED
from almanac.families.memory.core.records import MEMORIES, TURNS
from almanac.families.memory.memories.records import PURGES
from almanac.platform.store.records import replace
from almanac.search.port import DocumentState
from tests.app import Json
from tests.project_app import ProjectApp
from tests.unit.families.memory.remembered import BEN, all_of, project_of, record_turn, search_ids

MONTH_MS = 30 * 86_400_000


def pin(app: ProjectApp, content: str = "Deploys happen on Tuesdays.", **more: Any) -> str:
    return app.do("pin_memory", content=content, **more)["memory"]["id"]


def record_or_pin(app: ProjectApp, kind: str) -> str:
    return record_turn(app, "Deploys happen on Tuesdays.").id if kind == "turn" else pin(app)


both = pytest.mark.parametrize("kind", ["turn", "pinned"])


@both
def test_what_is_forgotten_is_hidden_at_once_and_says_how_it_comes_back(app: ProjectApp, kind: str):
    one = record_or_pin(app, kind)
    app.follow()

    done = app.do("forget_memory", memory_id=one)

    until = app.now + MONTH_MS
    assert done == {
        "ok": True,
        "memory_id": one,
        "kind": kind,
        "forgotten_at": app.now,
        "restorable_until": until,
    }
    assert search_ids(app, "deploys") == []
    told = app.refusal("get_memory", memory_id=one)
    assert told.startswith(f"not_found: {one} was forgotten at 2026-02-18T14:30:00Z. Until 2026-03-20T14:30:00Z")
    assert "restore=true" in told
    assert "Tuesdays" not in told


@both
@pytest.mark.parametrize("follows", [False, True], ids=["before the index hears of it", "after"])
def test_what_is_restored_is_found_and_read_again(app: ProjectApp, kind: str, follows: bool):
    one = record_or_pin(app, kind)
    before = app.do("get_memory", memory_id=one)["memory"]
    app.do("forget_memory", memory_id=one)
    if follows:
        app.follow()
    app.wait(days=29)

    done = app.do("forget_memory", memory_id=one, restore=True)

    assert done == {"ok": True, "memory_id": one, "kind": kind, "restored_at": app.now}
    assert search_ids(app, "deploys") == [one]
    app.follow()
    assert search_ids(app, "deploys") == [one]
    after = app.do("get_memory", memory_id=one)
    assert after["memory"] == before
    assert [step["what"] for step in after["history"]] == ["recorded", "forgotten", "restored"]
    assert all_of(app, PURGES) == []


def test_the_index_takes_each_change_once_however_late_it_hears_of_it(app: ProjectApp):
    one = pin(app)
    for round_number in range(3):
        app.do("forget_memory", memory_id=one)
        app.do("forget_memory", memory_id=one, restore=True)
        if round_number == 1:
            app.follow()
    app.do("forget_memory", memory_id=one)
    assert search_ids(app, "deploys") == []
    app.follow()

    assert search_ids(app, "deploys") == []
    assert app.index.list_states(app.caller.scope, "talk") == [DocumentState(one, 8, removed=True)]
    app.do("forget_memory", memory_id=one, restore=True)
    app.follow()
    assert app.index.list_states(app.caller.scope, "talk") == [DocumentState(one, 9)]


@both
def test_twice_is_once(app: ProjectApp, kind: str):
    one = record_or_pin(app, kind)
    first = app.do("forget_memory", memory_id=one)
    app.wait(days=1)

    assert app.do("forget_memory", caller=BEN, memory_id=one) == {**first, "already": True}
    assert len(app.events(MEMORY_FORGOTTEN)) == 1
    app.do("forget_memory", memory_id=one, restore=True)
    again = app.do("forget_memory", memory_id=one, restore=True)
    assert again == {"ok": True, "memory_id": one, "kind": kind, "already": True}
    assert len(app.events(MEMORY_RESTORED)) == 1


def test_what_was_never_forgotten_needs_no_restoring(app: ProjectApp):
    one = pin(app)

    assert app.do("forget_memory", memory_id=one, restore=True)["already"] is True
    assert app.events(MEMORY_RESTORED) == []


@both
@pytest.mark.parametrize("runs", [False, True], ids=["before jobs ran", "after"])
def test_after_thirty_days_nothing_comes_back(app: ProjectApp, kind: str, runs: bool):
    one = record_or_pin(app, kind)
    app.do("forget_memory", memory_id=one)
    app.wait(days=30)
    if runs:
        app.run_jobs()

    for restore in (False, True):
        told = app.refusal("forget_memory", memory_id=one, restore=restore)
        assert told.startswith("not_found: No memory or turn has the id")
        assert "more than 30 days ago" in told
    assert app.refusal("get_memory", memory_id=one).startswith("not_found")


def test_an_event_of_forgetting_no_longer_tells_what_it_was(app: ProjectApp):
    turn = record_turn(app, "My address is 5 Elm Street", session="s1", tags=("private",), metadata={"street": "Elm"})

    app.do("forget_memory", caller=BEN, memory_id=turn.id)

    (event,) = app.events(MEMORY_FORGOTTEN)
    assert (event.key, event.actor) == (turn.id, "ben")
    assert event.payload == {
        "memory_id": turn.id,
        "kind": "turn",
        "session_id": "s1",
        "tags": ["private"],
        "tool": None,
    }
    app.do("forget_memory", memory_id=turn.id, restore=True)
    (event,) = app.events(MEMORY_RESTORED)
    assert event.payload["content_preview"] == "My address is 5 Elm Street"
    assert (event.payload["memory_id"], event.payload["session_id"]) == (turn.id, "s1")


def test_history_says_who_did_what_and_keeps_its_first_step(app: ProjectApp):
    one = pin(app)
    for _ in range(30):
        app.do("forget_memory", caller=BEN, memory_id=one)
        app.do("forget_memory", memory_id=one, restore=True)

    history: list[Json] = app.do("get_memory", memory_id=one)["history"]

    assert len(history) == 50
    assert (history[0]["what"], history[0]["actor"]) == ("recorded", "ann")
    assert [(step["what"], step["actor"]) for step in history[-2:]] == [("forgotten", "ben"), ("restored", "ann")]


def test_who_forgets_while_others_write_forgets_all_the_same(app: ProjectApp):
    one = pin(app)
    rows = project_of(app).rows(MEMORIES)

    def rewritten(_: int) -> None:
        def attempt() -> None:
            record = rows.get(one)
            assert record is not None
            app.store.write([replace(rows, altered(record, metadata={"n": record.version}))])

        project_of(app).retry_on_conflict(attempt)

    with ThreadPoolExecutor(8) as threads:
        writing = [threads.submit(rewritten, number) for number in range(20)]
        forgetting = [threads.submit(app.do, "forget_memory", memory_id=one) for _ in range(4)]
        for each in writing:
            each.result()
        answers = [each.result() for each in forgetting]

    assert sorted(answer.get("already", False) for answer in answers) == [False, True, True, True]
    record = rows.get(one)
    assert record is not None
    assert record.forgotten_at is not None
    assert len(app.events(MEMORY_FORGOTTEN)) == 1
    assert len(all_of(app, PURGES)) == 1


def test_forgetting_and_restoring_at_once_leaves_one_of_both(app: ProjectApp):
    one = record_turn(app, "A turn").id

    def forget_or_restore(number: int) -> Json:
        return app.do("forget_memory", memory_id=one, restore=bool(number % 2))

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(forget_or_restore, range(40)))

    record = project_of(app).rows(TURNS).get(one)
    assert record is not None
    assert len(all_of(app, PURGES)) == (record.forgotten_at is not None)
    assert len(app.events(MEMORY_FORGOTTEN)) - len(app.events(MEMORY_RESTORED)) == (record.forgotten_at is not None)
