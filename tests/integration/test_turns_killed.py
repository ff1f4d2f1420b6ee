"""Writers of turns that are killed at random: every acknowledged turn is there once, in its order, in its place.

Eight processes record in one session. In each round some are killed, and begin again with turns that they have
recorded before.
"""

import os
import random
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import TextIO

import pytest

from almanac.families.memory.core.records import SESSIONS, TURNS
from almanac.platform.bus.outbox import messages_in
from almanac.platform.store.sqlite.changes import SqliteChanges
from tests.integration.turn_writer import AT_ONCE, SESSION, project_over, record_numbers

ROOT = Path(__file__).parents[2]
WRITERS = [f"w{number}" for number in range(8)]
ROUNDS = 20
KILLED_AT_ONCE = 3


class Writers:
    """They speak into one pipe. `acknowledged` has the ids of their turns, by writer and number."""

    def __init__(self, path: Path) -> None:
        self._path = path
        reading, self._speaking = os.pipe()
        self._lines: TextIO = os.fdopen(reading)
        self._alive: dict[str, subprocess.Popen[bytes]] = {}
        self._spoke: set[str] = set()
        self.acknowledged: dict[tuple[str, int], str] = {}
        for writer in WRITERS:
            self._start(writer)

    def listen(self, lines: int) -> list[str]:
        """Read at least so many lines, until enough living writers have printed one, and return those writers."""
        while lines > 0 or len(self._spoke) < KILLED_AT_ONCE:
            self._take(self._lines.readline())
            lines -= 1
        return sorted(self._spoke)

    def kill(self, writer: str) -> None:
        process = self._alive.pop(writer)
        self._spoke.discard(writer)
        process.kill()
        process.wait()

    def restart(self, writer: str) -> None:
        self.kill(writer)
        self._start(writer)

    def close(self) -> None:
        """Kill all writers, and read their last lines."""
        for writer in list(self._alive):
            self.kill(writer)
        os.close(self._speaking)
        for line in self._lines:
            self._take(line)
        self._lines.close()

    def _start(self, writer: str) -> None:
        last = max((number for by, number in self.acknowledged if by == writer), default=-1)
        first = max(0, last - 1)
        command = [sys.executable, "-m", "tests.integration.turn_writer", str(self._path), writer, str(first)]
        self._alive[writer] = subprocess.Popen(command, cwd=ROOT, stdout=self._speaking)

    def _take(self, line: str) -> None:
        writer, number, turn_id = line.split()
        self._spoke.add(writer)
        assert self.acknowledged.setdefault((writer, int(number)), turn_id) == turn_id, "a replay became another turn"


@pytest.mark.slow
def test_killed_writers_lose_no_turn_repeat_none_and_keep_the_order(tmp_path: Path):
    path, chance = tmp_path / "store.db", random.Random(14)
    assert list(project_over(path).rows(TURNS).every()) == []  # the file is made before eight make it at once
    writers = Writers(path)
    try:
        for _ in range(ROUNDS):
            spoke = writers.listen(chance.randint(30, 200))
            for writer in chance.sample(spoke, KILLED_AT_ONCE):
                writers.restart(writer)
    finally:
        writers.close()

    project = project_over(path)
    turns = list(project.rows(TURNS).every(SESSION, index="gsi2"))
    names = [turn.content.removeprefix("turn ") for turn in turns]
    session = project.rows(SESSIONS).get(SESSION)
    assert session is not None
    assert [turn.position for turn in turns] == list(range(session.turns))
    assert len(set(names)) == len(names), "a turn was recorded twice"
    stored = {name: turn.id for name, turn in zip(names, turns, strict=True)}
    assert {f"{writer}/{number}": turn for (writer, number), turn in writers.acknowledged.items()}.items() <= (
        stored.items()
    ), "an acknowledged turn is lost"
    for writer in WRITERS:
        own = [int(name.partition("/")[2]) for name in names if name.startswith(f"{writer}/")]
        assert own == list(range(len(own)))
    assert _actors_of_events(path) == [turn.id for turn in turns]
    _replay(path, writers.acknowledged)
    assert len(list(project.rows(TURNS).every())) == len(turns)


def _actors_of_events(path: Path) -> list[str]:
    """Whose events were written, in order."""
    changes = SqliteChanges(path)
    messages = [message for change in changes.read(0, 100_000) for message in messages_in(change.attributes)]
    changes.close()
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()
    return [str(each.event.payload["turn_id"]) for each in messages if each.event.kind == "turn_recorded"]


def _replay(path: Path, acknowledged: dict[tuple[str, int], str]) -> None:
    project = project_over(path)
    for writer in WRITERS:
        told = record_numbers(project, writer, range(AT_ONCE))
        assert [each.deduped for each in told] == [True] * AT_ONCE
        assert [each.turn_id for each in told] == [acknowledged[writer, number] for number in range(AT_ONCE)]
