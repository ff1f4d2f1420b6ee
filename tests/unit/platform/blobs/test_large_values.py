"""Test reading large attributes back, and sweeping those that no item names."""

import itertools
import os
from collections.abc import Generator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import InvalidInput, Unavailable
from almanac.kernel.instants import now_ms
from almanac.platform.blobs.folder import FolderBlobs
from almanac.platform.blobs.large_values import GRACE_MS, LARGE_BYTES, LARGEST_BYTES, LargeValues
from almanac.platform.blobs.port import BlobName
from almanac.platform.store.conditions import Absent, Equals
from almanac.platform.store.keys import Key, Partition
from almanac.platform.store.port import ConditionFailed, Delete, OutboxPut, Put, Store, Update
from almanac.platform.store.sqlite.store import SqliteStore
from almanac.platform.store.values import Value

SHELF = Partition.in_project(Scope("acme", "web"), "shelf")
KEY = Key(SHELF, "a")
LARGE = "é" * LARGE_BYTES
DOCUMENT: Value = {"deep": ["x" * LARGE_BYTES, 2.5, None, b"\xff"]}


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(datetime.now(UTC))


@pytest.fixture
def small(tmp_path: Path, clock: FixedClock) -> Generator[SqliteStore]:
    store = SqliteStore(tmp_path / "store.db", clock=clock, cursor_secret=b"a secret for tests")
    yield store
    store.close()


@pytest.fixture
def blobs(tmp_path: Path) -> FolderBlobs:
    return FolderBlobs(tmp_path / "blobs")


@pytest.fixture
def store(small: SqliteStore, blobs: FolderBlobs) -> LargeValues:
    ids = itertools.count()
    return LargeValues(small, blobs, lambda count: next(ids).to_bytes(count, "big"))


def _count(blobs: FolderBlobs) -> int:
    return sum(1 for _ in blobs.list_blobs())


@pytest.mark.parametrize("value", [LARGE, b"x" * (LARGE_BYTES + 1), DOCUMENT, {"$blob": "looks like a mark"}])
def test_a_large_value_reads_back_by_every_way(store: Store, small: SqliteStore, blobs: FolderBlobs, value: Value):
    store.write([OutboxPut(KEY, {"large": value, "small": "s"}, indexes={"gsi1": KEY})])
    for item in (
        store.get(KEY),
        *store.snapshot([KEY]),
        *store.query(SHELF).items,
        *store.query(SHELF, index="gsi1").items,
    ):
        assert item is not None
        assert item.attributes == {"large": value, "small": "s"}
    standing = small.get(KEY)
    assert standing is not None
    assert len(str(standing.attributes)) < 200
    assert _count(blobs) == 1


def test_a_value_of_the_size_of_an_item_stays_in_it(store: Store, blobs: FolderBlobs):
    store.write([Put(KEY, {"text": "x" * LARGE_BYTES, "list": [{"a": 1}]})])
    assert _count(blobs) == 0


@pytest.mark.parametrize("sizes", [(250_000, 200_000, 10), (130_000,) * 4, (299_000, 90_000, 90_000), (60_000,) * 9])
def test_several_values_that_are_too_much_together_read_back(
    store: Store, small: SqliteStore, blobs: FolderBlobs, sizes: tuple[int, ...]
):
    values: dict[str, Value] = {f"v{number}": "x" * size for number, size in enumerate(sizes)}
    store.write([Put(KEY, {**values, "number": 7})])
    item, standing = store.get(KEY), small.get(KEY)
    assert item is not None
    assert standing is not None
    assert item.attributes == {**values, "number": 7}
    assert 0 < _count(blobs) < len(sizes)
    assert len(str(standing.attributes)) > LARGE_BYTES // 2


def test_a_refusal_shows_the_large_value_that_stands_there(store: Store):
    store.write([Put(KEY, {"text": LARGE})])
    with pytest.raises(ConditionFailed) as refused:
        store.write([Delete(Key(SHELF, "b")), Put(KEY, {}, Absent())])
    assert refused.value.change == 1
    assert refused.value.item == store.get(KEY)


def test_what_no_item_names_is_swept_after_a_day(
    store: LargeValues, small: SqliteStore, blobs: FolderBlobs, clock: FixedClock
):
    kept, gone = Key(SHELF, "kept"), Key(SHELF, "gone")
    store.write([Put(kept, {"text": LARGE}), Put(gone, {"text": LARGE}), Put(KEY, {"text": "small"})])
    store.write([Update(kept, {"more": LARGE})])
    store.write([Update(kept, {"text": LARGE + "x"})])
    with pytest.raises(ConditionFailed):
        store.write([Put(KEY, {"text": LARGE}, Equals("text", "other"))])
    store.write([Delete(gone)])
    assert _count(blobs) == 5
    assert store.sweep(now_ms(clock)) == 0
    clock.instant += timedelta(milliseconds=GRACE_MS + 60_000)
    assert store.sweep(now_ms(clock)) == 3
    item = store.get(kept)
    assert item is not None
    assert item.attributes == {"text": LARGE + "x", "more": LARGE}


def test_a_sweep_that_is_out_of_time_goes_on_where_it_stopped(
    store: LargeValues, blobs: FolderBlobs, clock: FixedClock
):
    store.write([Put(KEY, {"text": LARGE})])
    for number in range(230):
        blobs.put(BlobName(Key(SHELF, f"gone{number}"), "0f"), b"x")
    clock.instant += timedelta(milliseconds=GRACE_MS + 60_000)

    removed = [store.sweep(now_ms(clock), lambda: False) for _ in range(3)]

    assert removed in ([100, 100, 30], [99, 100, 31], [100, 99, 31])
    assert _count(blobs) == 1
    # The next one begins again at the first.
    blobs.put(BlobName(Key(SHELF, "Another"), "0f"), b"x")
    assert store.sweep(now_ms(clock) + GRACE_MS + 60_000) == 1


def test_a_value_beyond_all_bounds_is_refused(store: Store, blobs: FolderBlobs):
    with pytest.raises(InvalidInput):
        store.write([Put(KEY, {"text": "x" * (LARGEST_BYTES + 1)})])
    assert _count(blobs) == 0


def test_blobs_that_do_not_belong_to_the_store_are_noticed(small: SqliteStore, store: Store, tmp_path: Path):
    store.write([Put(KEY, {"text": LARGE})])
    with pytest.raises(Unavailable):
        LargeValues(small, FolderBlobs(tmp_path / "others"), os.urandom).get(KEY)
