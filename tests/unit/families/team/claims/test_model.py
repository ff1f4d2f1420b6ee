"""Test random calls of claims against a small model. Each end is announced once."""

import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct

from almanac.families.team.claims.expiry import announce_expired
from almanac.families.team.claims.key_syntax import parse_key
from almanac.kernel.clock import FixedClock
from tests.unit.families.team.teams import SCOPE, Team

KEYS = [
    "story:1",
    "story:*",
    "src/a.py",
    "./src/a.py",
    "src/*.py",
    "src/a*",
    "src/",
    "lib/x.py",
    "/w/src/a.py",
    "/w/src/*.py",
    "/v/src",
]
HOLDERS = ["a", "b", "c"]


class Step(Struct, frozen=True):
    verb: str
    key: str
    holder: str
    ttl_ms: int
    pause_ms: int


steps = st.lists(
    st.builds(
        Step,
        st.sampled_from(["claim", "claim", "claim", "release", "extend", "announce"]),
        st.sampled_from(KEYS),
        st.sampled_from(HOLDERS),
        st.sampled_from([5000, 7000, 20_000]),
        st.sampled_from([0, 1, 4999, 5000, 12_000]),
    ),
    max_size=40,
)


class Model:
    """Claims by id, with holder, deadline and key. Each step first drops and counts the expired ones."""

    def __init__(self) -> None:
        self.held: dict[str, tuple[str, int, str]] = {}
        self.ran_out: list[tuple[str, int]] = []

    def pass_time(self, now: int) -> None:
        for key, (_, deadline, text) in list(self.held.items()):
            if deadline <= now:
                self.ran_out.append((text, deadline))
                del self.held[key]

    def answer(self, step: Step, now: int) -> dict[str, Any]:
        key, deadline = parse_key(step.key), now + step.ttl_ms
        own = self.held.get(key.id)
        if step.verb == "claim":
            others = [one for one in self.held.values() if one[0] != step.holder and parse_key(one[2]).overlaps(key)]
            if others:
                return {"ok": False, "blockers": others}
            self.held[key.id] = (step.holder, deadline, own[2] if own else step.key)
            return {"ok": True, "deduped": own is not None, "expires_at": deadline}
        if own is None:
            return {"ok": False, "reason": "not_held"}
        if own[0] != step.holder:
            return {"ok": False, "reason": "wrong_holder", "held_by": own[0], "expires_at": own[1]}
        if step.verb == "release":
            del self.held[key.id]
            return {"ok": True}
        self.held[key.id] = (step.holder, deadline, own[2])
        return {"ok": True, "expires_at": deadline}


@settings(max_examples=60, deadline=None)
@given(steps)
def test_claims_answer_as_the_model_does(asked: list[Step]):
    clock, model = FixedClock(datetime(2026, 2, 18, tzinfo=UTC)), Model()
    tokens: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as folder:
        team = Team(Path(folder), clock)
        services = team.services
        for step in asked:
            clock.instant += timedelta(milliseconds=step.pause_ms)
            model.pass_time(team.now)
            if step.verb == "announce":
                announce_expired(services, SCOPE)
                continue
            _compare(team, model, step, tokens)
        clock.instant += timedelta(days=1)
        model.pass_time(team.now)
        announce_expired(services, SCOPE)
        ended = [(event.payload["key"], event.payload["expires_at"]) for event in team.events("claim_expired")]
        team.database.close()
    assert sorted(ended) == sorted(model.ran_out)


def _compare(team: Team, model: Model, step: Step, tokens: dict[str, int]) -> None:
    ttl: dict[str, Any] = {} if step.verb == "release" else {"ttl_ms": step.ttl_ms}
    answer = team.call(step.verb, key=step.key, holder=step.holder, **ttl)
    answer.pop("notices", None)
    assert answer.pop("untrusted", False) is ("held_by" in answer)
    expected = model.answer(step, team.now)
    if "blockers" in expected:
        assert (answer["held_by"], answer["expires_at"], answer["held_key"]) in expected["blockers"]
    elif step.verb == "claim":
        claim, key = answer["claim"], parse_key(step.key).id
        assert expected == {"ok": True, "deduped": answer["deduped"], "expires_at": claim["expires_at"]}
        assert claim["token"] == tokens[key] if answer["deduped"] else claim["token"] > tokens.get(key, 0)
        tokens[key] = claim["token"]
    else:
        assert answer == expected
    assert sorted(team.holders().items()) == sorted((text, holder) for holder, _, text in model.held.values())
