"""kill -9 of a writing process: no acknowledged write lost, no half transaction, the file opens at once."""

import random
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from almanac.kernel.clock import SystemClock
from almanac.platform.store.keys import Partition
from almanac.platform.store.sqlite.store import SqliteStore
from tests.contract.backends import SECRET
from tests.contract.endless_writer import LEFT, RIGHT
from tests.cpu_time import measure_cpu_seconds

ROUNDS = 50
OPEN_SECONDS = 0.5
"""Of CPU: how long it takes by the clock says more of what else the machine does."""

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_a_killed_writer_loses_nothing_it_acknowledged(tmp_path: Path):
    path = tmp_path / "store.db"
    chance = random.Random(9)
    acknowledged: list[int] = []
    slowest = 0.0
    for _ in range(ROUNDS):
        acknowledged += _write_and_kill(path, (acknowledged or [-1])[-1] + 2, chance.randint(1, 60))
        store, seconds = measure_cpu_seconds(lambda: _open_store(path))
        slowest = max(slowest, seconds)
        left, right = _numbers(store, LEFT), _numbers(store, RIGHT)
        store.close()
        assert left == right == _events(path), "half a transaction"
        assert set(acknowledged) <= set(left), "an acknowledged write is lost"
    assert slowest < OPEN_SECONDS
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()


def _open_store(path: Path) -> SqliteStore:
    store = SqliteStore(path, clock=SystemClock(), cursor_secret=SECRET)
    store.query(LEFT, limit=1)
    return store


def _write_and_kill(path: Path, first: int, lines: int) -> list[int]:
    """The numbers that were acknowledged before the end. It comes after `lines` of them, in the midst of the next."""
    command = [sys.executable, "-m", "tests.contract.endless_writer", str(path), str(first)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        said = [writer.stdout.readline() for _ in range(lines)]
        writer.kill()
        said += writer.stdout.readlines()
    return [int(line) for line in said if line.endswith("\n")]


def _numbers(store: SqliteStore, partition: Partition) -> list[int]:
    numbers: list[int] = []
    cursor: str | None = None
    while True:
        page = store.query(partition, limit=1000, cursor=cursor)
        numbers += [int(item.key.sort) for item in page.items]
        cursor = page.cursor
        if cursor is None:
            return numbers


def _events(path: Path) -> list[int]:
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT sort FROM changes ORDER BY sequence").fetchall()
    connection.close()
    return [int(sort) for (sort,) in rows]
