"""Storage limits of a tenant: judged from memory, counted from the file, and never wrong about a refusal."""

from pathlib import Path
from threading import Thread

import pytest
from msgspec.structs import replace

from almanac.composition.families import FAMILIES, declaration
from almanac.composition.laptop import with_large_values
from almanac.composition.storage import open_usage
from almanac.composition.storage_totals import DOCUMENT_TABLES
from almanac.identity.access.storage import COUNTED_AT_ONCE, RECOUNT_SECONDS, MeteredStore, StorageLimits
from almanac.identity.storage_limit import StorageFull, StorageLimit, bytes_text, stored_limit
from almanac.identity.tenants import Tenants
from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import FixedClock
from almanac.platform.store.conditions import Absent
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import Delete, Put, Store
from almanac.platform.store.records import Table
from almanac.platform.store.sqlite.store import SqliteStore
from almanac.platform.store.tenant_scan import Usage
from almanac.protocol.progress import NoProgress
from almanac.protocol.tool import Call, Effect, Tool
from tests.project_app import planner_app

ACME, OTHER = Scope("acme", "web"), Scope("other", "web")
SPARE = 400
"""Bytes of keys and of an item's names."""


class Time:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Tenancy:
    """One store with its limits, as a server has them."""

    def __init__(self, folder: Path, clock: FixedClock, tools: dict[str, Tool]) -> None:
        self.clock, self.tools, self.time = clock, tools, Time()
        small = SqliteStore(folder / "almanac.db", clock=clock, cursor_secret=bytes(32))
        self.values = with_large_values(small, folder / "blobs")
        self.usage = open_usage(folder / "almanac.db", clock)
        self.tenants = Tenants(self.values, clock)
        self.tenants.create("acme")
        self.limits, self.store = self.open_process()

    def open_process(self) -> tuple[StorageLimits, Store]:
        """Open the limits and the store as another process does."""
        limits = StorageLimits(self.usage, lambda tenant: stored_limit(self.values, tenant), DOCUMENT_TABLES, self.time)
        return limits, MeteredStore(self.values, limits.add_writes)

    def admits(self, tool: str = "notes_create", *, scope: Scope = ACME, **arguments: object) -> bool:
        try:
            self.limits.admit(self.tools[tool], Call(Caller(scope, "ann", "key"), self.clock, NoProgress()), arguments)
        except StorageFull:
            return False
        return True

    def put(self, number: int, size: int = 1000, scope: Scope = ACME, store: Store | None = None) -> None:
        key = Key(Partition.in_project(scope, "planner_notes"), sort_key(number))
        (store or self.store).write([Put(key, {"text": "x" * size}, Absent())])

    def delete(self, number: int) -> None:
        self.store.write([Delete(Key(Partition.in_project(ACME, "planner_notes"), sort_key(number)))])


@pytest.fixture
def tenancy(tmp_path: Path) -> Tenancy:
    app = planner_app(tmp_path)
    return Tenancy(tmp_path, app.clock, {tool.name: tool for family in app.families for tool in family.tools})


def test_without_settings_a_tenant_may_store_much(tenancy: Tenancy) -> None:
    assert stored_limit(tenancy.values, "acme") == StorageLimit(20_000_000_000, 5_000_000)
    assert tenancy.admits(body="x" * 100_000)


def test_documents_are_counted_to_the_last_one(tenancy: Tenancy) -> None:
    tenancy.tenants.edit("acme", max_documents=20)
    written = 0
    while tenancy.admits() and written < 100:
        tenancy.put(written)
        written += 1

    assert written == 20
    tenancy.delete(3)
    assert tenancy.admits()


def test_bytes_are_never_more_than_the_limit_and_a_twentieth(tenancy: Tenancy) -> None:
    tenancy.tenants.edit("acme", max_bytes=100_000)
    written = 0
    while tenancy.admits(body="x" * 1000) and written < 1000:
        tenancy.put(written)
        written += 1

    assert 85_000 < tenancy.usage.usage("acme").bytes <= 105_000


def test_what_is_replaced_counts_once_however_often(tenancy: Tenancy) -> None:
    tenancy.tenants.edit("acme", max_bytes=50_000)
    key = Key(Partition.in_project(ACME, "planner_notes"), sort_key(1))

    for _ in range(200):
        assert tenancy.admits(body="x" * 1000)
        tenancy.store.write([Put(key, {"text": "x" * 1000})])


def test_at_the_limit_reading_and_removing_go_on(tenancy: Tenancy) -> None:
    tenancy.put(1)
    tenancy.tenants.edit("acme", max_documents=1)

    assert tenancy.tools["kanban_update_card"].effect is Effect.REMOVES
    assert not tenancy.admits("notes_create")
    assert not tenancy.admits("notes_update", note_id="n", body="x")
    assert not tenancy.admits("kanban_update_card", card_id="c", description="x" * 5000)
    assert tenancy.admits("notes_search")
    assert tenancy.admits("notes_delete", note_id="n")
    assert tenancy.admits("calendar_delete_event", event_id="e")


def test_a_call_is_judged_with_all_that_it_brings(tenancy: Tenancy) -> None:
    tenancy.tenants.edit("acme", max_documents=10, max_bytes=100_000)

    assert tenancy.admits(
        "index_files" if "index_files" in tenancy.tools else "notes_create", files=[{"path": "a"}] * 10
    )
    assert not tenancy.admits("notes_create", files=[{"path": "a"}] * 11)
    assert not tenancy.admits("notes_create", body="x" * 100_001)


def test_the_refusal_says_what_to_delete_and_whom_to_ask(tenancy: Tenancy) -> None:
    tenancy.tenants.edit("acme", max_bytes=1_500_000)

    call = Call(Caller(ACME, "ann", "key"), tenancy.clock, NoProgress())

    with pytest.raises(StorageFull) as full:
        tenancy.limits.admit(tenancy.tools["notes_create"], call, {"body": "x" * 1_500_000})

    assert str(full.value).startswith("This tenant may store 1.5 MB, and this call would exceed that. Delete what is")
    assert "almanac tenants edit TENANT --max-storage" in str(full.value)
    assert (full.value.code, full.value.retryable) == ("storage_full", False)


def test_tenants_do_not_count_against_each_other(tenancy: Tenancy) -> None:
    tenancy.tenants.create("other")
    tenancy.tenants.edit("acme", max_documents=1)
    tenancy.put(1)

    assert not tenancy.admits()
    assert tenancy.admits(scope=OTHER)


def test_a_change_of_the_limit_holds_at_once(tenancy: Tenancy) -> None:
    tenancy.put(1)
    for limit, admitted in ((1, False), (2, True), (None, True), (1, False)):
        tenancy.tenants.edit("acme", max_documents=limit)
        assert tenancy.admits() is admitted


def test_large_values_count_with_their_size(tenancy: Tenancy) -> None:
    tenancy.put(1, size=700_000)

    assert 700_000 < tenancy.usage.usage("acme").bytes < 700_000 + SPARE
    tenancy.delete(1)
    assert tenancy.usage.usage("acme").documents == 0
    assert tenancy.usage.usage("acme").bytes < 1000


def test_what_other_processes_wrote_is_seen_when_it_is_counted_again(tenancy: Tenancy) -> None:
    tenancy.tenants.edit("acme", max_documents=5)
    assert tenancy.admits()
    tenancy.limits.recount()
    for number in range(5):
        tenancy.put(number, store=tenancy.values)
    tenancy.put(5)

    tenancy.time.now = RECOUNT_SECONDS
    tenancy.limits.recount()

    assert not tenancy.admits()


def test_a_restart_counts_before_a_minute_is_over(tenancy: Tenancy) -> None:
    tenancy.put(1)
    tenancy.tenants.edit("acme", max_documents=1)
    tenancy.limits, tenancy.store = tenancy.open_process()

    tenancy.admits()
    assert tenancy.limits.count_requested.is_set()
    tenancy.limits.recount()

    assert not tenancy.limits.count_requested.is_set()
    assert not tenancy.admits()


class Large:
    """A tenant that takes long to count."""

    counts = 0
    stored = Usage(COUNTED_AT_ONCE + 1, 1)

    def usage(self, tenant: str) -> Usage:
        self.counts += 1
        return self.stored

    def version(self) -> object:
        return self.counts


def test_a_large_tenant_is_counted_behind_its_calls(tenancy: Tenancy) -> None:
    counter, limit = Large(), StorageLimit(COUNTED_AT_ONCE + 2000)
    tenancy.limits = StorageLimits(counter, lambda _: limit, DOCUMENT_TABLES, tenancy.time)
    tenancy.admits()
    tenancy.limits.recount()
    assert counter.counts == 1

    assert tenancy.admits(body="x")
    assert not tenancy.admits(body="x" * 3000)
    assert counter.counts == 1
    assert tenancy.limits.count_requested.is_set()

    counter.stored = replace(counter.stored, bytes=1)
    tenancy.limits.recount()
    assert counter.counts == 2
    assert tenancy.admits(body="x" * 1000)


def test_calls_at_once_do_not_lose_what_was_written(tenancy: Tenancy) -> None:
    def write(first: int) -> None:
        for number in range(first, first + 20):
            tenancy.put(number)

    threads = [Thread(target=write, args=(100 * each,)) for each in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    tenancy.tenants.edit("acme", max_documents=80)
    assert not tenancy.admits()
    tenancy.tenants.edit("acme", max_documents=81)
    assert tenancy.admits()


def test_what_counts_as_a_document_is_stored_by_some_family() -> None:
    tables = {
        table.own.name
        for name in FAMILIES
        for module in declaration(name).records()
        for table in vars(module).values()
        if isinstance(table, Table)
    }

    assert tables >= DOCUMENT_TABLES


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 bytes"), (999, "999 bytes"), (1000, "1 kB"), (1_540_000, "1.5 MB"), (20_000_000_000, "20 GB")],
)
def test_sizes_are_written_for_people(size: int, text: str) -> None:
    assert bytes_text(size) == text
