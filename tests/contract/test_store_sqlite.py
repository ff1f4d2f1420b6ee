"""Test the SQLite store beyond the contract: many processes, a single file, and damaged files."""

import multiprocessing
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest

from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock, SystemClock
from almanac.kernel.errors import Unavailable
from almanac.kernel.instants import now_ms
from almanac.platform.store.conditions import Absent
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import ConditionFailed, OutboxPut, Put, Update
from almanac.platform.store.sqlite.schema import connect
from almanac.platform.store.sqlite.store import SqliteStore
from tests.contract.backends import SECRET

SHELF = Partition.in_project(Scope("acme", "web"), "shelf")
KEY = Key(SHELF, "a")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


def _open(path: Path, clock: FixedClock | None = None, busy_seconds: float = 10.0) -> SqliteStore:
    return SqliteStore(path, clock=clock or SystemClock(), cursor_secret=SECRET, busy_seconds=busy_seconds)


def _count(path: str, times: int) -> None:
    """Run in another process: counts up from there."""
    store = _open(Path(path))
    for _ in range(times):
        try:
            store.write([Put(KEY, {"n": 1}, Absent())])
        except ConditionFailed:
            store.write([Update(KEY, add={"n": 1})])


@pytest.mark.slow
def test_processes_that_open_a_new_file_at_once_all_write_to_it(path: Path):
    spawn = multiprocessing.get_context("spawn")
    processes = [spawn.Process(target=_count, args=(str(path), 50)) for _ in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * 4
    item = _open(path).get(KEY)
    assert item is not None
    assert item.attributes["n"] == 200


def test_a_store_goes_on_in_a_forked_process(path: Path):
    store = _open(path)
    store.write([Put(KEY, {"n": 0})])

    def child() -> None:
        for _ in range(100):
            store.write([Update(KEY, add={"n": 1})])

    processes = [multiprocessing.get_context("fork").Process(target=child) for _ in range(2)]
    for process in processes:
        process.start()
    child()
    for process in processes:
        process.join()
    item = store.get(KEY)
    assert item is not None
    assert item.attributes["n"] == 300


def test_threads_that_start_together_open_the_file_once_each(path: Path):
    store = _open(path)
    gate = threading.Barrier(8)

    def write(number: int) -> None:
        gate.wait(timeout=60)
        store.write([Put(Key(SHELF, sort_key(number)), {})])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(8)))
    assert len(store.query(SHELF).items) == 8
    store.close()
    store.close()
    assert len(store.query(SHELF).items) == 8


def test_events_enter_the_change_table_in_order_and_with_their_state(path: Path):
    store = _open(path)
    store.write([OutboxPut(Key(SHELF, "1"), {"n": 1}, Absent()), Put(Key(SHELF, "state"), {})])
    store.write([OutboxPut(Key(SHELF, "2"), {"n": 2}), OutboxPut(Key(SHELF, "3"), {"n": 3})])
    with pytest.raises(ConditionFailed):
        store.write([OutboxPut(Key(SHELF, "4"), {}), OutboxPut(Key(SHELF, "1"), {}, Absent())])
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT sequence, partition, sort FROM changes ORDER BY sequence").fetchall()
    connection.close()
    assert rows == [(1, SHELF.text, "1"), (2, SHELF.text, "2"), (3, SHELF.text, "3")]


def test_sweeping_removes_what_has_expired_oldest_first(path: Path, clock: FixedClock):
    store = _open(path, clock)
    now = now_ms(clock)
    store.write([Put(Key(SHELF, sort_key(number)), {}, expires_at=now + 5 - number) for number in range(10)])
    store.write([Put(KEY, {})])
    assert store.sweep(limit=3) == 3
    clock.instant -= timedelta(minutes=1)
    assert [int(item.key.sort[-1]) for item in store.query(SHELF, span=None).items[:-1]] == [0, 1, 2, 3, 4, 5, 6]
    clock.instant += timedelta(minutes=2)
    assert store.sweep() == 7
    assert store.sweep() == 0
    assert [item.key for item in store.query(SHELF).items] == [KEY]


def test_a_writer_that_never_ends_makes_others_unavailable_and_readers_go_on(path: Path):
    store = _open(path, busy_seconds=0.01)
    store.write([Put(KEY, {"n": 1})])
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(Unavailable, match="busy"):
        store.write([Put(KEY, {"n": 2})])
    item = store.get(KEY)
    assert item is not None
    assert item.attributes["n"] == 1
    other.execute("COMMIT")
    other.close()
    store.write([Put(KEY, {"n": 2})])


def _missing_folder(path: Path) -> Path:
    return path / "missing" / "store.db"


def _other_file(path: Path) -> Path:
    path.write_bytes(b"this is something else, and long enough to be read as a header" * 20)
    return path


def _of_a_later_program(path: Path) -> Path:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version=2")
    connection.close()
    return path


@pytest.mark.parametrize("spoilt", [_missing_folder, _other_file, _of_a_later_program])
def test_a_file_that_cannot_serve_is_unavailable(path: Path, spoilt: Callable[[Path], Path]):
    store = _open(spoilt(path))
    for _ in range(2):
        with pytest.raises(Unavailable):
            store.get(KEY)
        with pytest.raises(Unavailable):
            store.write([Put(KEY, {})])


def test_a_damaged_page_is_unavailable(path: Path):
    store = _open(path)
    for number in range(500):
        store.write([Put(Key(SHELF, sort_key(number)), {"text": "x" * 500})])
    store.close()
    content = bytearray(path.read_bytes())
    content[4096 * 3 : -4096] = b"\xff" * (len(content) - 4096 * 4)
    path.write_bytes(content)
    with pytest.raises(Unavailable, match="damaged"):
        _open(path).query(SHELF, limit=1000)


def test_many_may_open_a_file_that_does_not_exist_yet_at_once(tmp_path: Path) -> None:
    for attempt in range(20):
        path, gate = tmp_path / f"{attempt}.db", threading.Barrier(8)

        def open_together(at: Path = path, together: threading.Barrier = gate) -> None:
            together.wait()
            connect(at, "NORMAL", 10).close()

        with ThreadPoolExecutor(8) as threads:
            for done in [threads.submit(open_together) for _ in range(8)]:
                done.result()
