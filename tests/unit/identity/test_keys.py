"""Keys in the store, from issue to revocation."""

from datetime import timedelta

import msgspec
import pytest

from almanac.identity.api_key import ApiKey
from almanac.identity.keys import ApiKeys
from almanac.identity.records import Grant, key_key
from almanac.identity.tenants import Tenants
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import Conflict, InvalidInput, NotFound
from almanac.kernel.instants import now_ms
from almanac.platform.store.port import Store


def test_the_store_never_holds_a_secret(keys: ApiKeys, grant: Grant, store: Store) -> None:
    issued = keys.issue(grant)
    item = store.get(key_key(issued.key.id))
    assert item is not None
    assert issued.key.secret not in str(item)
    assert item.attributes["digest"] == issued.key.digest


def test_an_issued_key_is_found_as_it_was_granted(keys: ApiKeys, grant: Grant) -> None:
    wide = msgspec.structs.replace(
        grant, families=("time", "calendar"), readonly=True, per_minute=7, default_timezone="Asia/Tokyo", label="laptop"
    )
    issued = keys.issue(wide)
    assert keys.find(issued.key.id) == issued.record
    assert issued.record.grant == wide


def test_a_key_chosen_by_its_owner_is_taken(keys: ApiKeys, grant: Grant) -> None:
    own = ApiKey("mykey", "x" * 40)
    assert keys.issue(grant, own).key == own


def test_two_keys_cannot_share_an_id(keys: ApiKeys, grant: Grant) -> None:
    keys.issue(grant, ApiKey("mykey", "x" * 40))
    with pytest.raises(Conflict):
        keys.issue(grant, ApiKey("mykey", "y" * 40))


@pytest.mark.parametrize(
    ("terms", "missing"), [({"tenant": "nobody"}, "tenant nobody"), ({"project": "mars"}, "project mars")]
)
def test_a_key_needs_an_existing_tenant_and_project(
    keys: ApiKeys, grant: Grant, terms: dict[str, str], missing: str
) -> None:
    with pytest.raises(NotFound, match=missing):
        keys.issue(msgspec.structs.replace(grant, **terms))


@pytest.mark.parametrize(
    "terms",
    [
        {"actor": "Ann Smith"},
        {"tenant": ""},
        {"project": "a/b"},
        {"families": ("Time!",)},
        {"week_start": "tuesday"},
        {"per_minute": 0},
        {"per_day": -1},
        {"expires_at": 1},
    ],
)
def test_terms_out_of_bounds_are_refused(keys: ApiKeys, grant: Grant, terms: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        keys.issue(msgspec.structs.replace(grant, **terms))


def test_a_tenants_keys_are_all_listed_and_no_others(keys: ApiKeys, grant: Grant, tenants: Tenants) -> None:
    tenants.create("other")
    keys.issue(msgspec.structs.replace(grant, tenant="other"))
    mine = {keys.issue(grant).key.id for _ in range(120)}
    listed = [record.id for record in keys.of_tenant("acme")]
    assert set(listed) == mine
    assert listed == sorted(listed)


def test_a_revoked_key_stops_working_at_once_and_stays_listed(keys: ApiKeys, grant: Grant, clock: FixedClock) -> None:
    key_id = keys.issue(grant).key.id
    assert not keys.revoke(key_id).works_at(now_ms(clock))
    assert [record.id for record in keys.of_tenant("acme")] == [key_id]


def test_revoking_again_keeps_the_first_instant(keys: ApiKeys, grant: Grant, clock: FixedClock) -> None:
    key_id = keys.issue(grant).key.id
    first = keys.revoke(key_id)
    clock.instant += timedelta(hours=1)
    assert keys.revoke(key_id) == first


def test_a_key_that_does_not_exist_cannot_be_revoked(keys: ApiKeys) -> None:
    with pytest.raises(NotFound):
        keys.revoke("nobody")


def test_a_rotated_key_works_until_the_overlap_ends_and_the_new_one_on(
    keys: ApiKeys, grant: Grant, clock: FixedClock
) -> None:
    old = keys.issue(grant)
    new = keys.rotate(old.key.id, overlap_seconds=60)
    assert new.record.grant == grant
    assert new.key.secret != old.key.secret
    clock.instant += timedelta(seconds=59)
    assert works(keys, old.key.id, clock)
    clock.instant += timedelta(seconds=1)
    assert not works(keys, old.key.id, clock)
    assert works(keys, new.key.id, clock)


def test_a_rotation_without_overlap_ends_the_old_key_at_once(keys: ApiKeys, grant: Grant, clock: FixedClock) -> None:
    old = keys.issue(grant)
    keys.rotate(old.key.id, overlap_seconds=0)
    assert not works(keys, old.key.id, clock)


def test_rotating_never_makes_a_key_live_longer(keys: ApiKeys, grant: Grant, clock: FixedClock) -> None:
    soon = now_ms(clock) + 1000
    old = keys.issue(msgspec.structs.replace(grant, expires_at=soon))
    keys.rotate(old.key.id, overlap_seconds=3600)
    record = keys.find(old.key.id)
    assert record is not None
    assert record.grant.expires_at == soon


def test_a_key_is_rotated_once(keys: ApiKeys, grant: Grant) -> None:
    old = keys.issue(grant)
    keys.rotate(old.key.id, overlap_seconds=60)
    with pytest.raises(Conflict):
        keys.rotate(old.key.id, overlap_seconds=60)


def test_a_revoked_key_is_not_rotated_back_to_life(keys: ApiKeys, grant: Grant) -> None:
    old = keys.issue(grant)
    keys.revoke(old.key.id)
    with pytest.raises(Conflict):
        keys.rotate(old.key.id, overlap_seconds=60)


def works(keys: ApiKeys, key_id: str, clock: FixedClock) -> bool:
    record = keys.find(key_id)
    assert record is not None
    return record.works_at(now_ms(clock))
