"""Everything of one tenant, read from a DynamoDB table by a scan: every item of the table is read and paid for."""

from collections.abc import Iterator
from typing import Any

from pynamodb.connection import Connection
from pynamodb.expressions.condition import Condition as Expression
from pynamodb.expressions.operand import Path
from pynamodb.expressions.operand import Value as Operand

from almanac.kernel.clock import Clock
from almanac.kernel.instants import now_ms
from almanac.platform.store.dynamodb.calls import Calls
from almanac.platform.store.dynamodb.expressions import live, request
from almanac.platform.store.dynamodb.items import item_of
from almanac.platform.store.port import Item
from almanac.platform.store.retries import Retries
from almanac.platform.store.tenant_scan import partitions_of

_PARTITION = Path(["PK"])


class DynamoTenantScan:
    """The port on a table of `table_definition`'s form; `connection` comes from `connect`."""

    def __init__(self, table: str, *, connection: Connection, clock: Clock, retries: Retries) -> None:
        self._table = table
        self._clock = clock
        self._calls = Calls(connection, retries)

    def items(self, tenant: str, *, expired: bool = False) -> Iterator[Item]:
        mine = _of(tenant)
        arguments: dict[str, Any] = {
            "TableName": self._table,
            "ConsistentRead": True,
            **request(filter=mine if expired else mine & live(now_ms(self._clock))),
        }
        while True:
            page = self._calls.call("Scan", arguments, repeatable=True)
            yield from map(item_of, page["Items"])
            if "LastEvaluatedKey" not in page:
                return
            arguments["ExclusiveStartKey"] = page["LastEvaluatedKey"]

    def count(self, tenant: str) -> None:  # noqa: ARG002 - counting would read the whole table
        return None


def _of(tenant: str) -> Expression:
    partitions = partitions_of(tenant)
    mine: Expression = Operand({"S": partitions.own}) == _PARTITION
    for prefix in partitions.prefixes:
        mine = mine | _PARTITION.startswith(prefix)
    return mine
