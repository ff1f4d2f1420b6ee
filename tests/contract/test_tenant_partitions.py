"""Export and deletion read the partitions of their tenant, in a table of many; counted in read units."""

# pynamodb's connection carries no types of its answers.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

import os
import random
import time
from datetime import timedelta
from io import BytesIO
from itertools import count
from typing import Any

import pytest

from almanac.identity.audit import Clerk
from almanac.identity.tenants import Tenants
from almanac.identity.transfer.deletion import ProjectDeletion, TenantDeletion
from almanac.identity.transfer.tenant_export import TenantExport
from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from almanac.kernel.events import new_event
from almanac.kernel.instants import now_ms
from almanac.platform.bus.outbox import outbox
from almanac.platform.store.dynamodb.items import table_definition
from almanac.platform.store.dynamodb.partition_registry import REMEMBERED_MS, WHOLE, RegisteringStore
from almanac.platform.store.dynamodb.scan import DynamoTenantScan
from almanac.platform.store.dynamodb.store import DynamoStore
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import Change, Put
from almanac.platform.store.queries import every_item
from almanac.platform.store.retries import Retries
from almanac.platform.store.tenant_scan import registry_of
from tests.contract.backends import SECRET, connected, table_client

_tables = count(1)


class Metered:
    """A connection that adds up read and write units, and stops where it is told to."""

    def __init__(self, address: str) -> None:
        self._connection = connected(address)
        self.read = self.written = 0.0
        self.scans = self.scans_allowed = 0

    def dispatch(self, operation: str, arguments: dict[str, Any]) -> dict[str, Any]:
        if operation == "Scan":
            self.scans += 1
            if self.scans == self.scans_allowed:
                raise KeyboardInterrupt
            arguments = {**arguments, "Limit": 7}
        answer = self._connection.dispatch(operation, {**arguments, "ReturnConsumedCapacity": "TOTAL"})
        said = answer.get("ConsumedCapacity", [])
        units = sum(each["CapacityUnits"] for each in (said if isinstance(said, list) else [said]))
        if operation in ("PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems"):
            self.written += units
        else:
            self.read += units
        return answer


class World:
    """A table of its own, by the stand-in that counts as DynamoDB does."""

    def __init__(self, address: str, clock: FixedClock) -> None:
        self.table, self.clock, self.meter = f"partitions-{next(_tables)}", clock, Metered(address)
        table_client(address).create_table(**table_definition(self.table))
        self.bare, self.scan = self._opened(self.meter), self._scan(self.meter)
        self.store = self.another()

    def another(self) -> RegisteringStore:
        """The store as another process opens it."""
        return RegisteringStore(self.bare, self.clock)

    def _opened(self, connection: Any) -> DynamoStore:
        retries = Retries(sleep=time.sleep, random=random.random, monotonic=time.monotonic)
        return DynamoStore(
            self.table,
            connection=connection,
            clock=self.clock,
            cursor_secret=SECRET,
            random_bytes=os.urandom,
            retries=retries,
        )

    def _scan(self, connection: Any) -> DynamoTenantScan:
        retries = Retries(sleep=time.sleep, random=random.random, monotonic=time.monotonic)
        return DynamoTenantScan(self.table, connection=connection, clock=self.clock, retries=retries)

    def settle(self, tenant: str, store: Any = None) -> None:
        """Make a tenant with a collection, a partition for each of two sessions, an event and an audit entry."""
        into = store or self.store
        Tenants(into, self.clock).create(tenant, project="web")
        web = Scope(tenant, "web")
        into.write(self.rows(web))

    def rows(self, web: Scope) -> list[Change]:
        at = now_ms(self.clock)
        told = new_event("claim_acquired", web, key="x#" * 200, actor="ann", at=at, random_bytes=os.urandom)
        return [
            Put(Key(Partition.in_project(web, "turns"), sort_key(1)), {"text": "x" * 2000}),
            *(Put(Key(Partition.in_project(web, "windows", one), "w"), {"text": "y" * 900}) for one in ("s 1", "s2")),
            Put(Key(Partition.in_tenant(web, "audit"), "entry"), {"who": "ann"}),
            Put(Key(Partition.in_project(web, "done", "e1"), "m"), {}, expires_at=now_ms(self.clock) + 1000),
            *outbox([told]),
        ]

    def export(self, tenant: str) -> bytes:
        file = BytesIO()
        TenantExport(self.bare, self.scan, None, self.clock).write(
            tenant, file, with_keys=True, progress=lambda _: None
        )
        return file.getvalue()

    def delete(self, tenant: str) -> int:
        clerk = Clerk(self.store, self.clock, os.urandom, "ann")
        return TenantDeletion(self.store, self.scan, None, self.clock, clerk, tenant).run(lambda _: None, lambda: None)

    def left(self, name: str) -> list[dict[str, Any]]:
        """Every item that names the tenant in its key, by reading the whole table."""
        table = self.meter._connection.dispatch("Scan", {"TableName": self.table})  # pyright: ignore[reportPrivateUsage]
        assert "LastEvaluatedKey" not in table
        return [each for each in table["Items"] if name in f"{each['PK']['S']}#{each['SK']['S']}".split("#")]


@pytest.fixture
def world(dynoxide_address: str, clock: FixedClock) -> World:
    return World(dynoxide_address, clock)


def test_export_and_deletion_of_one_tenant_cost_the_same_among_two_hundred(world: World):
    world.settle("mine")
    world.meter.read = 0
    alone = world.export("mine")
    cost_alone = world.meter.read
    for start in range(0, 199, 10):
        others = [f"other-{number}" for number in range(start, min(start + 10, 199))]
        # By a store that registers nothing: their names are of no concern here.
        world.bare.write([row for other in others for row in world.rows(Scope(other, "web"))])

    world.meter.read = 0
    among = world.export("mine")
    cost_among = world.meter.read
    world.meter.read = 0
    gone = world.delete("mine")

    assert len(among.splitlines()) == len(alone.splitlines()) == 9
    assert cost_among == cost_alone < 40
    assert gone == 7
    assert world.meter.read < 3 * 40
    assert world.meter.scans == 0
    # That it was deleted is kept.
    assert [each["PK"]["S"] for each in world.left("mine")] == ["S#audit#mine"]


def test_a_write_to_partitions_that_are_known_costs_nothing_more(world: World):
    world.settle("mine")
    turns = Partition.in_project(Scope("mine", "web"), "turns")
    world.meter.read = world.meter.written = 0

    world.store.write([Put(Key(turns, sort_key(2)), {"text": "x"})])

    assert (world.meter.read, world.meter.written) == (0, 1)
    # Another process reads two rows, and writes none.
    world.another().write([Put(Key(turns, sort_key(3)), {"text": "x"})])
    assert (world.meter.read, world.meter.written) == (2, 2)


def test_a_tenant_made_again_under_its_name_is_registered_again(world: World):
    world.settle("mine")
    world.delete("mine")
    world.clock.instant += timedelta(milliseconds=REMEMBERED_MS)

    world.settle("mine")

    assert len(list(world.scan.items("mine"))) == 7


def test_a_deleted_project_leaves_no_name_of_its_partitions(world: World):
    world.settle("mine")
    Tenants(world.store, world.clock).create_project("mine", "moon")
    moon = Partition.in_project(Scope("mine", "moon"), "windows", "s1")
    world.store.write([Put(Key(moon, "w"), {})])
    clerk = Clerk(world.store, world.clock, os.urandom, "ann")

    deletion = ProjectDeletion(world.store, world.scan, None, world.clock, clerk, "mine", "moon")
    deletion.run(lambda _: None, lambda: None)

    texts = {str(row.attributes["partition"]) for row in every_item(world.bare, registry_of("mine"), page=100)}
    assert {text.split("#")[2] for text in texts} == {"web"}


def test_what_was_written_before_there_was_a_registry_is_read_whole_once(world: World):
    for tenant in ("mine", "other"):
        world.settle(tenant, world.bare)
    world.meter.scans_allowed = 3
    with pytest.raises(KeyboardInterrupt):
        world.export("mine")
    world.meter.scans_allowed = 0

    assert len(world.export("mine").splitlines()) == 9
    reads = world.meter.scans
    assert len(world.export("other").splitlines()) == 9
    assert world.meter.scans == reads
    world.delete("mine")
    assert [each["PK"]["S"] for each in world.left("mine")] == ["S#audit#mine"]
    assert world.bare.get(WHOLE) is not None


def test_a_name_that_ends_with_its_items_is_kept_once_something_stays(world: World):
    world.settle("mine", world.bare)
    assert len(list(world.scan.items("mine"))) == 7
    done = Partition.in_project(Scope("mine", "web"), "done", "e1")

    world.store.write([Put(Key(done, "stays"), {})])
    world.clock.instant += timedelta(seconds=2)

    assert Key(done, "stays") in [item.key for item in world.scan.items("mine")]
