"""Test claims on every store: one holder of overlapping keys, and one announcement of each end."""

import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from datetime import timedelta

import pytest

from almanac.families.team.claims.claims import Claims
from almanac.families.team.claims.expiry import announce_expired
from almanac.families.team.claims.requests import AcquiredClaim, BlockingClaim
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock, FixedClock, SystemClock
from almanac.platform.services import Services
from almanac.platform.store.port import Store
from tests.contract.backends import Place
from tests.integration.team.claim_clients import Ask, check, histories
from tests.unit.families.team.rivals import CLIENTS, contend
from tests.unit.families.team.teams import open_project, team_tools

ROUNDS = 15
OPERATIONS = int(os.environ.get("ALMANAC_CLAIM_OPERATIONS", "100"))
"""Of each client."""


@pytest.mark.slow
def test_clients_at_once_never_hold_what_overlaps(place: Place, scope: Scope):
    contend(place.open(SystemClock()), scope, SystemClock(), 3 * ROUNDS)


@pytest.mark.slow
def test_claims_of_keys_and_globs_are_linearizable(place: Place, scope: Scope):
    def client() -> Ask:
        tools = team_tools(place.open(SystemClock()), scope, SystemClock())
        return lambda tool, arguments: tools.call(tool, **arguments)

    clients = [nullcontext(client()) for _ in range(CLIENTS)]
    history = histories(clients, OPERATIONS)
    assert len(history) == CLIENTS * OPERATIONS
    check(history)


def test_globs_and_paths_stand_in_each_others_way_until_they_run_out(store: Store, scope: Scope, clock: FixedClock):
    claims = Claims(open_project(store, clock, scope=scope))
    first = claims.acquire("src/*.py", "a", 5000)
    assert isinstance(first, AcquiredClaim)
    assert claims.acquire("file:src/x.py", "b", 5000) == BlockingClaim(first.claim)
    assert isinstance(claims.acquire("file:src/x.ts", "b", 60_000), AcquiredClaim)
    assert isinstance(claims.acquire("file:src/", "c", 5000), BlockingClaim)
    clock.instant += timedelta(seconds=5)

    assert isinstance(claims.acquire("file:src/x.py", "b", 60_000), AcquiredClaim)
    assert [claim.key for claim in claims.list_held(limit=10).claims] == ["file:src/x.py", "file:src/x.ts"]
    assert [notice.key for notice in claims.deliver_notices("a")] == ["src/*.py"]
    assert claims.deliver_notices("a") == []


def test_a_file_named_from_the_root_of_a_machine_has_one_holder(store: Store, scope: Scope, clock: FixedClock):
    claims = Claims(open_project(store, clock, scope=scope))
    first = claims.acquire("/home/ann/shop/src/x.py", "a", 5000)
    assert isinstance(first, AcquiredClaim)
    assert claims.acquire("src/x.py", "b", 5000) == claims.acquire("src/**", "b", 5000) == BlockingClaim(first.claim)

    clock.instant += timedelta(seconds=5)
    assert isinstance(claims.acquire("src/**", "b", 60_000), AcquiredClaim)
    assert isinstance(claims.acquire("/home/bob/shop/src/x.py", "a", 5000), BlockingClaim)
    claims.release("src/**", "b")
    assert isinstance(claims.acquire("/home/bob/shop/src/x.py", "a", 5000), AcquiredClaim)


def test_many_who_announce_at_once_announce_once(store: Store, scope: Scope, clock: FixedClock):
    claims = Claims(open_project(store, clock, scope=scope))
    for key in ("story:1", "story:2", "src/*.py", "src/a.ts"):
        assert isinstance(claims.acquire(key, "a", 5000), AcquiredClaim)
    clock.instant += timedelta(seconds=5)
    services = Services({Store: lambda: store, Clock: lambda: clock})
    with ThreadPoolExecutor(4) as pool:
        announced = list(pool.map(announce_expired, [services] * 4, [scope] * 4))

    assert sum(announced) == 4
    assert len(claims.deliver_notices("a")) == 4
