"""Looking up keys, with and without a memory."""

import random
from datetime import timedelta
from pathlib import Path

import pytest

from almanac.identity.access.directory import (
    CACHE_SECONDS,
    CachingDirectory,
    CurrentDirectory,
    StoredDirectory,
)
from almanac.identity.keys import ApiKeys
from almanac.identity.records import Grant, KeyRecord
from almanac.identity.tenants import Tenants
from almanac.kernel.clock import FixedClock
from almanac.kernel.instants import now_ms
from almanac.platform.store.port import Store
from almanac.platform.store.sqlite.store import SqliteStore


def test_the_store_tells_of_a_revocation_at_once(keys: ApiKeys, grant: Grant, store: Store, clock: FixedClock) -> None:
    key_id = keys.issue(grant).key.id
    directory = StoredDirectory(store)
    keys.revoke(key_id)
    record = directory.key(key_id)
    assert record is not None
    assert not record.works_at(now_ms(clock))


def test_a_memory_tells_of_a_revocation_within_a_minute(
    keys: ApiKeys, grant: Grant, store: Store, clock: FixedClock
) -> None:
    key_id = keys.issue(grant).key.id
    directory = CachingDirectory(StoredDirectory(store), clock)
    directory.key(key_id)
    keys.revoke(key_id)
    clock.instant += timedelta(seconds=CACHE_SECONDS)
    record = directory.key(key_id)
    assert record is not None
    assert not record.works_at(now_ms(clock))
    assert CACHE_SECONDS < 60


def test_a_memory_that_knows_the_stores_version_tells_of_a_revocation_at_once(
    keys: ApiKeys, grant: Grant, tmp_path: Path, clock: FixedClock
) -> None:
    """Also of one that another process makes."""
    here, elsewhere = (SqliteStore(tmp_path / "shared.db", clock=clock, cursor_secret=b"s" * 32) for _ in range(2))
    Tenants(elsewhere, clock).create("acme")
    key_id = ApiKeys(elsewhere, clock, random.Random(1).randbytes).issue(grant).key.id
    asked: list[str] = []

    class CountingDirectory(StoredDirectory):
        def key(self, key_id: str) -> KeyRecord | None:
            asked.append(key_id)
            return super().key(key_id)

    directory = CurrentDirectory(CountingDirectory(here), here.version)
    assert [directory.key(key_id) is not None for _ in range(3)] == [True] * 3
    assert asked == [key_id]
    ApiKeys(elsewhere, clock, random.Random(2).randbytes).revoke(key_id)
    record = directory.key(key_id)
    assert record is not None
    assert not record.works_at(now_ms(clock))
    here.close()
    elsewhere.close()


def test_a_memory_also_keeps_that_there_is_no_such_key(store: Store, clock: FixedClock, keys: ApiKeys) -> None:
    class Once(StoredDirectory):
        asked = 0

        def key(self, key_id: str) -> None:
            self.asked += 1

    once = Once(store)
    directory = CachingDirectory(once, clock)
    assert [directory.key("nobody") for _ in range(3)] == [None] * 3
    assert once.asked == 1


def test_a_memory_tells_of_another_tier_within_a_minute(tenants: Tenants, store: Store, clock: FixedClock) -> None:
    directory = CachingDirectory(StoredDirectory(store), clock)
    tenants.edit("acme", tier="trial")
    assert directory.tier("acme") == "trial"
    tenants.edit("acme", tier="premium")
    assert directory.tier("acme") == "trial"
    clock.instant += timedelta(seconds=CACHE_SECONDS)
    assert directory.tier("acme") == "premium"


@pytest.mark.parametrize(("project", "there"), [("moon", True), ("mars", False), ("a#b", False), ("", False)])
def test_projects_are_looked_up_in_their_tenant(keys: ApiKeys, store: Store, project: str, there: bool) -> None:
    assert (StoredDirectory(store).settings("acme", project) is not None) is there
    assert StoredDirectory(store).settings("other", project) is None
