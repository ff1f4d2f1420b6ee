"""Test that all processes share one secret, whichever makes it."""

import os
from pathlib import Path

from almanac.kernel.clock import SystemClock
from almanac.platform.store.shared_secret import shared_secret
from almanac.platform.store.sqlite.store import SqliteStore


def store(path: Path) -> SqliteStore:
    return SqliteStore(path / "store.db", clock=SystemClock(), cursor_secret=bytes(32))


def test_every_process_gets_the_secret_that_the_first_one_made(tmp_path: Path):
    first = shared_secret(store(tmp_path), "cursors", os.urandom)

    assert len(first) == 32
    assert shared_secret(store(tmp_path), "cursors", os.urandom) == first
    assert shared_secret(store(tmp_path), "others", os.urandom) != first


def test_who_is_second_in_a_race_takes_the_winners(tmp_path: Path):
    def slow_random(size: int) -> bytes:
        winner.append(shared_secret(store(tmp_path), "cursors", os.urandom))
        return os.urandom(size)

    winner: list[bytes] = []

    assert shared_secret(store(tmp_path), "cursors", slow_random) == winner[0]
