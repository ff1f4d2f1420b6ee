"""Processes of a laptop's search: one that follows what is written, one that answers questions.

python -m tests.integration.search.processes follow STORE INDEX      indexes until it is ended
python -m tests.integration.search.processes answer STORE INDEX      a question a line on standard input, ids as answers
"""

import os
import sys
from pathlib import Path

from almanac.kernel.clock import SystemClock
from almanac.platform.bus.delivery import Delivery
from almanac.platform.bus.notifier import Notifier
from almanac.platform.bus.worker import Pace, Worker
from almanac.platform.store.sqlite.changes import SqliteChanges
from almanac.search.engine.index_reaction import FOLLOW
from almanac.search.sqlite.index import SqliteIndex
from tests.doubles.searched_things import Things

PACE = Pace(poll=5, lease=300, outage=10)


def open_things(store: Path, index: Path) -> Things:
    return Things(store, SqliteIndex(index), clock=SystemClock())


def follow(store: Path, index: Path) -> None:
    things = open_things(store, index)

    def report(where: str, error: BaseException) -> None:
        sys.stderr.write(f"{where}: {error!r}\n")

    Worker(
        things.store,
        SqliteChanges(things.path),
        Delivery(things.store, things.services, SystemClock(), report=report),
        [FOLLOW],
        SystemClock(),
        holder=f"follower {os.getpid()}",
        notifier=Notifier(),
        report=report,
        name="search",
        pace=PACE,
    ).run()


def answer(store: Path, index: Path) -> None:
    things = open_things(store, index)
    for line in sys.stdin:
        sys.stdout.write(" ".join(things.search_ids(line.strip())) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    verb, *places = sys.argv[1:]
    {"follow": follow, "answer": answer}[verb](*map(Path, places))
