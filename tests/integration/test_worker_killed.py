"""Workers that are killed at random: no event lost, none applied twice, order kept within every key.

Writers and workers are processes of their own. Of two workers one is at work, the other waits for it to die.
"""

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import pytest

from almanac.kernel.clock import SystemClock
from almanac.platform.bus.dead_letters import dead_letters, retry
from almanac.platform.bus.notifier import Notifier
from almanac.platform.store.port import Put, Store
from almanac.platform.store.sqlite.changes import SqliteChanges
from tests.integration.worker import CURE, NAMES, POISON, applied_numbers, open_store, state_key

ROOT = Path(__file__).parents[2]
KEYS = [f"key-{number}" for number in range(20)]
EVENTS = 50
ALL = list(range(1, EVENTS + 1))
WITHOUT_POISON = [number for number in ALL if number != POISON]
KILLS = 20


class Workers:
    """Two at a time; they speak into one pipe."""

    def __init__(self, path: Path) -> None:
        self._path = path
        reading, self._speaking = os.pipe()
        self._lines: TextIO = os.fdopen(reading)
        self._alive: dict[str, subprocess.Popen[bytes]] = {}
        self._started = 0
        self.start()
        self.start()

    def start(self) -> None:
        self._started += 1
        holder = f"worker-{self._started}"
        self._alive[holder] = _start(self._speaking, "work", str(self._path), holder)

    def kill(self, holder: str) -> None:
        worker = self._alive.pop(holder)
        worker.kill()
        worker.wait()

    def lines(self) -> Iterator[tuple[str, str]]:
        """Yield (holder, effect about to be applied) for ever."""
        for line in self._lines:
            holder, _, what = line.strip().partition(" ")
            yield holder, what

    def is_alive(self, holder: str) -> bool:
        return holder in self._alive

    def close(self) -> None:
        for holder in list(self._alive):
            self.kill(holder)
        os.close(self._speaking)
        self._lines.close()


def _start(out: int | None, *arguments: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, "-m", "tests.integration.worker", *arguments], cwd=ROOT, stdout=out)


def _expected_numbers(name: str, *, cured: bool) -> list[int]:
    if name != "picky":
        return ALL
    return [*WITHOUT_POISON, POISON] if cured else WITHOUT_POISON


def _await(store: Store, *, parked: int, cured: bool) -> None:
    """Until as much was applied and parked as there is."""
    while len(dead_letters(store, "acme").events) != parked or any(
        len(applied_numbers(store, name, key)) < len(_expected_numbers(name, cured=cured))
        for name in NAMES
        for key in KEYS
    ):
        Notifier().wait(10)


def _assert_applied(store: Store, *, cured: bool) -> None:
    for name in NAMES:
        for key in KEYS:
            assert applied_numbers(store, name, key) == _expected_numbers(name, cured=cured), (name, key)


@pytest.mark.slow
def test_killed_workers_lose_nothing_repeat_nothing_and_keep_the_order(tmp_path: Path):
    path = tmp_path / "store.db"
    store, chance = open_store(path), random.Random(7)
    assert store.get(CURE) is None
    writers = [_start(None, "write", str(path), ",".join(keys), str(EVENTS)) for keys in (KEYS[:10], KEYS[10:])]
    workers = Workers(path)
    try:
        kills = _kill_at_random(workers, chance)
        assert [writer.wait() for writer in writers] == [0, 0]
        _await(store, parked=len(KEYS), cured=False)
        _assert_applied(store, cured=False)
        assert kills == KILLS
        assert {each.message.event.payload["number"] for each in dead_letters(store, "acme").events} == {POISON}

        store.write([Put(CURE, {})])
        for each in dead_letters(store, "acme").events:
            retry(store, SystemClock(), each)
        _await(store, parked=0, cured=True)
        _assert_applied(store, cured=True)
    finally:
        workers.close()
        for writer in writers:
            writer.kill()
            writer.wait()
    assert [store.get(state_key(key)).attributes["number"] for key in KEYS] == [EVENTS] * len(KEYS)  # type: ignore[union-attr]
    changes = SqliteChanges(path)
    assert changes.head() == len(KEYS) * (EVENTS + 1)
    changes.close()
    store.close()


def _kill_at_random(workers: Workers, chance: random.Random) -> int:
    """Kill workers amid their work until all events but the poisonous one are applied. Return the number of kills."""
    to_say = len(KEYS) * sum(len(_expected_numbers(name, cured=False)) for name in NAMES)
    said: set[str] = set()
    kills, until_kill = 0, chance.randint(1, 200)
    for holder, what in workers.lines():
        said.add(what)
        until_kill -= 1
        # What is read may have been said by one that is dead by now.
        if until_kill <= 0 and kills < KILLS and workers.is_alive(holder):
            workers.kill(holder)
            workers.start()
            kills += 1
            until_kill = chance.randint(1, 200)
        if len(said) == to_say:
            return kills
    raise AssertionError("the workers ended")
