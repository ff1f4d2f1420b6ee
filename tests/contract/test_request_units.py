"""Test the counting of request units against the reports of stand-ins for DynamoDB, and against manual counts."""

# pynamodb's connection carries no types of its answers.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

import os
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from almanac.platform.store.conditions import Absent, Equals, Present
from almanac.platform.store.dynamodb.store import DynamoStore
from almanac.platform.store.keys import Key, Partition, sort_key, sort_prefix
from almanac.platform.store.port import (
    Change,
    Check,
    ConditionFailed,
    Delete,
    EarlyPut,
    Index,
    OutboxPut,
    Put,
    Span,
    Update,
)
from almanac.platform.store.retries import Retries
from almanac.platform.store.sqlite.store import SqliteStore
from tests.bench.metered_store import MeteredStore
from tests.bench.scale.system import System
from tests.contract.backends import SECRET, TABLE, connection_to

ROUNDS = 400
"""Of requests; sizes of items stay away from whole kilobytes, where the five bytes of an event's mark would count."""


class ReportingConnection:
    """A connection that asks for the units of each request, and adds them up.

    Without `measures_reads`, it counts every read as one unit.
    """

    def __init__(self, address: str, *, measures_reads: bool) -> None:
        self.measures_reads = measures_reads
        self._connection = connection_to(address)
        self.read = self.written = 0.0

    def dispatch(self, operation: str, arguments: dict[str, Any]) -> dict[str, Any]:
        answer = self._connection.dispatch(operation, {**arguments, "ReturnConsumedCapacity": "TOTAL"})
        # ministack says nothing of batches.
        reported = answer.get("ConsumedCapacity", [])
        units = sum(each["CapacityUnits"] for each in (reported if isinstance(reported, list) else [reported]))
        if operation in ("GetItem", "BatchGetItem", "Query", "TransactGetItems"):
            self.read += units
        else:
            self.written += units
        return answer


@pytest.fixture(params=["ministack", "dynoxide"])
def reporting_store(request: pytest.FixtureRequest, clock: FixedClock) -> tuple[MeteredStore, ReportingConnection]:
    """A metered store over an emulator that reports units as well. The meter's own reads are not reported."""
    address: str = request.getfixturevalue(f"{request.param}_address")
    connection = ReportingConnection(address, measures_reads=request.param == "dynoxide")

    def open_store(by: Any) -> DynamoStore:
        retries = Retries(sleep=time.sleep, random=Random(1).random, monotonic=time.monotonic)
        return DynamoStore(
            TABLE, connection=by, clock=clock, cursor_secret=SECRET, random_bytes=os.urandom, retries=retries
        )

    return MeteredStore(open_store(connection), open_store(connection_to(address))), connection


@pytest.mark.slow
def test_requests_of_every_kind_count_what_dynamodb_reports(
    reporting_store: tuple[MeteredStore, ReportingConnection], scope: Scope
):
    store, reported = reporting_store
    traffic = Traffic(Random(7), Partition.in_project(scope, "shelf"), Partition.in_project(scope, "index"))
    kinds: set[str] = set()
    for number in range(ROUNDS):
        store.reset()
        reported.read = reported.written = 0
        said = traffic.request(store)
        kinds.add(said)

        assert store.written == reported.written, f"request {number}: {said}"
        assert store.read == reported.read or not reported.measures_reads, f"request {number}: {said}"
    assert kinds == {"get", "get_many", "snapshot", "query", "query of an index", "write", "transaction"}


def test_calls_of_tools_count_what_dynamodb_reports(
    reporting_store: tuple[MeteredStore, ReportingConnection], clock: FixedClock
):
    store, reported = reporting_store
    system = System(store, clock)
    slot = {"calendar_id": "primary", "start": "2026-12-01T10:00:00Z", "end": "2026-12-01T10:30:00Z"}
    calls: list[tuple[str, dict[str, Any]]] = [
        ("book_slot", {**slot, "summary": "Review"}),
        ("list_events", slot),
        ("kanban_create_card", {"columnId": "col_todo", "title": "Card", "dueDate": "2026-12-02"}),
        ("notes_create", {"title": "Note", "body": "What was said. " * 200}),
        ("daily_overview", {}),
        ("claim", {"key": "file:src/a.py", "holder": "claude-code@ann#1", "ttl_ms": 60_000}),
        ("list_claims", {}),
    ]
    for tool, arguments in calls:
        store.reset()
        reported.read = reported.written = 0
        system.call(tool, **arguments)

        assert store.written == reported.written, tool
        assert store.read == reported.read or not reported.measures_reads, tool


class Traffic:
    """Requests of all kinds over a few keys, of items from some bytes to some kilobytes."""

    def __init__(self, random: Random, shelf: Partition, placed: Partition) -> None:
        self._random = random
        self._keys = [Key(shelf, sort_key("item", number)) for number in range(12)]
        self._dead_letters_of, self._placed = shelf, placed

    def request(self, store: MeteredStore) -> str:
        requests: list[Callable[[MeteredStore], str]] = [self._read, self._search, self._write, self._transact]
        return self._random.choice(requests)(store)

    def _read(self, store: MeteredStore) -> str:
        kind = self._random.choice(["get", "get_many", "snapshot"])
        if kind == "get":
            store.get(self._random.choice(self._keys))
        elif kind == "get_many":
            store.get_many(self._random.sample(self._keys, 3))
        else:
            store.snapshot(self._random.sample(self._keys, 3))
        return kind

    def _search(self, store: MeteredStore) -> str:
        index: Index | None = self._random.choice([None, "gsi1", "gsi2"])
        partition = self._placed if index else self._dead_letters_of
        limit = self._random.choice([1, 3, 50])
        page = store.query(partition, prefix=sort_prefix("item"), index=index, limit=limit)
        if page.cursor:
            store.query(partition, prefix=sort_prefix("item"), index=index, limit=limit, cursor=page.cursor)
        return "query of an index" if index else "query"

    def _write(self, store: MeteredStore) -> str:
        change = self._change(store, self._random.choice(self._keys))
        if not isinstance(change, Check):
            store.write([change])
        return "write"

    def _transact(self, store: MeteredStore) -> str:
        store.write([self._change(store, key) for key in self._random.sample(self._keys, 4)])
        return "transaction"

    def _change(self, store: MeteredStore, key: Key) -> Change:
        """One whose condition holds."""
        stands = store.unmetered.get(key) is not None
        kinds = [Put, OutboxPut, Delete, Check, *([Update] if stands else [EarlyPut])]
        kind = self._random.choice(kinds)
        if kind is Delete:
            return Delete(key)
        if kind is Check:
            return Check(key, Present() if stands else Absent())
        places: dict[Index, Key] = {
            index: Key(self._placed, sort_key("item", self._random.randrange(3)))
            for index in ("gsi1", "gsi2")
            if self._random.random() < 0.4
        }
        attributes: dict[str, Any] = {
            "text": "é" * self._random.choice([1, 300, 1500, 3500]),
            "number": self._random.choice([0, -17, 1_795_000_000_000, 0.25]),
            "flags": [True, None, {"a": b"bytes"}],
        }
        if kind is Update:
            return Update(key, set=attributes, indexes=places)
        if kind is EarlyPut:
            return EarlyPut(key, attributes, Absent(), 1_900_000_000_000, places)
        return (OutboxPut if kind is OutboxPut else Put)(key, attributes, None, 1_900_000_000_000, places)


@pytest.fixture
def metered_store(tmp_path: Path, clock: FixedClock) -> MeteredStore:
    return MeteredStore(SqliteStore(tmp_path / "store.db", clock=clock, cursor_secret=SECRET))


def test_a_refused_write_is_paid_for_by_what_stands(metered_store: MeteredStore, scope: Scope):
    key = Key(Partition.in_project(scope, "shelf"), sort_key("one"))
    metered_store.write([Put(key, {"text": "x" * 2500})])
    metered_store.reset()

    with pytest.raises(ConditionFailed):
        metered_store.write([Put(key, {"text": "y"}, Absent())])

    assert metered_store.written == 3


def test_a_refused_transaction_is_paid_for_as_a_whole(metered_store: MeteredStore, scope: Scope):
    shelf = Partition.in_project(scope, "shelf")
    one, two = Key(shelf, sort_key("one")), Key(shelf, sort_key("two"))
    metered_store.write([Put(one, {"text": "x" * 2500})])
    metered_store.reset()

    with pytest.raises(ConditionFailed):
        metered_store.write([Check(one, Equals("text", "z")), Put(two, {"text": "y"})])

    assert metered_store.written == 2 * 3 + 2 * 1
    assert not metered_store.events


def test_a_query_that_can_find_nothing_is_not_sent(metered_store: MeteredStore, scope: Scope):
    metered_store.query(Partition.in_project(scope, "shelf"), span=Span("b", "a"))

    assert metered_store.charges == []


def test_charges_name_the_places_that_are_written(metered_store: MeteredStore, scope: Scope):
    shelf, placed = Partition.in_project(scope, "shelf"), Partition.in_project(scope, "placed")
    metered_store.write([Put(Key(shelf, "one"), {"text": "x"}, indexes={"gsi2": Key(placed, "early")})])

    charged = [(charge.index, charge.partition, charge.sort, charge.written) for charge in metered_store.charges]

    assert charged == [(None, shelf.text, "one", 1), ("gsi2", placed.text, "early", 1)]
