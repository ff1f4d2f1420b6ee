"""Writes pairs of items to a SQLite store until it is killed, and says each number once its write is acknowledged.

python -m tests.contract.endless_writer PATH FIRST
"""

import sys
from itertools import count
from pathlib import Path

from almanac.kernel.caller import Scope
from almanac.kernel.clock import SystemClock
from almanac.platform.store.conditions import Absent
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import OutboxPut, Put
from almanac.platform.store.sqlite.store import SqliteStore
from tests.contract.backends import SECRET

LEFT = Partition.in_project(Scope("tenant", "main"), "left")
RIGHT = Partition.in_project(Scope("tenant", "main"), "right")


def main(path: str, first: str) -> None:
    store = SqliteStore(Path(path), clock=SystemClock(), cursor_secret=SECRET)
    for number in count(int(first)):
        text = "x" * (number * 37 % 5000)
        left = Put(Key(LEFT, sort_key(number)), {"text": text}, Absent())
        store.write([left, OutboxPut(Key(RIGHT, sort_key(number)), {"text": text}, Absent())])
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
