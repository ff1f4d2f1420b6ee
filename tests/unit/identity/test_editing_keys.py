"""Keys that are edited while they are used, and by several at once."""

import os
import threading
from collections.abc import Sequence
from datetime import timedelta

import msgspec
import pytest

from almanac.identity.audit import Clerk, audit_page
from almanac.identity.keys import ApiKeys
from almanac.identity.records import Grant
from almanac.identity.tenants import Tenants
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import Conflict, InvalidInput, NotFound
from almanac.kernel.instants import now_ms
from almanac.platform.store.contention import Backoff
from almanac.platform.store.port import Change, ConditionFailed, Store
from almanac.platform.store.wrapper import StoreWrapper


def test_an_edit_changes_what_it_names_and_nothing_else(keys: ApiKeys, grant: Grant) -> None:
    issued = keys.issue(msgspec.structs.replace(grant, per_day=9, label="laptop"))
    edited = keys.edit(issued.key.id, default_timezone="Asia/Tokyo", readonly=True)
    expected = msgspec.structs.replace(issued.record.grant, default_timezone="Asia/Tokyo", readonly=True)
    assert edited.grant == expected
    assert keys.find(issued.key.id) == edited
    assert issued.key.opens(edited.digest)


@pytest.mark.parametrize(
    "terms",
    [
        {"default_timezone": "Nowhere/At_All"},
        {"week_start": "friday"},
        {"per_minute": 0},
        {"families": ("Time!",)},
        {"expires_at": 1},
        {"label": "x" * 201},
        {"label": "two\nlines"},
    ],
)
def test_an_edit_out_of_bounds_changes_nothing(keys: ApiKeys, grant: Grant, terms: dict[str, object]) -> None:
    issued = keys.issue(grant)
    with pytest.raises(InvalidInput):
        keys.edit(issued.key.id, **terms)
    assert keys.find(issued.key.id) == issued.record


def test_a_revoked_key_is_not_brought_back(keys: ApiKeys, grant: Grant) -> None:
    key_id = keys.issue(grant).key.id
    keys.revoke(key_id)
    with pytest.raises(Conflict):
        keys.edit(key_id, readonly=False)
    with pytest.raises(NotFound):
        keys.edit("nobody", readonly=False)


def test_an_expired_key_works_again_with_a_later_end(keys: ApiKeys, grant: Grant, clock: FixedClock) -> None:
    soon = now_ms(clock) + 1000
    key_id = keys.issue(msgspec.structs.replace(grant, expires_at=soon)).key.id
    clock.instant += timedelta(seconds=2)
    assert keys.edit(key_id, expires_at=None).works_at(now_ms(clock))


def test_edits_at_the_same_time_all_hold(store: Store, clock: FixedClock, tenants: Tenants, grant: Grant) -> None:
    key_id = ApiKeys(store, clock, bytes).issue(grant).key.id
    edits: list[dict[str, object]] = [
        {"label": "laptop"},
        {"readonly": True},
        {"default_timezone": "Asia/Tokyo"},
        {"per_minute": 5},
        {"per_day": 50},
        {"week_start": "sunday"},
    ]
    together = threading.Barrier(len(edits))

    def edit(terms: dict[str, object]) -> None:
        together.wait()
        ApiKeys(store, clock, bytes).edit(key_id, **terms)

    threads = [threading.Thread(target=edit, args=(terms,)) for terms in edits]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    record = ApiKeys(store, clock, bytes).find(key_id)
    assert record is not None
    wanted: dict[str, object] = {name: value for terms in edits for name, value in terms.items()}
    assert record.grant == msgspec.structs.replace(grant, **wanted)
    assert record.version == len(edits)


def test_a_revocation_is_not_undone_by_an_edit_that_began_before(
    store: Store, clock: FixedClock, tenants: Tenants, grant: Grant
) -> None:
    keys = ApiKeys(store, clock, bytes)
    key_id = keys.issue(grant).key.id

    class Late(ApiKeys):
        """Keys of which another operator revokes one between reading and writing."""

        def find(self, key_id: str):
            found = super().find(key_id)
            keys.revoke(key_id)
            return found

    with pytest.raises(Conflict):
        Late(store, clock, bytes).edit(key_id, readonly=False)
    record = keys.find(key_id)
    assert record is not None
    assert record.revoked_at is not None


def test_what_is_done_to_keys_projects_and_tenants_is_in_the_trail(store: Store, clock: FixedClock) -> None:
    numbers = iter(range(1, 200))
    clerk = Clerk(store, clock, lambda count: bytes([next(numbers)]) * count, "cli:ann")
    tenants = Tenants(store, clock, clerk)
    keys = ApiKeys(store, clock, lambda count: bytes([next(numbers)]) * count, clerk)

    def step() -> None:
        clock.instant += timedelta(seconds=1)

    tenants.create("birch")
    step()
    tenants.create_project("birch", "moon")
    step()
    key_id = keys.issue(Grant(tenant="birch", project="moon", actor="ann@example.org")).key.id
    step()
    keys.edit(key_id, readonly=True)
    step()
    tenants.edit("birch", per_minute=5)
    step()
    tenants.edit_project("birch", "moon", name="Moon")
    step()
    other = keys.rotate(key_id, 60).key.id
    step()
    keys.revoke(other)
    entries = audit_page(store, "birch", limit=50).entries
    assert [(entry.tool, entry.project, entry.subject) for entry in reversed(entries)] == [
        ("tenants create", "default", None),
        ("projects create", "moon", None),
        ("keys issue", "moon", key_id),
        ("keys edit", "moon", key_id),
        ("tenants edit", "", None),
        ("projects edit", "moon", None),
        ("keys rotate", "moon", key_id),
        ("keys revoke", "moon", other),
    ]
    assert {(entry.actor, entry.outcome) for entry in entries} == {("cli:ann", "done")}


def test_an_edit_that_is_refused_leaves_no_entry(store: Store, clock: FixedClock, tenants: Tenants) -> None:
    clerk = Clerk(store, clock, bytes, "cli:ann")
    with pytest.raises(NotFound):
        Tenants(store, clock, clerk).edit("nobody", per_day=1)
    assert audit_page(store, "nobody", limit=50).entries == []


@pytest.mark.parametrize(
    "actor",
    ["ann@example.org", "Ann.Lee+work@Example.ORG", "CI", "o'neil@example.org", "a" * 254, "svc/build@host", "_bot"],
)
def test_actors_may_be_e_mail_addresses_with_capitals(keys: ApiKeys, grant: Grant, actor: str) -> None:
    issued = keys.issue(msgspec.structs.replace(grant, actor=actor))
    assert issued.record.grant.actor == actor


@pytest.mark.parametrize("actor", ["", "Ann Smith", "a" * 255, "ann,bob", "a\nb", "@example.org", "é@x.org", "<b>"])
def test_what_cannot_be_an_actor_is_refused(keys: ApiKeys, grant: Grant, actor: str) -> None:
    with pytest.raises(InvalidInput, match="actor"):
        keys.issue(msgspec.structs.replace(grant, actor=actor))


class ContendedStore(StoreWrapper):
    """A store in which another writer is first at the next `left` writes."""

    left = 0

    def write(self, changes: Sequence[Change]) -> None:
        if self.left:
            self.left -= 1
            raise ConditionFailed(0, None)
        super().write(changes)


@pytest.mark.parametrize(("others", "is_made"), [(19, True), (20, True), (21, False)])
def test_an_edit_is_tried_twenty_more_times_after_others_were_first_each_time_after_a_pause(
    store: Store, clock: FixedClock, keys: ApiKeys, grant: Grant, others: int, is_made: bool
) -> None:
    key_id = keys.issue(grant).key.id
    contended, pauses = ContendedStore(store), list[float]()
    contended.left = others
    backoff = Backoff(sleep=pauses.append, random=lambda: 1.0, attempts=20)
    contested = ApiKeys(contended, clock, os.urandom, backoff=backoff)

    if is_made:
        assert contested.edit(key_id, per_day=7).grant.per_day == 7
    else:
        with pytest.raises(Conflict, match=f"The key {key_id} is being changed by many calls at once"):
            contested.edit(key_id, per_day=7)
        found = keys.find(key_id)
        assert found is not None
        assert found.grant.per_day is None

    assert len(pauses) == min(others, 20)
    assert pauses == sorted(pauses)
