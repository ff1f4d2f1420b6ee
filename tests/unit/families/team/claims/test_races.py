"""Test concurrent overlapping claims. In any order of their steps there is one holder at most.

ALMANAC_RACE_ROUNDS=2000 runs more rounds with threads.
"""

import os
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from almanac.families.team.claims.claims import Claims
from almanac.families.team.claims.expiry import announce_expired
from almanac.families.team.claims.requests import AcquiredClaim, BlockingClaim
from almanac.families.team.core.records import GLOBS
from almanac.kernel.clock import FixedClock, SystemClock
from tests.unit.families.team.rivals import Interruption, claims_of, contend
from tests.unit.families.team.teams import SCOPE, SECONDS, Team, open_store

ROUNDS = int(os.environ.get("ALMANAC_RACE_ROUNDS", "40"))
TTL = 60 * SECONDS


def _claim_into(outcomes: list[AcquiredClaim | BlockingClaim], claims: Claims, key: str) -> None:
    outcomes.append(claims.acquire(key, "b", TTL))


PAIRS = [
    ("story:1", "story:1"),
    ("src/a.py", "src/*.py"),
    ("src/*.py", "src/a.py"),
    ("src/a*", "src/*.py"),
    ("src/*.py", "src/*.py"),
    ("/w/src/a.py", "src/a.py"),
    ("src/a.py", "/w/src/a.py"),
    ("/w/src/a.py", "src/*.py"),
    ("src/*.py", "/w/src/a.py"),
    ("src", "/w/src/a*"),
    ("/w/src/a.py", "/w/src"),
]


@pytest.mark.parametrize(("first", "second"), PAIRS)
@pytest.mark.parametrize("lapsed", [None, "src/a.py", "src/a*", "story:1"])
def test_in_whatever_step_another_comes_in_one_of_two_gets_it(
    team: Team, clock: FixedClock, first: str, second: str, lapsed: str | None
):
    step = 1
    while True:
        if lapsed is not None:
            assert team.claim(lapsed, "gone", 5 * SECONDS)["ok"]
            clock.instant += timedelta(seconds=5)
        outcomes: list[AcquiredClaim | BlockingClaim] = []
        interruption = Interruption(step, partial(_claim_into, outcomes, claims_of(team, clock), second))
        own = claims_of(team, clock, interruption).acquire(first, "a", TTL)
        if interruption.steps < step:
            assert isinstance(own, AcquiredClaim)
            break
        won = [outcome.claim.holder for outcome in (own, *outcomes) if isinstance(outcome, AcquiredClaim)]
        lost = [outcome.claim for outcome in (own, *outcomes) if isinstance(outcome, BlockingClaim)]
        assert len(won) == 1
        assert [claim.holder for claim in lost] == won
        assert list(team.holders().values()) == won
        for key in {first, second}:
            team.release(key, won[0] or "")
        step += 1

    assert step > 3
    announce_expired(team.services, SCOPE)
    assert len(team.events("claim_expired")) == (step if lapsed else 0)


@pytest.mark.parametrize("key", ["src/a.py", "src/b*", "src/*.py"])
def test_whoever_died_while_acquiring_a_glob_is_in_the_way_for_two_seconds_at_most(
    team: Team, clock: FixedClock, key: str
):
    class Died(Exception):
        pass

    def die() -> None:
        raise Died

    steps = 0
    while steps < 50:
        steps += 1
        try:
            outcome = claims_of(team, clock, Interruption(steps, die)).acquire("src/*.py", "a", TTL)
        except Died:
            started = team.now
            assert isinstance(claims_of(team, clock).acquire(key, "b", TTL), AcquiredClaim)
            assert team.now - started <= 3 * SECONDS
            assert team.release(key, "b") == {"ok": True}
            continue
        assert isinstance(outcome, AcquiredClaim)
        break
    assert 5 < steps < 50


def test_a_refused_glob_leaves_nothing_behind(team: Team):
    team.claim("src/a.py", "a")
    team.claim("src/*.py", "b")
    register = GLOBS.within(team.store, SCOPE).get("file")

    assert register is None or register.entries == []


def test_threads_never_hold_what_overlaps(tmp_path: Path):
    store = open_store(tmp_path, SystemClock())

    contend(store, SCOPE, SystemClock(), 3 * ROUNDS)
    store.close()
