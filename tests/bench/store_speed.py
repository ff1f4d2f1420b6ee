"""The store beside what it is made of: `python -m tests.bench.store_speed`; exit status 1 where a budget is broken.

SQLite: conditional puts per second through the port, and through bare sqlite3 on the same table at the same
durability. DynamoDB, where dynoxide is installed: the time of a call through the port, and of the same call through
bare boto3. Both sides take turns in small batches, so that a busy machine slows them alike.
"""

import os
import random
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any, Literal, cast

import boto3  # pyright: ignore[reportMissingTypeStubs]
import msgspec
from boto3.dynamodb.types import TypeDeserializer, TypeSerializer  # pyright: ignore[reportMissingTypeStubs]

from almanac.kernel.caller import Scope
from almanac.kernel.clock import SystemClock
from almanac.platform.store.conditions import Absent
from almanac.platform.store.dynamodb.calls import Calls, connect
from almanac.platform.store.keys import Key, Partition, sort_key, sort_prefix
from almanac.platform.store.port import Put, Store
from almanac.platform.store.retries import Retries
from almanac.platform.store.sqlite.schema import connect as connect_to_file
from almanac.platform.store.sqlite.store import SqliteStore
from almanac.platform.store.values import Value
from tests.contract.backends import DYNOXIDE, REGION, SECRET, TABLE, Place, dynoxide
from tests.dynamodb_table import table_definition

SHELF = Partition.in_project(Scope("acme", "web"), "claims")
ATTRIBUTES: dict[str, Value] = {
    "holder": "tool@user#session",
    "until": 1_795_262_400_000,
    "metadata": {"branch": "b" * 100, "lines": [1, 2, 3]},
    "title": "x" * 80,
    "renewals": 5,
    "active": True,
}
LEAST_SHARE = 0.5
MOST_TIMES = 1.15

Call = Callable[[], object]


def compare(bare: Call, port: Call, rounds: int, batch: int) -> tuple[float, float]:
    """Seconds per call of each, the median of `rounds` batches that take turns."""
    taken: dict[Call, list[float]] = {bare: [], port: []}
    for number in range(rounds):
        for call in (bare, port) if number % 2 else (port, bare):
            began = time.perf_counter()
            for _ in range(batch):
                call()
            taken[call].append((time.perf_counter() - began) / batch)
    return median(taken[bare]), median(taken[port])


def sqlite_puts(folder: Path, synchronous: Literal["NORMAL", "FULL"]) -> tuple[float, float]:
    store = SqliteStore(folder / "port.db", clock=SystemClock(), cursor_secret=SECRET, synchronous=synchronous)
    connection = connect_to_file(folder / "bare.db", synchronous, 10)
    found = "SELECT body, expires_at FROM items WHERE partition = ? AND sort = ?"
    put = "INSERT OR REPLACE INTO items (partition, sort, body, expires_at) VALUES (?, ?, ?, ?)"
    numbers = count()

    def bare() -> None:
        place = (SHELF.text, f"key#{next(numbers):016d}")
        connection.execute("BEGIN IMMEDIATE")
        assert connection.execute(found, place).fetchone() is None
        body = msgspec.msgpack.encode(ATTRIBUTES)
        connection.execute(put, (*place, body, None))
        connection.execute("COMMIT")

    def port() -> None:
        store.write([Put(Key(SHELF, sort_key("key", next(numbers))), ATTRIBUTES, Absent())])

    figures = compare(bare, port, 60, 200)
    connection.close()
    store.close()
    return figures


def dynamodb_calls(address: str) -> dict[str, tuple[float, float]]:
    calls = Calls(connect(REGION, address), Retries(sleep=time.sleep, random=random.random, monotonic=time.monotonic))
    calls.call("CreateTable", table_definition(TABLE), repeatable=False)
    store = Place("dynoxide", address).open(SystemClock())
    client: Any = boto3.client("dynamodb", region_name=REGION, endpoint_url=address)  # type: ignore[no-untyped-call]
    bare, port = _bare_calls(client), _port_calls(store)
    return {name: compare(bare[name], port[name], 40, 25) for name in bare}


def _port_calls(store: Store) -> dict[str, Call]:
    numbers = count()

    def put(changes: int) -> Call:
        return lambda: store.write(
            [Put(Key(SHELF, sort_key("port", next(numbers))), ATTRIBUTES, Absent()) for _ in range(changes)]
        )

    return {
        "conditional put": put(1),
        "write of 3 conditional puts": put(3),
        "get": lambda: store.get(Key(SHELF, sort_key("port", 0))),
        "query of 20": lambda: store.query(SHELF, prefix=sort_prefix("port"), limit=20),
    }


def _bare_calls(client: Any) -> dict[str, Call]:
    numbers = count()
    serialize, deserialize = cast(Any, TypeSerializer()).serialize, cast(Any, TypeDeserializer()).deserialize
    free = "attribute_not_exists(PK) OR EXPIRES <= :now"
    live = "attribute_not_exists(EXPIRES) OR EXPIRES > :now"

    def several() -> object:
        return client.transact_write_items(TransactItems=[{"Put": put()} for _ in range(3)])

    def put() -> dict[str, Any]:
        item = {name: serialize(value) for name, value in ATTRIBUTES.items()}
        return {
            "TableName": TABLE,
            "Item": {**item, "PK": {"S": SHELF.text}, "SK": {"S": sort_key("bare", next(numbers))}},
            "ConditionExpression": free,
            "ExpressionAttributeValues": {":now": {"N": str(int(time.time() * 1000))}},
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }

    def plain(item: dict[str, Any]) -> dict[str, Any]:
        return {name: deserialize(value) for name, value in item.items()}

    key = {"PK": {"S": SHELF.text}, "SK": {"S": sort_key("bare", 0)}}
    query = {
        "TableName": TABLE,
        "KeyConditionExpression": "PK = :p AND begins_with(SK, :s)",
        "FilterExpression": live,
        "ExpressionAttributeValues": {":p": {"S": SHELF.text}, ":s": {"S": "bare#"}, ":now": {"N": "1"}},
        "Limit": 20,
        "ConsistentRead": True,
    }
    return {
        "conditional put": lambda: client.put_item(**put()),
        "write of 3 conditional puts": several,
        "get": lambda: plain(client.get_item(TableName=TABLE, Key=key, ConsistentRead=True)["Item"]),
        "query of 20": lambda: [plain(item) for item in client.query(**query)["Items"]],
    }


def main() -> int:
    say = sys.stdout.write
    kept = True
    say("| call | bare | through the port | budget | |\n|---|---|---|---|---|\n")
    for synchronous in ("NORMAL", "FULL"):
        with tempfile.TemporaryDirectory() as folder:
            bare, port = sqlite_puts(Path(folder), synchronous)
        kept &= bare / port >= LEAST_SHARE
        say(f"| SQLite, {synchronous}: conditional put | {1 / bare:,.0f}/s | {1 / port:,.0f}/s ")
        say(f"| at least {LEAST_SHARE} of it | {bare / port:.2f} |\n")
    if DYNOXIDE.exists():
        os.environ |= {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}
        with dynoxide() as address:
            for name, (bare, port) in dynamodb_calls(address).items():
                kept &= port / bare <= MOST_TIMES
                say(f"| DynamoDB: {name} | {bare * 1000:.2f} ms | {port * 1000:.2f} ms ")
                say(f"| at most {MOST_TIMES} times | {port / bare:.2f} |\n")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
