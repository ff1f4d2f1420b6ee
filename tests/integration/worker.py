"""A worker in a process of its own, to be killed: every reaction keeps a list of what it has applied, key by key.

python -m tests.integration.worker work PATH HOLDER          says `HOLDER REACTION KEY NUMBER` before each effect
python -m tests.integration.worker write PATH KEYS EVENTS    writes events, each with the state it tells of
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock, SystemClock
from almanac.kernel.events import Event, new_event
from almanac.kernel.instants import now_ms
from almanac.platform.bus.delivery import Delivery, RetryPolicy
from almanac.platform.bus.notifier import Notifier
from almanac.platform.bus.outbox import outbox
from almanac.platform.bus.port import Handle, Reaction
from almanac.platform.bus.worker import Pace, Worker
from almanac.platform.services import Services
from almanac.platform.store.conditions import Absent, Equals
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import Change, Put, Store, Update
from almanac.platform.store.sqlite.changes import SqliteChanges
from almanac.platform.store.sqlite.store import SqliteStore
from almanac.platform.store.values import Value

SCOPE = Scope("acme", "main")
NAMES = ("index", "mirror", "picky")
POISON = 17
"""Every event of this number is too much for the picky reaction, until the cure is written."""
CURE = Key(Partition.in_project(SCOPE, "cure"), sort_key("cure"))
PACE = Pace(poll=10, lease=300, outage=10)
RETRIES = RetryPolicy(faults=3, first_ms=5)


def open_store(path: Path) -> SqliteStore:
    return SqliteStore(path, clock=SystemClock(), cursor_secret=b"the secret of these tests")


def state_key(key: str) -> Key:
    return Key(Partition.in_project(SCOPE, "state"), sort_key(key))


def applied_key(reaction: str, key: str) -> Key:
    return Key(Partition.in_project(SCOPE, "applied", reaction), sort_key(key))


def applied_numbers(store: Store, reaction: str, key: str) -> list[int]:
    item = store.get(applied_key(reaction, key))
    numbers = item.attributes["numbers"] if item else []
    assert isinstance(numbers, list)
    return [number for number in numbers if isinstance(number, int)]


def reactions(holder: str) -> list[Reaction]:
    return [Reaction(name, frozenset(["counted"]), _append_handler(name, holder)) for name in NAMES]


def _append_handler(name: str, holder: str) -> Handle:
    def handle(event: Event, services: Services) -> Sequence[Change]:
        store = services.get(Store)
        number: int = event.payload["number"]
        if name == "picky" and number == POISON and store.get(CURE) is None:
            raise ValueError(f"{number} is too much")
        before = applied_numbers(store, name, event.key)
        sys.stdout.write(f"{holder} {name} {event.key} {number}\n")
        sys.stdout.flush()
        standing = Equals("length", len(before)) if before else Absent()
        after: dict[str, Value] = {"numbers": [*before, number], "length": len(before) + 1}
        return [Put(applied_key(name, event.key), after, standing)]

    return handle


def write(path: Path, keys: Sequence[str], events: int) -> None:
    """`events` for each of the keys; the numbers of a key count up from 1 with its state."""
    store, clock = open_store(path), SystemClock()
    for number in range(1, events + 1):
        for key in keys:
            state = Put(state_key(key), {"number": 1}, Absent())
            if number > 1:
                state = Update(state_key(key), add={"number": 1}, condition=Equals("number", number - 1))
            event = new_event(
                "counted",
                SCOPE,
                key=key,
                actor="writer",
                at=now_ms(clock),
                random_bytes=os.urandom,
                payload={"number": number},
            )
            store.write([state, *outbox([event])])


def work(path: Path, holder: str, reactions: Sequence[Reaction], retries: RetryPolicy | None = None) -> None:
    """Work off the events of a store until the process is killed."""
    store, clock = open_store(path), SystemClock()
    services = Services({Store: lambda: store, Clock: lambda: clock})

    def report(where: str, error: BaseException) -> None:
        sys.stderr.write(f"{where}: {error!r}\n")

    Worker(
        store,
        SqliteChanges(path),
        Delivery(store, services, clock, report=report, retries=retries),
        reactions,
        clock,
        holder=holder,
        notifier=Notifier(),
        report=report,
        pace=PACE,
    ).run()


if __name__ == "__main__":
    verb, place, *rest = sys.argv[1:]
    if verb == "write":
        write(Path(place), rest[0].split(","), int(rest[1]))
    else:
        work(Path(place), rest[0], reactions(rest[0]), RETRIES)
