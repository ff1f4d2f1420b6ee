"""Writers of facts that are killed at random: nothing acknowledged is lost, and what is stored is whole."""

import os
import random
import sqlite3
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any, TextIO

import msgspec
import pytest

from almanac.families.knowledge.core.documents import SOURCES
from almanac.families.knowledge.core.knowledge import Knowledge
from almanac.families.knowledge.core.records import FACTS, PLACES, SLOTS, SUBJECTS, Fact
from almanac.families.knowledge.core.timeline import is_retracted
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock
from almanac.platform.bus.outbox import messages_in
from almanac.platform.services import Services
from almanac.platform.store.port import Store
from almanac.platform.store.sqlite.changes import SqliteChanges
from tests.contract.backends import Place
from tests.integration.fact_model import assert_acknowledged_is_stored
from tests.integration.fact_writer import knowledge_over

ROOT = Path(__file__).parents[2]
SCOPE = Scope("tenant", "main")
WRITERS = 4
ROUNDS = 20
KILLED_AT_ONCE = 2
Json = dict[str, Any]


class Writers:
    """Writer processes that share a pipe.

    `told` has the acknowledgements of each in order, and `killed` counts the killed ones.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        reading, self._speaking = os.pipe()
        self._lines: TextIO = os.fdopen(reading)
        self._alive: list[subprocess.Popen[bytes]] = []
        self.told: list[Json] = []
        self.killed = 0
        for _ in range(WRITERS):
            self._start()

    def listen(self, lines: int) -> None:
        for _ in range(lines):
            self.told.append(msgspec.json.decode(self._lines.readline()))

    def kill(self, writer: subprocess.Popen[bytes]) -> None:
        self._alive.remove(writer)
        writer.kill()
        writer.wait()
        self.killed += 1

    def restart(self, chance: random.Random) -> None:
        """Kill some writers amid their work, and start as many."""
        for writer in chance.sample(self._alive, KILLED_AT_ONCE):
            self.kill(writer)
            self._start()

    def close(self) -> None:
        """Kill all writers, and read their last acknowledgements."""
        for writer in list(self._alive):
            self.kill(writer)
        os.close(self._speaking)
        self.told += [msgspec.json.decode(line) for line in self._lines]
        self._lines.close()

    def _start(self) -> None:
        command = [sys.executable, "-m", "tests.integration.fact_writer", "sqlite", str(self._path)]
        named = f"w{len(self._alive)}-{self.killed}"
        writer = subprocess.Popen([*command, named, "20000", named, SCOPE.tenant], cwd=ROOT, stdout=self._speaking)
        self._alive.append(writer)


@pytest.mark.slow
def test_killed_writers_lose_nothing_and_leave_nothing_half_done(tmp_path: Path) -> None:
    path, chance = tmp_path / "store.db", random.Random(15)
    project = knowledge_over(Place("sqlite", str(path)), "ann", SCOPE)
    assert list(project.rows(FACTS).every()) == []  # the file is made before four make it at once
    writers = Writers(path)
    try:
        for _ in range(ROUNDS):
            writers.listen(chance.randint(20, 150))
            writers.restart(chance)
    finally:
        writers.close()

    facts = list(project.rows(FACTS).every())
    # Of each writer that was killed, one change may be stored whose end it did not live to tell; a correction is two.
    assert assert_acknowledged_is_stored(facts, writers.told) <= 2 * writers.killed
    slots = Counter((one.subject_key, one.predicate_key) for one in facts)
    assert {(one.subject_key, one.predicate_key): one.facts for one in project.rows(SLOTS).every()} == slots
    assert {one.id for one in project.rows(PLACES).every()} == {one.id for one in facts}
    assert {one.subject_key for one in project.rows(SUBJECTS).every()} == {one.subject_key for one in facts}
    _check_events(path, facts)
    _check_documents(project, facts)


def _check_events(path: Path, facts: list[Fact]) -> None:
    """Check that each change has one event, in the write that made it."""
    changes = SqliteChanges(path)
    messages = [message for change in changes.read(0, 1_000_000) for message in messages_in(change.attributes)]
    changes.close()
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()
    events = [message.event for message in messages]
    new = [one.payload["fact_id"] for one in events if one.kind == "fact_recorded" and not one.payload["deduped"]]
    assert sorted(new) == sorted(one.id for one in facts)
    ended = Counter(one.payload["fact_id"] for one in events if one.kind == "fact_invalidated")
    said = {one.id: len(one.endings) for one in facts}
    # An end that came with the same fact said again is told as that.
    assert all(ended[one] <= said[one] for one in said)
    versions = {one.id: one.version for one in facts}
    assert {one.payload["id"]: one.payload["version"] for one in events if one.kind == "document_written"} == versions


def _check_documents(project: Knowledge, facts: list[Fact]) -> None:
    services = Services({Store: lambda: project.store, Clock: lambda: project.clock})
    found = [one.id for one in SOURCES[0].every(services, SCOPE, "")]
    assert found == sorted(one.id for one in facts if not is_retracted(one))
