"""Looking up keys, with and without a memory."""

from datetime import timedelta

import pytest

from almanac.identity.access.directory import REMEMBERED_SECONDS, RememberingDirectory, StoredDirectory
from almanac.identity.keys import ApiKeys
from almanac.identity.records import Grant
from almanac.identity.tenants import Tenants
from almanac.kernel.clock import FixedClock
from almanac.kernel.instants import now_ms
from almanac.platform.store.port import Store


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
    directory = RememberingDirectory(StoredDirectory(store), clock)
    directory.key(key_id)
    keys.revoke(key_id)
    clock.instant += timedelta(seconds=REMEMBERED_SECONDS)
    record = directory.key(key_id)
    assert record is not None
    assert not record.works_at(now_ms(clock))
    assert REMEMBERED_SECONDS < 60


def test_a_memory_also_keeps_that_there_is_no_such_key(store: Store, clock: FixedClock, keys: ApiKeys) -> None:
    class Once(StoredDirectory):
        asked = 0

        def key(self, key_id: str) -> None:
            self.asked += 1

    once = Once(store)
    directory = RememberingDirectory(once, clock)
    assert [directory.key("nobody") for _ in range(3)] == [None] * 3
    assert once.asked == 1


def test_a_memory_tells_of_another_tier_within_a_minute(tenants: Tenants, store: Store, clock: FixedClock) -> None:
    directory = RememberingDirectory(StoredDirectory(store), clock)
    tenants.move_to_tier("acme", "trial")
    assert directory.tier("acme") == "trial"
    tenants.move_to_tier("acme", "premium")
    assert directory.tier("acme") == "trial"
    clock.instant += timedelta(seconds=REMEMBERED_SECONDS)
    assert directory.tier("acme") == "premium"


@pytest.mark.parametrize(("project", "there"), [("moon", True), ("mars", False), ("a#b", False), ("", False)])
def test_projects_are_looked_up_in_their_tenant(keys: ApiKeys, store: Store, project: str, there: bool) -> None:
    assert (StoredDirectory(store).place("acme", project) is not None) is there
    assert StoredDirectory(store).place("other", project) is None
