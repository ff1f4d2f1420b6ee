"""Test storage limits where no process sees all writes. Writes are added up, and exact counts decide."""

import os
from collections.abc import Callable
from datetime import timedelta

import pytest

from almanac.composition.aws import aws_hub
from almanac.composition.families import families_for_docs
from almanac.composition.storage_totals import DOCUMENT_TABLES, open_meter
from almanac.gateway.events.meter_door import meter_handler
from almanac.identity.access.directory import CachingDirectory, StoredDirectory
from almanac.identity.access.gatekeeper import Gatekeeper
from almanac.identity.access.principal import Principal
from almanac.identity.access.principal_fields import from_context, to_context
from almanac.identity.access.storage_total import JOB, PART_SECONDS, StorageCount
from almanac.identity.keys import ApiKeys
from almanac.identity.records import Grant, tenant_key
from almanac.identity.storage_limit import (
    StorageFull,
    admit_unless_full,
    full_limit,
    stored_limit,
    total_in,
    total_key,
)
from almanac.identity.tenants import Tenants
from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import FixedClock
from almanac.platform.due.records import DUE
from almanac.platform.services import Services
from almanac.platform.store.dynamodb.items import Image, put_image
from almanac.platform.store.dynamodb.partition_registry import RegisteringStore, registered_partitions
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import Change, Delete, Put, Store, Update
from almanac.protocol.progress import NoProgress
from almanac.protocol.tool import Call
from tests.contract.backends import Place
from tests.unit.gateway.events import call_message, rest_event

NOTE = 1000


class TickingClock:
    """A clock in seconds that moves on at every look."""

    def __init__(self, step: float) -> None:
        self._now, self._step = 0.0, step

    def __call__(self) -> float:
        self._now += self._step
        return self._now


class World:
    """A tenant whose writes reach the meter in batches. A job counts it when it is due."""

    def __init__(self, store: Store, clock: FixedClock, tenant: str) -> None:
        self.store, self.clock, self.tenant = RegisteringStore(store, clock), clock, tenant
        self.web = Scope(tenant, "web")
        Tenants(self.store, clock).create(tenant, project="web")
        self.handle = meter_handler(lambda: open_meter(self.store, clock), DOCUMENT_TABLES)
        self.told: list[dict[str, object]] = []
        self.counts = 0

    def note(self, number: int, size: int = NOTE) -> None:
        put = Put(Key(Partition.in_project(self.web, "planner_notes"), sort_key(number)), {"text": "x" * size})
        is_new = self.store.get(put.key) is None
        self._write(put, "INSERT" if is_new else "MODIFY", put_image(put, put.attributes))

    def delete(self, number: int) -> None:
        key = Key(Partition.in_project(self.web, "planner_notes"), sort_key(number))
        self._write(Delete(key), "REMOVE", None)

    def _write(self, change: Change, kind: str, image: Image | None) -> None:
        self.store.write([change])
        keys = {"PK": {"S": change.key.partition.text}, "SK": {"S": change.key.sort}}
        size = len(str(keys)) + len(str(image or ""))
        new = {} if image is None else {"NewImage": image}
        self.told.append({"eventName": kind, "dynamodb": {"Keys": keys, "SizeBytes": size, **new}})

    def pass_a_minute(self) -> None:
        """The stream is read, and the jobs that are due run."""
        self.clock.instant += timedelta(minutes=1)
        if self.told:
            self.handle({"Records": self.told}, None)
            self.told = []
        rows = DUE.within(self.store, self.web.shared)
        for due in [each for each in rows.query(JOB).records if each.at <= self.clock.instant.timestamp() * 1000]:
            self.store.write([rows.delete(due.job, due.at)])
            self.count()
            self.counts += 1

    def job(self, monotonic: Callable[[], float] = lambda: 0.0) -> StorageCount:
        return StorageCount(lambda: self.store, self.clock, registered_partitions, DOCUMENT_TABLES, monotonic)

    def count(self) -> None:
        self.job().run(Services({}), self.web.shared)

    @property
    def is_full(self) -> bool:
        place = CachingDirectory(StoredDirectory(self.store), self.clock).settings(self.tenant, "web")
        assert place is not None
        return bool(place.storage_full)

    @property
    def stored_bytes(self) -> int:
        """Bytes, exactly."""
        return total_in(self.store.get(total_key(self.tenant))).bytes


@pytest.fixture
def world(place: Place, clock: FixedClock, scope: Scope) -> World:
    return World(place.open(clock), clock, scope.tenant)


def test_a_tenant_nobody_counted_is_not_full(world: World) -> None:
    Tenants(world.store, world.clock).edit(world.tenant, max_documents=1)
    world.note(1)

    assert not world.is_full


def test_a_growing_tenant_is_refused_at_its_limit_and_less_than_five_percent_above(world: World) -> None:
    Tenants(world.store, world.clock).edit(world.tenant, max_bytes=200_000)
    written = 0
    while not world.is_full and written < 400:
        for _ in range(2):
            world.note(written)
            written += 1
        world.pass_a_minute()

    assert world.is_full
    assert 200_000 <= world.stored_bytes <= 210_000
    assert world.counts < 15


def test_documents_are_limited_too(world: World) -> None:
    Tenants(world.store, world.clock).edit(world.tenant, max_documents=100)
    written = 0
    while not world.is_full and written < 200:
        world.note(written, size=10)
        written += 1
        world.pass_a_minute()

    assert 100 <= written <= 105


def test_who_writes_the_same_again_is_never_full_and_counted_seldom(world: World) -> None:
    Tenants(world.store, world.clock).edit(world.tenant, max_bytes=100_000)
    for number in range(50):
        world.note(number)
    for round_ in range(24):
        for number in range(5):
            world.note(number, size=NOTE + round_ % 2)
        world.pass_a_minute()
        assert not world.is_full

    assert 1 < world.counts < 12


def test_a_full_tenant_that_deletes_may_write_again(world: World) -> None:
    Tenants(world.store, world.clock).edit(world.tenant, max_documents=10)
    for number in range(10):
        world.note(number)
    world.pass_a_minute()
    assert world.is_full

    world.delete(3)
    for _ in range(12):
        world.pass_a_minute()

    assert not world.is_full


def test_a_full_tenant_in_which_nothing_changes_is_not_counted_again(world: World) -> None:
    Tenants(world.store, world.clock).edit(world.tenant, max_documents=1)
    world.note(1)
    for _ in range(15):
        world.pass_a_minute()

    assert world.is_full
    assert world.counts == 1


def test_a_higher_limit_holds_without_a_count(world: World) -> None:
    tenants = Tenants(world.store, world.clock)
    tenants.edit(world.tenant, max_documents=1)
    world.note(1)
    world.pass_a_minute()
    assert world.is_full

    tenants.edit(world.tenant, max_documents=2)

    assert not world.is_full


def test_a_lower_limit_is_judged_by_the_next_count(world: World) -> None:
    for number in range(20):
        world.note(number)
    world.pass_a_minute()
    for number in range(20, 30):
        world.note(number)
    Tenants(world.store, world.clock).edit(world.tenant, max_documents=25)
    world.note(30)
    world.pass_a_minute()

    assert world.is_full


def test_a_count_that_is_stopped_goes_on_where_it_was(world: World) -> None:
    for number in range(30):
        world.note(number, size=5000)
    for number in range(4):
        put = Put(Key(Partition.in_project(world.web, "turns", f"s{number}"), "t"), {"text": "y" * 2000})
        world.store.write([put])
    world.count()
    whole = total_in(world.store.get(total_key(world.tenant)))
    world.store.write([Delete(total_key(world.tenant))])

    runs = 0
    job = world.job(TickingClock(PART_SECONDS / 2))
    while runs == 0 or job.next_due(Services({}), world.web.shared) is not None:
        job.run(Services({}), world.web.shared)
        runs += 1

    parts = total_in(world.store.get(total_key(world.tenant)))
    assert runs > 3
    assert (parts.bytes, parts.documents) == (whole.bytes, whole.documents)
    assert whole.documents == 30 + 4 * ("turns" in DOCUMENT_TABLES)


def test_what_is_written_while_a_tenant_is_counted_is_not_forgotten(world: World) -> None:
    world.note(1)
    world.pass_a_minute()
    job = world.job(TickingClock(PART_SECONDS))
    world.store.write([Delete(total_key(world.tenant))])
    job.run(Services({}), world.web.shared)
    world.note(2, size=7000)
    world.pass_a_minute()
    while job.next_due(Services({}), world.web.shared) is not None:
        world.count()

    assert total_in(world.store.get(total_key(world.tenant))).written >= 7000


def test_the_count_itself_asks_for_no_other_count(world: World) -> None:
    world.note(1)
    world.pass_a_minute()
    partition = Partition.in_project(world.web.shared, "due")
    keys = {"PK": {"S": partition.text}, "SK": {"S": "x"}}
    before = total_in(world.store.get(total_key(world.tenant)))

    world.handle({"Records": [{"eventName": "REMOVE", "dynamodb": {"Keys": keys, "SizeBytes": 50}}]}, None)

    assert total_in(world.store.get(total_key(world.tenant))) == before


def test_of_a_tenant_that_is_deleted_nothing_is_written_again(world: World) -> None:
    world.note(1)
    for gone in (Update(tenant_key(world.tenant), set={"deleting_at": 1}), Delete(tenant_key(world.tenant))):
        world.store.write([gone])
        world.delete(1)
        world.pass_a_minute()

        assert world.store.get(total_key(world.tenant)) is None
        assert not DUE.within(world.store, world.web.shared).query().records


def test_a_large_value_counts_with_its_size(world: World) -> None:
    key = Key(Partition.in_project(world.web, "skills"), "s")
    put = Put(key, {"body": {"$blob": "0f", "bytes": 700_000}})
    world.store.write([put])
    keys = {"PK": {"S": key.partition.text}, "SK": {"S": key.sort}}
    change = {"Keys": keys, "SizeBytes": 90, "NewImage": put_image(put, put.attributes)}
    world.handle({"Records": [{"eventName": "INSERT", "dynamodb": change}]}, None)
    assert total_in(world.store.get(total_key(world.tenant))).written == 700_090

    world.count()

    assert 700_000 < world.stored_bytes < 702_000


def test_the_limit_of_a_full_tenant_is_named(world: World) -> None:
    Tenants(world.store, world.clock).edit(world.tenant, max_documents=1)
    world.note(1)
    world.count()

    total = total_in(world.store.get(total_key(world.tenant)))
    assert full_limit(total, stored_limit(world.store, world.tenant)) == "1 documents"


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Callable[[Caller, str], str]:
    """The hub's function as it answers a call of a tool, with no table that it could open."""
    monkeypatch.setenv("ALMANAC_TABLE", "none")
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    handler = aws_hub()

    def answer(caller: Caller, call: str) -> str:
        return str(handler(rest_event(call, Principal(caller)), None)["body"])

    return answer


def test_a_full_tenant_is_refused_before_the_tool_begins_and_may_read_and_delete(
    world: World, hub: Callable[[Caller, str], str]
) -> None:
    Tenants(world.store, world.clock).edit(world.tenant, max_documents=1)
    world.note(1)
    world.count()
    key = ApiKeys(world.store, world.clock, os.urandom).issue(Grant(tenant=world.tenant, project="web", actor="ann"))
    gatekeeper = Gatekeeper(CachingDirectory(StoredDirectory(world.store), world.clock), world.store, world.clock)

    principal = gatekeeper.judge({"x-api-key": key.key.text}, "/mcp", "192.0.2.1")

    assert isinstance(principal, Principal)
    carried = from_context(to_context(principal))
    assert carried is not None
    answer = hub(carried.caller, call_message("notes_create", title="t", body="b"))
    assert "This tenant may store 1 documents, and this call would exceed that." in answer
    tools = {tool.name: tool for family in families_for_docs() for tool in family.tools}
    call = Call(carried.caller, world.clock, NoProgress())
    admit_unless_full(tools["notes_search"], call, {"q": "x"})
    admit_unless_full(tools["notes_delete"], call, {"noteId": "n"})
    with pytest.raises(StorageFull, match="--max-documents"):
        admit_unless_full(tools["kanban_update_card"], call, {"cardId": "c", "description": "x" * 5000})
