"""record_turns: in their order, in few writes, each for itself."""

from typing import Any

import pytest

from almanac.kernel.errors import Unavailable
from almanac.platform.store.port import Change, ConditionFailed
from tests.project_app import ProjectApp
from tests.unit.families.memory.turns.stored import forget, session, turn, turns, turns_of


def numbered_turns(count: int, **more: Any) -> list[dict[str, Any]]:
    return [{"content": f"turn {number}", **more} for number in range(count)]


def test_turns_are_recorded_in_their_order(app: ProjectApp):
    told = app.do("record_turns", turns=numbered_turns(100), session_id="s", tool="cli")

    assert (told["ok"], told["recorded"], told["deduped"], told["failed"]) == (True, 100, 0, 0)
    kept = turns_of(app, "s")
    assert [each.id for each in kept] == [each["turn_id"] for each in told["results"]]
    assert [(each.content, each.position) for each in kept] == [(f"turn {n}", n) for n in range(100)]
    assert {each.tool for each in kept} == {"cli"}
    assert sorted(each.id for each in kept) == [each.id for each in kept]
    assert [event.payload["turn_id"] for event in app.events("turn_recorded")] == [each.id for each in kept]


def test_few_writes_hold_them(app: ProjectApp, monkeypatch: pytest.MonkeyPatch):
    sizes: list[int] = []
    write = app.store.write

    def count_and_write(changes: list[Change]) -> None:
        sizes.append(len(changes))
        write(changes)

    monkeypatch.setattr(app.store, "write", count_and_write)
    app.do("record_turns", turns=numbered_turns(100), session_id="s")
    assert len(sizes) == 3
    sizes.clear()
    app.do("record_turns", turns=[{"content": f"{n} " + "é" * 32_000} for n in range(50)])
    assert len(sizes) == 4


def test_a_bad_turn_fails_alone(app: ProjectApp):
    told = app.do(
        "record_turns",
        turns=[
            {"content": "one"},
            {"content": ""},
            {"content": "two", "role": "robot"},
            7,
            {"content": "three", "nope": 1},
            {"content": "four", "requires_claim": "story:1", "claim_policy": "hard"},
            {"content": "é" * 40_000},
            {"content": "five"},
        ],
    )

    assert (told["ok"], told["recorded"], told["failed"]) == (False, 2, 6)
    errors = [each.get("error") for each in told["results"]]
    assert errors[0] is errors[7] is None
    assert [error["code"] for error in errors[1:7]] == [*["invalid_input"] * 4, "claim_required", "invalid_input"]
    assert "80000 bytes" in errors[6]["message"]
    assert "Claim it with claim" in errors[5]["hint"]
    assert {each.content for each in turns(app)} == {"one", "five"}


def test_what_a_turn_says_itself_goes_before_what_is_said_for_all(app: ProjectApp):
    told = app.do(
        "record_turns",
        turns=[{"content": "x", "session_id": "own", "tool": "cursor"}, {"content": "x"}],
        session_id="s",
        tool="cli",
    )

    assert [(turn(app, each["turn_id"]).session, turn(app, each["turn_id"]).tool) for each in told["results"]] == [
        ("own", "cursor"),
        ("s", "cli"),
    ]


def test_a_batch_that_is_sent_again_is_recorded_once(app: ProjectApp):
    twice = numbered_turns(40, session_id="s") + numbered_turns(40, session_id="s")
    first = app.do("record_turns", turns=twice)
    ids = [each["turn_id"] for each in first["results"]]

    assert (first["recorded"], len(set(ids))) == (80, 80)
    again = app.do("record_turns", turns=twice)
    assert [each["turn_id"] for each in again["results"]] == ids
    assert (again["recorded"], again["deduped"]) == (0, 80)
    assert session(app, "s").turns == 80


def test_a_batch_that_was_broken_off_goes_on_where_it_stopped(app: ProjectApp, monkeypatch: pytest.MonkeyPatch):
    write, writes = app.store.write, 0

    def fail_after_first(changes: list[Change]) -> None:
        nonlocal writes
        writes += 1
        if writes > 1:
            raise Unavailable("The store does not answer.", "Repeat the call.")
        write(changes)

    with monkeypatch.context() as broken:
        broken.setattr(app.store, "write", fail_after_first)
        first = app.do("record_turns", turns=numbered_turns(100, session_id="s"))
    recorded = first["recorded"]
    assert 0 < recorded < 100

    again = app.do("record_turns", turns=numbered_turns(100, session_id="s"))

    assert (again["recorded"], again["deduped"]) == (100 - recorded, recorded)
    assert session(app, "s").turns == 100


def test_what_was_forgotten_is_recorded_anew_among_others(app: ProjectApp):
    first = app.do("record_turns", turns=numbered_turns(3))["results"]
    forget(app, first[1]["turn_id"])

    again = app.do("record_turns", turns=numbered_turns(3))["results"]

    assert [each["deduped"] for each in again] == [True, False, True]


def test_ids_of_the_caller_count_within_a_call_too(app: ProjectApp):
    told = app.do(
        "record_turns",
        turns=[
            {"content": "x", "client_turn_id": "1"},
            {"content": "x", "client_turn_id": "1"},
            {"content": "y", "client_turn_id": "1"},
            {"content": "x", "client_turn_id": "2"},
        ],
    )["results"]

    assert [each["deduped"] for each in told] == [False, True, True, False]
    assert len({each["turn_id"] for each in told[:3]}) == 1


def test_turns_of_several_sessions_are_counted_each_in_its_own(app: ProjectApp):
    told = app.do("record_turns", turns=[{"content": str(n), "session_id": f"s{n % 3}"} for n in range(30)])

    assert told["recorded"] == 30
    for number in range(3):
        assert [each.content for each in turns_of(app, f"s{number}")] == [str(n) for n in range(number, 30, 3)]


def test_a_group_that_cannot_be_written_leaves_those_before_it(app: ProjectApp, monkeypatch: pytest.MonkeyPatch):
    write, writes = app.store.write, 0

    def fail_after_first(changes: list[Change]) -> None:
        nonlocal writes
        writes += 1
        if writes > 1:
            raise Unavailable("The store does not answer.", "Repeat the call.")
        write(changes)

    monkeypatch.setattr(app.store, "write", fail_after_first)
    told = app.do("record_turns", turns=[*numbered_turns(1, session_id="a"), *numbered_turns(2, session_id="b")])

    assert [each.get("deduped") for each in told["results"]] == [False, None, None]
    assert told["results"][1]["error"]["retryable"]


def test_a_group_is_tried_again_where_somebody_else_was_first(app: ProjectApp, monkeypatch: pytest.MonkeyPatch):
    write, rivals = app.store.write, iter(range(3))

    def outrun(changes: list[Change]) -> None:
        if (rival := next(rivals, None)) is not None:
            raise ConditionFailed(rival, None)
        write(changes)

    monkeypatch.setattr(app.store, "write", outrun)

    assert app.do("record_turns", turns=numbered_turns(5), session_id="s")["recorded"] == 5


def test_so_many_and_so_much_at_once(app: ProjectApp):
    assert "100" in app.refusal("record_turns", turns=numbered_turns(101))
    assert "must not be empty" in app.refusal("record_turns", turns=[])
    large = [{"content": f"{n} " + "x" * 65_000} for n in range(70)]
    assert "over 4194304" in app.refusal("record_turns", turns=large)
    assert turns(app) == []
