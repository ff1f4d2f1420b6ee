"""The store in one DynamoDB table, through pynamodb."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Unpack

from pynamodb.connection import Connection
from pynamodb.expressions.condition import Condition as Expression
from pynamodb.expressions.operand import Path
from pynamodb.expressions.operand import Value as Operand

from almanac.kernel.clock import Clock
from almanac.kernel.errors import InvalidInput, Unavailable
from almanac.kernel.ids import RandomBytes
from almanac.kernel.instants import now_ms
from almanac.platform.store.bounds import check_key, check_keys, check_write
from almanac.platform.store.cursors import Cursors
from almanac.platform.store.dynamodb.calls import Calls, FailedCondition
from almanac.platform.store.dynamodb.expressions import actions, conditional, if_exists, live, request
from almanac.platform.store.dynamodb.items import INDEX_KEYS, Image, item_of, key_image, put_image
from almanac.platform.store.keys import Key, Partition
from almanac.platform.store.port import (
    Change,
    Check,
    ConditionFailed,
    Delete,
    EarlyPut,
    Index,
    Item,
    Page,
    Paging,
    Put,
    Update,
    visible,
)
from almanac.platform.store.queries import Query, parse_query
from almanac.platform.store.retries import Retries
from almanac.platform.store.values import Value

_OPERATIONS = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem"}


class DynamoStore:
    """The store port on a table as template.yaml defines it. `connection` comes from `connect`."""

    def __init__(
        self,
        table: str,
        *,
        connection: Connection,
        clock: Clock,
        cursor_secret: bytes | Callable[[], bytes],
        random_bytes: RandomBytes,
        retries: Retries,
    ) -> None:
        self._table = table
        self._clock = clock
        self._cursors = Cursors(cursor_secret)
        self._random_bytes = random_bytes
        self._calls = Calls(connection, retries)

    def get(self, key: Key) -> Item | None:
        check_key(key)
        now = self._now()
        arguments = {"TableName": self._table, "Key": key_image(key), "ConsistentRead": True}
        return _visible(self._calls.call("GetItem", arguments, repeatable=True).get("Item"), now)

    def get_many(self, keys: Sequence[Key]) -> tuple[Item | None, ...]:
        check_keys(keys)
        now = self._now()
        items: dict[Key, Item] = {}
        requested: dict[str, Any] = {self._table: {"Keys": [key_image(key) for key in keys], "ConsistentRead": True}}
        while requested:
            # Each answer has at least one item. Otherwise DynamoDB rejects the call, and it is repeated.
            answer = self._calls.call("BatchGetItem", {"RequestItems": requested}, repeatable=True)
            items |= {item.key: item for item in map(item_of, answer["Responses"].get(self._table, ()))}
            requested = answer.get("UnprocessedKeys", {})
        return tuple(visible(items.get(key), now) for key in keys)

    def snapshot(self, keys: Sequence[Key]) -> tuple[Item | None, ...]:
        check_keys(keys)
        now = self._now()
        gets = [{"Get": {"TableName": self._table, "Key": key_image(key)}} for key in keys]
        answer = self._calls.call("TransactGetItems", {"TransactItems": gets}, repeatable=True)
        return tuple(_visible(each.get("Item"), now) for each in answer["Responses"])

    def query(self, partition: Partition, **narrowing: Unpack[Paging]) -> Page:
        query = parse_query(partition, **narrowing)
        after = query.position_before(self._cursors)
        if query.is_empty():
            return Page(())
        arguments: dict[str, Any] = {
            "TableName": self._table,
            "ScanIndexForward": not query.reverse,
            **request(key=_key_expression(query), filter=live(self._now())),
        }
        # Indexes have no consistent reads, so on AWS a write may show there a moment later.
        arguments |= {"IndexName": query.index} if query.index else {"ConsistentRead": True}
        if after is not None:
            arguments["ExclusiveStartKey"] = _start(query, after)
        images, more = self._gather(arguments, query)
        items = tuple(map(item_of, images))
        return query.page(items, self._cursors, more=more)

    def write(self, changes: Sequence[Change]) -> None:
        bounded = list(enumerate(check_write(changes)))
        now = self._now()
        early = [each for each in bounded if isinstance(each[1][0], EarlyPut)]
        late = [each for each in bounded if not isinstance(each[1][0], EarlyPut)]
        made: list[Key] = []
        try:
            for place, (change, attributes) in early if late else ():
                self._put_early(place, change, attributes, now)
                made.append(change.key)
            self._write_late(late or early, now)
        except (ConditionFailed, InvalidInput):
            for key in made:
                # Nothing refers to the early item, so it does no harm if it cannot be deleted now.
                with suppress(Unavailable):
                    self._calls.call("DeleteItem", {"TableName": self._table, "Key": key_image(key)}, repeatable=True)
            raise

    def _put_early(self, place: int, change: Change, attributes: dict[str, Value], now: int) -> None:
        ((_, arguments),) = self._action(change, attributes, now).items()
        try:
            self._calls.call("PutItem", arguments, repeatable=True)
        except FailedCondition as refused:
            # An earlier try, whose answer was lost, may have written it.
            if refused.image is None or item_of(refused.image) != item_of(arguments["Item"]):
                raise ConditionFailed(place, _visible(refused.image, now)) from refused

    def _write_late(self, numbered: list[tuple[int, tuple[Change, dict[str, Value]]]], now: int) -> None:
        bounded = [each for _, each in numbered]
        try:
            if len(bounded) == 1 and not isinstance(bounded[0][0], Check):
                self._write_one(*bounded[0], now)
            else:
                self._write_all(bounded, now)
        except FailedCondition as refused:
            place = numbered[refused.change][0]
            raise ConditionFailed(place, _visible(refused.image, now)) from refused

    def _write_one(self, change: Change, attributes: dict[str, Value], now: int) -> None:
        ((verb, arguments),) = self._action(change, attributes, now).items()
        repeatable = change.condition is None and not isinstance(change, Update)
        self._calls.call(_OPERATIONS[verb], arguments, repeatable=repeatable)

    def _write_all(self, bounded: list[tuple[Change, dict[str, Value]]], now: int) -> None:
        together = {
            "TransactItems": [self._action(change, attributes, now) for change, attributes in bounded],
            # With the same token in every try, a transaction whose answer was lost does not run twice.
            "ClientRequestToken": self._random_bytes(16).hex(),
        }
        self._calls.call("TransactWriteItems", together, repeatable=True)

    def _action(self, change: Change, attributes: dict[str, Value], now: int) -> dict[str, dict[str, Any]]:
        """Return a change as {verb: arguments}, which has the same form in a transaction and alone."""
        into: dict[str, Any] = {"TableName": self._table}
        if change.condition is not None or isinstance(change, Update):
            into["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        condition = conditional(change.condition, now) if change.condition else None
        match change:
            case Put():
                return {"Put": {**into, "Item": put_image(change, attributes), **request(condition=condition)}}
            case Update():
                changed = request(condition=if_exists(change.condition, now), actions=actions(change, attributes))
                return {"Update": {**into, "Key": key_image(change.key), **changed}}
            case Delete():
                return {"Delete": {**into, "Key": key_image(change.key), **request(condition=condition)}}
            case Check():
                return {"ConditionCheck": {**into, "Key": key_image(change.key), **request(condition=condition)}}

    def _gather(self, arguments: dict[str, Any], query: Query) -> tuple[list[Image], bool]:
        """Return up to a page of images, and whether more follow. Filtered items may need several reads."""
        _, sort_name = _names(query.index)
        images: list[Image] = []
        while True:
            limit = query.limit + 1 - len(images)
            answer = self._calls.call("Query", {**arguments, "Limit": limit}, repeatable=True)
            images += [image for image in answer["Items"] if image[sort_name]["S"] != query.end]
            if len(images) > query.limit:
                return images[: query.limit], True
            if "LastEvaluatedKey" not in answer:
                return images, False
            if images and answer["ScannedCount"] < limit:  # the read ended at 1 MB
                return images, True
            arguments["ExclusiveStartKey"] = answer["LastEvaluatedKey"]

    def _now(self) -> int:
        return now_ms(self._clock)


def _visible(image: Image | None, now: int) -> Item | None:
    return visible(item_of(image), now) if image else None


def _names(index: Index | None) -> tuple[str, str]:
    return INDEX_KEYS[index] if index else ("PK", "SK")


def _key_expression(query: Query) -> Expression:
    partition_name, sort_name = _names(query.index)
    keys: Expression = Path([partition_name]) == Operand({"S": query.partition.text})
    sort = Path([sort_name])
    if query.start is not None and query.end is not None:
        # BETWEEN includes the end, so the code that reads the answer drops it.
        return keys & sort.between(Operand({"S": query.start}), Operand({"S": query.end}))
    if query.start is not None:
        return keys & (sort >= Operand({"S": query.start}))
    return keys & (sort < Operand({"S": query.end})) if query.end else keys


def _start(query: Query, after: tuple[str, ...]) -> Image:
    if query.index is None:
        return key_image(Key(query.partition, after[0]))
    partition_name, sort_name = _names(query.index)
    own = key_image(Key(Partition.as_stored(after[1]), after[2]))
    return own | {partition_name: {"S": query.partition.text}, sort_name: {"S": after[0]}}
