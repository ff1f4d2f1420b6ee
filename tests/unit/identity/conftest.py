"""A store with one tenant that has two projects, and keys on top of it."""

import itertools
from pathlib import Path

import pytest

from almanac.identity.keys import ApiKeys
from almanac.identity.records import Grant
from almanac.identity.tenants import Tenants
from almanac.kernel.clock import FixedClock
from almanac.platform.store.port import Store
from almanac.platform.store.sqlite.store import SqliteStore


@pytest.fixture
def store(tmp_path: Path, clock: FixedClock) -> Store:
    return SqliteStore(tmp_path / "store.db", clock=clock, cursor_secret=bytes(32))


@pytest.fixture
def tenants(store: Store, clock: FixedClock) -> Tenants:
    tenants = Tenants(store, clock)
    tenants.create("acme")
    tenants.create_project("acme", "moon")
    return tenants


@pytest.fixture
def keys(store: Store, clock: FixedClock, tenants: Tenants) -> ApiKeys:
    """Keys whose random bytes are 1, 1, 1 …, then 2, 2, 2 …"""
    numbers = itertools.count(1)
    return ApiKeys(store, clock, lambda count: bytes([next(numbers) % 256]) * count)


@pytest.fixture
def grant() -> Grant:
    return Grant(tenant="acme", project="default", actor="ann")
