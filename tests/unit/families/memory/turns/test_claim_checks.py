"""Turns that require a claim: recorded with what was violated, or refused."""

from dataclasses import replace
from typing import Any

import pytest

from almanac.platform.store.port import Change
from tests.project_app import ProjectApp
from tests.unit.families.memory.turns.stored import turn, turns

HOLDER = "cli@ann#1"


def claim_token(app: ProjectApp, key: str = "src") -> int:
    return app.do("claim", key=key, holder=HOLDER, ttl_ms=60_000)["claim"]["token"]


def test_a_turn_whose_claim_is_held_is_recorded_as_it_is(app: ProjectApp):
    token = claim_token(app)

    ways: list[dict[str, Any]] = [{}, {"holder": HOLDER}, {"claim_token": token}, {"claim_policy": "hard"}]
    for number, more in enumerate(ways):
        told = app.do("record_turn", content=f"x{number}", requires_claim="file:src/a.py", **more)
        assert "claim_violation" not in told
        assert turn(app, told["turn_id"]).metadata == {}


def test_softly_it_is_recorded_with_what_was_violated(app: ProjectApp):
    token = claim_token(app)
    wanted: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({"requires_claim": "story:1"}, {"key": "story:1", "reason": "not_held"}),
        ({"requires_claim": "src", "holder": "x@y#2"}, {"key": "src", "reason": "wrong_holder", "held_by": HOLDER}),
        (
            {"requires_claim": "src", "claim_token": token + 1},
            {"key": "src", "reason": "stale_token", "held_by": HOLDER},
        ),
    ]

    for number, (more, violation) in enumerate(wanted):
        told = app.do("record_turn", content=f"x{number}", metadata={"a": 1}, **more)
        marks = {"untrusted": True} if "held_by" in violation else {}
        assert told["claim_violation"] == violation | marks
        assert turn(app, told["turn_id"]).metadata == {"a": 1, "claim_violation": violation}
        assert app.events("turn_recorded")[-1].payload["metadata"]["claim_violation"] == violation


def test_without_a_holder_the_claim_must_be_the_callers_own(app: ProjectApp):
    claim_token(app)
    bob = replace(app.caller, actor="bob")

    assert app.do("record_turn", content="x", requires_claim="src", caller=bob)["claim_violation"]["held_by"] == HOLDER
    assert "claim_violation" not in app.do("record_turn", content="y", requires_claim="src", holder=HOLDER, caller=bob)


def test_hard_it_is_refused_with_who_holds_it_and_until_when(app: ProjectApp):
    claim_token(app)
    hard: dict[str, Any] = {"content": "x", "requires_claim": "src/a.py", "claim_policy": "hard"}

    refused = app.refusal("record_turn", **hard, holder="x@y#2")
    assert f"held by {HOLDER} until 2026-02-18T14:31:00Z" in refused
    nobody: dict[str, Any] = {**hard, "requires_claim": "story:1"}
    assert "Nobody holds" in app.refusal("record_turn", **nobody)
    assert "another token" in app.refusal("record_turn", **hard, claim_token=1)
    assert turns(app) == []


def test_a_claim_ends_with_its_time_and_with_release(app: ProjectApp):
    claim_token(app, "a")
    claim_token(app, "b")
    app.do("release", key="a", holder=HOLDER)
    hard: dict[str, Any] = {"content": "x", "claim_policy": "hard"}

    assert "Nobody holds" in app.refusal("record_turn", **hard, requires_claim="a")
    app.wait(seconds=60)
    assert "Nobody holds" in app.refusal("record_turn", **hard, requires_claim="b")


def test_the_stamp_makes_no_other_turn_of_it(app: ProjectApp):
    first = app.do("record_turn", content="x", requires_claim="src")
    claim_token(app)

    assert app.do("record_turn", content="x", requires_claim="src")["turn_id"] == first["turn_id"]


def test_a_refusal_stands_whether_or_not_the_turn_is_known_but_a_retry_is_answered(app: ProjectApp):
    claim_token(app)
    hard: dict[str, Any] = {"content": "x", "requires_claim": "src", "claim_policy": "hard"}
    first = app.do("record_turn", **hard, client_turn_id="c")
    app.do("release", key="src", holder=HOLDER)

    assert "Nobody holds" in app.refusal("record_turn", **hard)
    assert app.do("record_turn", **hard, client_turn_id="c")["turn_id"] == first["turn_id"]


@pytest.mark.parametrize("policy", ["soft", "hard"])
def test_a_claim_that_is_released_before_the_write_is_noticed(
    app: ProjectApp, monkeypatch: pytest.MonkeyPatch, policy: str
):
    claim_token(app)
    write = app.store.write
    released: list[bool] = []

    def after_release(changes: list[Change]) -> None:
        if not released:
            released.append(True)
            app.do("release", key="src", holder=HOLDER)
        write(changes)

    monkeypatch.setattr(app.store, "write", after_release)
    outcome = app.outcome("record_turn", {"content": "x", "requires_claim": "src", "claim_policy": policy})

    if policy == "hard":
        assert outcome.error == "claim_required"
        assert turns(app) == []
    else:
        assert [each.metadata["claim_violation"]["reason"] for each in turns(app)] == ["not_held"]


def test_metadata_of_that_name_by_the_caller_is_his_own(app: ProjectApp):
    told = app.do("record_turn", content="x", metadata={"claim_violation": "none"}, client_turn_id="c")

    assert app.do("record_turn", content="x", metadata={"claim_violation": "none"}, client_turn_id="c")["deduped"]
    assert turn(app, told["turn_id"]).metadata == {"claim_violation": "none"}
