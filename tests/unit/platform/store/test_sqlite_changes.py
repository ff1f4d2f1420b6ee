"""The change table of a SQLite store."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import OutboxPut, Put
from almanac.platform.store.sqlite.changes import READ_BYTES, SqliteChanges
from almanac.platform.store.sqlite.store import SqliteStore

PARTITION = Partition.in_project(Scope("acme", "main"), "things")


@pytest.fixture
def store(tmp_path: Path, clock: FixedClock) -> Iterable[SqliteStore]:
    opened = SqliteStore(tmp_path / "store.db", clock=clock, cursor_secret=b"the secret of these tests")
    yield opened
    opened.close()


@pytest.fixture
def changes(tmp_path: Path) -> Iterable[SqliteChanges]:
    opened = SqliteChanges(tmp_path / "store.db")
    yield opened
    opened.close()


def _put(store: SqliteStore, count: int, text: str = "") -> None:
    for number in range(count):
        store.write([OutboxPut(Key(PARTITION, sort_key(number)), {"number": number, "text": text})])


def test_before_the_first_event_there_is_nothing(changes: SqliteChanges):
    assert changes.head() == 0
    assert changes.read(0, 10) == []
    changes.trim(10)


def test_events_come_in_the_order_of_the_writes_and_other_puts_do_not(store: SqliteStore, changes: SqliteChanges):
    _put(store, 2)
    store.write([Put(Key(PARTITION, "other"), {})])
    _put(store, 1)
    found = changes.read(0, 10)
    assert [(each.sequence, each.attributes["number"]) for each in found] == [(1, 0), (2, 1), (3, 0)]
    assert changes.head() == 3


def test_reading_goes_on_behind_a_sequence(store: SqliteStore, changes: SqliteChanges):
    _put(store, 5)
    assert [each.sequence for each in changes.read(2, 2)] == [3, 4]
    assert changes.read(5, 2) == []


def test_large_changes_are_read_a_few_at_a_time(store: SqliteStore, changes: SqliteChanges):
    size = 300_000
    _put(store, 20, "x" * size)
    first = changes.read(0, 20)
    assert READ_BYTES <= len(first) * size < READ_BYTES + 2 * size
    assert len(first) + len(changes.read(first[-1].sequence, 20)) == 20


def test_what_was_trimmed_is_gone_and_its_sequences_are_not_used_again(store: SqliteStore, changes: SqliteChanges):
    _put(store, 5)
    changes.trim(3)
    assert [each.sequence for each in changes.read(0, 10)] == [4, 5]
    changes.trim(5)
    assert changes.head() == 5
    _put(store, 1)
    assert [each.sequence for each in changes.read(0, 10)] == [6]


def test_more_than_a_slice_is_trimmed(store: SqliteStore, changes: SqliteChanges):
    for start in range(0, 5200, 100):
        keys = [Key(PARTITION, sort_key(start + number)) for number in range(100)]
        store.write([OutboxPut(key, {}) for key in keys])
    changes.trim(5150)
    assert [each.sequence for each in changes.read(0, 100)] == list(range(5151, 5201))
