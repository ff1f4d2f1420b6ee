"""Records turns of one writer in a session that others write too, until it is killed, and says each that was
acknowledged.

python -m tests.integration.turn_writer PATH WRITER FIRST
"""

import os
import sys
from itertools import count
from pathlib import Path

from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.turns.batch import Defaults, record_batch
from almanac.families.memory.turns.plan import RecordedTurn
from almanac.kernel.caller import Scope
from almanac.kernel.clock import SystemClock
from almanac.platform.project import patient_backoff
from almanac.platform.store.sqlite.store import SqliteStore
from tests.contract.backends import SECRET

SCOPE = Scope("tenant", "main")
SESSION = "shared"
AT_ONCE = 3


def project_over(path: Path) -> MemoryProject:
    clock = SystemClock()
    store = SqliteStore(path, clock=clock, cursor_secret=SECRET)
    return MemoryProject(store, SCOPE, "ann", clock, os.urandom, patient_backoff())


def record_numbers(project: MemoryProject, writer: str, numbers: range) -> list[RecordedTurn]:
    names = [f"{writer}/{number}" for number in numbers]
    turns = [{"content": f"turn {name}", "client_turn_id": name} for name in names]
    outcomes = record_batch(project, turns, Defaults(SESSION))
    return [each for each in outcomes if isinstance(each, RecordedTurn)]


def main(path: str, writer: str, first: str) -> None:
    project = project_over(Path(path))
    for start in count(int(first), AT_ONCE):
        numbers = range(start, start + AT_ONCE)
        told = record_numbers(project, writer, numbers)
        lines = [f"{writer} {number} {each.turn_id}\n" for number, each in zip(numbers, told, strict=True)]
        os.write(sys.stdout.fileno(), "".join(lines).encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
