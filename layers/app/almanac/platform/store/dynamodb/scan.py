"""Scan of one tenant's items in a DynamoDB table, over the partitions in the registry.

If the table has items from before partitions were registered, one scan reads the whole table and registers them.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pynamodb.connection import Connection
from pynamodb.expressions.condition import Condition as Expression
from pynamodb.expressions.operand import Path
from pynamodb.expressions.operand import Value as Operand

from almanac.kernel.clock import Clock
from almanac.kernel.instants import now_ms
from almanac.platform.store.conditions import Absent
from almanac.platform.store.dynamodb.calls import Calls, FailedCondition
from almanac.platform.store.dynamodb.expressions import conditional, live, request
from almanac.platform.store.dynamodb.items import Image, item_of, key_image, put_image
from almanac.platform.store.dynamodb.partition_registry import NAMES, WHOLE, partitions_in, rows_for
from almanac.platform.store.keys import Key, Partition
from almanac.platform.store.port import Item, Put
from almanac.platform.store.retries import Retries
from almanac.platform.store.tenant_scan import registry_of

_PARTITION = Path(["PK"])
_PAGES_BETWEEN_MARKS = 20
_KEYS_AND_EXPIRY = {
    "ProjectionExpression": "#partition, #expires",
    "ExpressionAttributeNames": {"#partition": "PK", "#expires": "EXPIRES"},
}


class DynamoTenantScan:
    """`TenantScan` on a table as template.yaml defines it. `connection` comes from `connect`."""

    def __init__(self, table: str, *, connection: Connection, clock: Clock, retries: Retries) -> None:
        self._table = table
        self._clock = clock
        self._calls = Calls(connection, retries)

    def items(self, tenant: str, *, expired: bool = False) -> Iterator[Item]:
        _Census(self._send, self._clock).complete()
        names = [(str(row.attributes["level"]), str(row.attributes["name"])) for row in self._of(NAMES) if _names(row)]
        texts = [str(row.attributes["partition"]) for row in self._of(registry_of(tenant))]
        kept = None if expired else live(now_ms(self._clock))
        for partition in partitions_in(tenant, names, texts):
            yield from self._of(partition, kept)

    def count(self, tenant: str) -> None:  # noqa: ARG002 - counting would read all items
        return None

    def _of(self, partition: Partition, kept: Expression | None = None) -> Iterator[Item]:
        arguments: dict[str, Any] = {
            "ConsistentRead": True,
            **request(key=Operand({"S": partition.text}) == _PARTITION, filter=kept),
        }
        while True:
            page = self._send("Query", arguments)
            yield from map(item_of, page["Items"])
            if "LastEvaluatedKey" not in page:
                return
            arguments["ExclusiveStartKey"] = page["LastEvaluatedKey"]

    def _send(self, operation: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        return self._calls.call(operation, {"TableName": self._table, **arguments}, repeatable=True)


def _names(row: Item) -> bool:
    return row.key != WHOLE


class _Census:
    """Registers the partitions of all items in the table, once. It stores its progress and resumes after an
    interruption.
    """

    def __init__(self, send: Callable[[str, Mapping[str, Any]], dict[str, Any]], clock: Clock) -> None:
        self._send = send
        self._clock = clock
        self._known: set[Key] = set()
        self._text: str | None = None
        self._until: int | None = None

    def complete(self) -> None:
        mark = self._send("GetItem", {"Key": key_image(WHOLE), "ConsistentRead": True}).get("Item")
        if mark is not None and mark["complete"]["BOOL"]:
            return
        place: Image | None = None
        if mark is not None:
            place = {"PK": mark["partition"], "SK": mark["sort"]}
            # An earlier run saw the partition's first items, so their expiry is not known.
            self._text, self._until = mark["partition"]["S"], None
        pages = 0
        while True:
            page = self._send("Scan", {**_KEYS_AND_EXPIRY, **({"ExclusiveStartKey": place} if place else {})})
            for image in page["Items"]:
                self._see(image)
            place, pages = page.get("LastEvaluatedKey"), pages + 1
            if place is None:
                self._register(self._until)
                self._send("PutItem", {"Item": put_image(Put(WHOLE, {}), {"complete": True})})
                return
            if pages % _PAGES_BETWEEN_MARKS == 0:
                self._mark(place)

    def _see(self, image: Image) -> None:
        until = int(image["EXPIRES"]["N"]) if "EXPIRES" in image else None
        if image["PK"]["S"] == self._text:
            self._until = None if until is None or self._until is None else max(until, self._until)
        else:
            self._register(self._until)
            self._text, self._until = image["PK"]["S"], until

    def _mark(self, place: Image) -> None:
        self._register(None)
        self._until = None
        kept = {"complete": False, "partition": place["PK"]["S"], "sort": place["SK"]["S"]}
        self._send("PutItem", {"Item": put_image(Put(WHOLE, {}), kept)})

    def _register(self, until: int | None) -> None:
        """Register the current partition, whose items all expire by `until`."""
        if self._text is None:
            return
        for row in rows_for(Partition.as_stored(self._text)):
            if row.key not in self._known:
                shared = "partition" not in row.attributes or row.attributes["partition"] != self._text
                self._put(row, None if shared else until)
                if shared:
                    self._known.add(row.key)

    def _put(self, row: Put, until: int | None) -> None:
        ending = Put(row.key, row.attributes, expires_at=until)
        # A row that expires must not replace one that does not.
        condition = None if until is None else conditional(Absent(), now_ms(self._clock))
        try:
            self._send("PutItem", {"Item": put_image(ending, row.attributes), **request(condition=condition)})
        except FailedCondition:
            return
