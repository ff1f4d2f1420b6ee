"""What each function asks of the table: every tool called and all that follows from it, through the adapter for DynamoDB."""

import os
import random
import time
from collections import defaultdict
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from random import Random
from typing import Any
from unittest.mock import patch

from almanac.gateway.chores import CHORES
from almanac.gateway.reactions import services_for
from almanac.gateway.schedule_door import schedule_handler
from almanac.identity.tenants import Tenants
from almanac.kernel.clock import FixedClock
from almanac.platform.store.dynamodb import DynamoStore
from almanac.platform.store.dynamodb_calls import connect
from almanac.platform.store.retries import Retries
from almanac.platform.store.shared_secret import shared_secret
from tests.bench.metered_store import MeteredStore
from tests.bench.scale.furnishing import furnish
from tests.bench.scale.measured import Unmetered
from tests.bench.scale.typical_calls import CALLS, Typical
from tests.bench.scale.units import MORNING
from tests.bench.scale.whole_house import Handler, Passage, WholeHouse
from tests.contract.backends import REGION, TABLE
from tests.unit.gateway.feed_world import FeedWorld

Json = dict[str, Any]
Request = tuple[str, str, str]
"""An action, the table or one of its indexes, and the leading key."""

_PARTS = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem", "ConditionCheck": "ConditionCheckItem"}


class RecordingConnection:
    """A connection that notes its requests under the name of the function that is at work, `at_work`."""

    def __init__(self, address: str) -> None:
        self._connection = connect(REGION, address)
        self.at_work = ""
        self.noted: defaultdict[str, set[Request]] = defaultdict(set)

    def dispatch(self, operation: str, arguments: Json) -> Json:
        if self.at_work:
            self.noted[self.at_work].update(_requests(operation, arguments))
        return self._connection.dispatch(operation, arguments)

    @contextmanager
    def noting(self, function: str) -> Generator[None]:
        before, self.at_work = self.at_work, function
        try:
            yield
        finally:
            self.at_work = before


def _requests(operation: str, arguments: Json) -> Iterator[Request]:
    """As IAM sees them: those of a batch and of a transaction each by itself."""
    match operation:
        case "Query":
            index = arguments.get("IndexName", "")
            yield "Query", f"/index/{index}" if index else "", _queried(arguments)
        case "BatchGetItem":
            for asked in arguments["RequestItems"].values():
                yield from (("BatchGetItem", "", key["PK"]["S"]) for key in asked["Keys"])
        case "TransactGetItems":
            yield from (("GetItem", "", part["Get"]["Key"]["PK"]["S"]) for part in arguments["TransactItems"])
        case "TransactWriteItems":
            for part in arguments["TransactItems"]:
                ((kind, asked),) = part.items()
                yield _PARTS[kind], "", _leading(asked)
        case _:
            yield operation, "", _leading(arguments)


def _leading(asked: Json) -> str:
    return asked.get("Key", asked.get("Item", {}))["PK"]["S"]


def _queried(arguments: Json) -> str:
    """The value that the partition key equals, which the adapter puts first."""
    placeholder = arguments["KeyConditionExpression"].replace("(", "").split(" = ")[1].split()[0].rstrip(")")
    return arguments["ExpressionAttributeValues"][placeholder]["S"]


class _Noted(WholeHouse):
    """The system with every function's requests noted under its own name; a family's also under the hub's."""

    def __init__(self, connection: RecordingConnection, meter: MeteredStore, clock: FixedClock) -> None:
        self._connection, self._tool = connection, ""
        super().__init__(meter, clock, per_minute=10_000, per_day=1_000_000)

    def call(self, tool: str, /, **arguments: Any) -> Passage:
        self._tool = tool
        return super().call(tool, **arguments)

    def _run(self, passage: Passage, part: str, handler: Handler, event: Json) -> Json:
        family = self.family_of[self._tool].capitalize()
        names = {"authorizer": "Authorizer", "door": family, "stream": "Feed", "push": "FeedPush"}
        with self._connection.noting(f"{names.get(part, part.capitalize())}Function"):
            return super()._run(passage, part, handler, event)


def requests_by_function(address: str) -> Mapping[str, set[Request]]:
    """By the name of the function in the templates. `address` is of a stand-in for DynamoDB that has the table."""
    connection, clock = RecordingConnection(address), FixedClock(MORNING)

    def opened(by: Any) -> DynamoStore:
        retries = Retries(sleep=time.sleep, random=random.random, monotonic=time.monotonic)
        store: DynamoStore = DynamoStore(
            TABLE,
            connection=by,
            clock=clock,
            cursor_secret=lambda: shared_secret(store, "cursors", os.urandom),
            random_bytes=os.urandom,
            retries=retries,
        )
        return store

    store = opened(connection)
    with patch.object(os, "urandom", Random(11).randbytes):
        house = _Noted(connection, Unmetered(store, opened(connect(REGION, address))), clock)
        _call_every_tool(house)
        _do_chores(house, connection)
        _follow_the_feed(connection, store, clock)
    families = {family.capitalize() for family in house.family_of.values()}
    connection.noted["HubFunction"] = set[Request]().union(*(connection.noted[f"{name}Function"] for name in families))
    return connection.noted


def _call_every_tool(house: WholeHouse) -> None:
    typical = Typical(house, furnish(house, Random(5)))
    house.listen()
    for tool in CALLS:
        arguments = typical.arguments(tool)
        house.restart()
        house.call(tool, **arguments)


def _do_chores(house: WholeHouse, connection: RecordingConnection) -> None:
    handle = schedule_handler(CHORES, lambda: services_for(house.meter, house.clock), house.telemetry)
    # More than a slice of them, so that the turn is noted.
    tenants = Tenants(house.meter, house.clock)
    for number in range(101):
        tenants.create(f"other-{number}")
    with connection.noting("ChoresFunction"):
        handle({}, _Unhurried())


class _Unhurried:
    def get_remaining_time_in_millis(self) -> int:
        return 300_000


def _follow_the_feed(connection: RecordingConnection, store: DynamoStore, clock: FixedClock) -> None:
    feed = FeedWorld(store, clock, ("feed", "rival"))
    key = feed.key("feed")
    with connection.noting("FeedSocketFunction"):
        assert feed.socket("$connect", "refused", x_api_key=f"{key}x") == 401
        feed.listen("a", key)
        assert feed.socket("$disconnect", "a") == 200
        feed.listen("b", key)
        shared_secret(store, "cursors", os.urandom)
