"""A DynamoDB table at the stand-in that counts units as DynamoDB does."""

# pynamodb's connection carries no types of its answers.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

import os
import random
import time
from collections.abc import Iterator
from io import BytesIO
from itertools import count
from typing import Any

from almanac.identity.audit import Clerk
from almanac.identity.tenants import Tenants
from almanac.identity.transfer.deletion import TenantDeletion
from almanac.identity.transfer.tenant_export import TenantExport
from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from almanac.kernel.events import new_event
from almanac.kernel.instants import now_ms
from almanac.platform.bus.outbox import outbox
from almanac.platform.store.dynamodb.partition_registry import RegisteringStore
from almanac.platform.store.dynamodb.scan import DynamoTenantScan
from almanac.platform.store.dynamodb.store import DynamoStore
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import Change, Put
from almanac.platform.store.retries import Retries
from tests.contract.backends import SECRET, connection_to, create_table, table_client

_tables = count(1)


class MeteredConnection:
    """A connection that adds up read and write units, and can stop before a request."""

    def __init__(self, address: str) -> None:
        self._connection = connection_to(address)
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


class MeteredTable:
    """A table with two stores: `bare` has no registry of partitions, `store` is the one that functions use."""

    def __init__(self, address: str, clock: FixedClock) -> None:
        self.table, self.clock, self.meter = f"partitions-{next(_tables)}", clock, MeteredConnection(address)
        self._uncounted = connection_to(address)
        create_table(table_client(address), self.table, streamed=False)
        self.bare, self.scan = self._open_store(self.meter), self._scan(self.meter)
        self.store = self.another()

    def another(self) -> RegisteringStore:
        """The store as another process opens it."""
        return RegisteringStore(self.bare, self.clock)

    def _open_store(self, connection: Any) -> DynamoStore:
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

    def items_of_tenant(self, name: str) -> list[dict[str, Any]]:
        """Every item that names the tenant in its key, by reading the whole table."""
        return [each for each in self.all_items() if name in f"{each['PK']['S']}#{each['SK']['S']}".split("#")]

    def all_items(self) -> Iterator[dict[str, Any]]:
        """Every item, uncounted."""
        arguments: dict[str, Any] = {"TableName": self.table}
        while True:
            page = self._uncounted.dispatch("Scan", arguments)
            yield from page["Items"]
            if "LastEvaluatedKey" not in page:
                return
            arguments["ExclusiveStartKey"] = page["LastEvaluatedKey"]
