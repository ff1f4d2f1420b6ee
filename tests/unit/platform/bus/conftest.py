"""A store, events in it, and the parts that carry them to reactions."""

import itertools
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest

from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock, FixedClock
from almanac.kernel.events import Event, new_event
from almanac.kernel.instants import now_ms
from almanac.platform.bus.delivery import Delivery
from almanac.platform.bus.port import Reaction
from almanac.platform.services import Services
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import Change, Put, Store, Update
from almanac.platform.store.sqlite.changes import SqliteChanges
from almanac.platform.store.sqlite.store import SqliteStore

SCOPE = Scope("acme", "main")
COUNTER = Key(Partition.in_project(SCOPE, "counters"), sort_key("counter"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
def store(path: Path, clock: FixedClock) -> Iterable[SqliteStore]:
    opened = SqliteStore(path, clock=clock, cursor_secret=b"the secret of these tests")
    yield opened
    opened.close()


@pytest.fixture
def changes(path: Path, store: SqliteStore) -> Iterable[SqliteChanges]:
    opened = SqliteChanges(path)
    yield opened
    opened.close()


@pytest.fixture
def make(clock: FixedClock) -> "Maker":
    return Maker(clock)


class Maker:
    """Makes events: `make("a")` one of key a, whose payload counts all that were made."""

    def __init__(self, clock: FixedClock) -> None:
        self._clock = clock
        self._numbers = itertools.count(1)

    def __call__(self, key: str = "a", kind: str = "noted", scope: Scope = SCOPE) -> Event:
        number = next(self._numbers)
        return new_event(
            kind,
            scope,
            key=key,
            actor="ada",
            at=now_ms(self._clock),
            random_bytes=lambda count: number.to_bytes(count, "big"),
            payload={"number": number},
        )


class Recorder:
    """A reaction that records handled events, and fails as often as a test wants."""

    def __init__(self, name: str = "recorder", kinds: Sequence[str] = ("noted",)) -> None:
        self.handled: list[int] = []
        self.failures: dict[int, list[Exception]] = {}
        self.attempts: list[int] = []
        self.changes: Callable[[Event], Sequence[Change]] = lambda event: ()
        self.reaction = Reaction(name, frozenset(kinds), self._handle)

    def fail(self, number: int, *errors: Exception) -> None:
        self.failures[number] = list(errors)

    def _handle(self, event: Event, services: Services) -> Sequence[Change]:
        number: int = event.payload["number"]
        self.attempts.append(number)
        if errors := self.failures.get(number):
            raise errors.pop(0)
        changes = self.changes(event)
        self.handled.append(number)
        return changes


class Reports:
    def __init__(self) -> None:
        self.errors: list[BaseException] = []

    def __call__(self, where: str, error: BaseException) -> None:
        self.errors.append(error)


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
def counter(store: SqliteStore) -> Recorder:
    """A reaction that counts: twice would show."""
    store.write([Put(COUNTER, {"count": 0})])
    recorder = Recorder("counter")
    recorder.changes = lambda event: [Update(COUNTER, add={"count": 1})]
    return recorder


@pytest.fixture
def reports() -> Reports:
    return Reports()


@pytest.fixture
def delivery(store: SqliteStore, clock: FixedClock, reports: Reports) -> Delivery:
    services = Services({Store: lambda: store, Clock: lambda: clock})
    return Delivery(store, services, clock, report=reports)
