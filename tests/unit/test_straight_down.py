"""An argument goes straight down through the modules of a family: none is entered again on its way.

A call is traced with a marker as the argument, or with the type of a value that the call makes. A module of
`almanac.families` is visited when another one calls it with the marker, or with something that holds it. It is entered
again when it is called while it waits further up, or when an earlier visit has already gone on into a deeper module and
returned.
"""

import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import Any, cast

import msgspec
import pytest

from almanac.composition.families import every_family
from almanac.composition.services import services_for
from almanac.families.calendar.booking.draft import Draft
from almanac.families.knowledge.core.records import Fact
from almanac.families.memory.core.records import Turn
from almanac.families.memory.memories.new_memory import NewMemory
from almanac.families.memory.search.memory_search import MemoryQuery
from almanac.families.time.expressions.moments import Moment
from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import FixedClock
from almanac.kernel.instants import milliseconds
from almanac.platform.store.sqlite.store import SqliteStore
from tests.app import App

_PACKAGE = "almanac.families."
_START = datetime(2026, 2, 20, 14, 7, 9, tzinfo=UTC)


@dataclass
class Visit:
    """A call into a module from another one. `deeper`: it went on into a further module."""

    module: str
    caller: "Visit | None"
    deeper: bool = False

    def above(self) -> Iterator[str]:
        visit = self.caller
        while visit is not None:
            yield visit.module
            visit = visit.caller


@dataclass
class Trail:
    """The visits of a marker, in order."""

    is_marker: Callable[[object], bool]
    visits: list[Visit] = field(default_factory=list[Visit])
    _stack: list[tuple[FrameType, Visit | None]] = field(default_factory=list[tuple[FrameType, Visit | None]])

    def repeated_entries(self) -> list[str]:
        left: set[str] = set()
        again: list[str] = []
        for at, visit in enumerate(self.visits):
            if visit.module in left or visit.module in visit.above():
                again.append(f"{visit.module}, from {visit.caller.module if visit.caller else 'the tool'} (step {at})")
            left |= {one.module for one in self.visits[: at + 1] if one.deeper}
        return again

    @contextmanager
    def trace(self) -> Generator[None]:
        sys.setprofile(self._on_event)
        try:
            yield
        finally:
            sys.setprofile(None)

    def _on_event(self, frame: FrameType, event: str, _: object) -> None:
        module = str(frame.f_globals.get("__name__", ""))
        if not module.startswith(_PACKAGE):
            return
        if event == "call" and self._carries(frame):
            current = self._stack[-1][1] if self._stack else None
            if current is None or current.module != module:
                if current is not None:
                    current.deeper = True
                current = Visit(module, current)
                self.visits.append(current)
            self._stack.append((frame, current))
        elif event == "return" and self._stack and self._stack[-1][0] is frame:
            self._stack.pop()

    def _carries(self, frame: FrameType) -> bool:
        """Whether an argument, or a variable of an enclosing function, holds the marker."""
        code = frame.f_code
        names = (*code.co_varnames[: code.co_argcount + code.co_kwonlyargcount], *code.co_freevars)
        return any(self._holds(frame.f_locals.get(name)) for name in names)

    def _holds(self, value: object) -> bool:
        return self.is_marker(value) or any(self._holds(part) for part in _parts(value))


def _parts(value: Any) -> Iterable[object]:
    if isinstance(value, msgspec.Struct):
        return [getattr(value, name, None) for name in value.__struct_fields__]
    if is_dataclass(value) and not isinstance(value, type):
        return [getattr(value, one.name, None) for one in fields(value)]
    if isinstance(value, Mapping):
        return list(cast("Mapping[object, object]", value).values())
    return list(cast("Iterable[object]", value)) if isinstance(value, tuple | list | set | frozenset) else ()


def text(marker: str) -> Callable[[object], bool]:
    return lambda value: isinstance(value, str) and marker in value


def time(marker: datetime) -> Callable[[object], bool]:
    """Return an instant as text, as a datetime, and in milliseconds."""
    told = (marker, milliseconds(marker))
    return lambda value: text(marker.isoformat())(value) or (type(value) in {datetime, int} and value in told)


CALLS: dict[str, tuple[str, dict[str, Any], Callable[[object], bool]]] = {
    "title": ("kanban_create_card", {"columnId": "col_todo", "title": "Mark the trail"}, text("Mark the trail")),
    "expression": ("resolve_datetime", {"expression": "next friday at 14:07"}, text("next friday at 14:07")),
    "start": (
        "book_slot",
        {"calendar_id": "primary", "start": _START.isoformat(), "end": "2026-02-20T15:07:09+00:00", "summary": "Walk"},
        time(_START),
    ),
    "zone": (
        "book_slot",
        {
            "calendar_id": "primary",
            "start": "2026-02-20",
            "end": "2026-02-21",
            "summary": "Walks",
            "recurrence": "FREQ=WEEKLY;COUNT=20",
            "timezone": "America/New_York",
        },
        text("America/New_York"),
    ),
    "key": ("claim", {"key": "file:src/trail.py", "holder": "claude@ann", "ttl_ms": 60_000}, text("src/trail.py")),
}


@pytest.fixture
def app(tmp_path: Path) -> App:
    clock = FixedClock(datetime(2026, 2, 18, 14, 30, tzinfo=UTC))
    store = SqliteStore(tmp_path / "almanac.db", clock=clock, cursor_secret=b"c" * 32)
    caller = Caller(Scope("acme", "web"), actor="ann", key_id="key", default_timezone="America/New_York")
    return App.of(every_family(services_for(store, clock)), clock, caller)


@pytest.mark.parametrize("argument", CALLS)
def test_an_argument_goes_straight_down(app: App, argument: str) -> None:
    tool, arguments, is_marker = CALLS[argument]
    trail = Trail(is_marker)
    with trail.trace():
        app.call(tool, **arguments)
    assert len(trail.visits) > 1
    assert trail.repeated_entries() == []


VALUES: dict[type, tuple[str, dict[str, Any], int]] = {
    Draft: (CALLS["start"][0], CALLS["start"][1], 0),
    Moment: (CALLS["expression"][0], CALLS["expression"][1], 0),
    Turn: ("record_turn", {"role": "user", "content": "We use Postgres for orders.", "session_id": "trail"}, 0),
    Fact: ("record_fact", {"subject": "Ann", "predicate": "leads", "object": "Billing"}, 3),
    NewMemory: ("context_store", {"type": "decision", "content": "We use Postgres for orders."}, 0),
    MemoryQuery: ("search_memory", {"query": "What do we use for orders?"}, 0),
}
"""A call that makes a value, and how often the value may come back into a module that it has left."""


@pytest.mark.parametrize("kind", VALUES)
def test_a_value_comes_back_no_more_often_than_it_did(app: App, kind: type) -> None:
    tool, arguments, most = VALUES[kind]
    trail = Trail(lambda value: isinstance(value, kind))
    with trail.trace():
        app.call(tool, **arguments)
    assert trail.visits
    assert len(trail.repeated_entries()) <= most, trail.repeated_entries()


def test_a_way_that_comes_back_up_is_noticed() -> None:
    tool = Visit("tools", None, deeper=True)
    service = Visit("service", tool, deeper=True)
    leaf = Visit("text", service)
    straight = [tool, service, leaf, Visit("text", service), Visit("text", tool)]
    assert Trail(text("x"), straight).repeated_entries() == []
    again = [*straight, Visit("service", tool)]
    assert Trail(text("x"), again).repeated_entries() == ["service, from tools (step 5)"]
    upwards = [tool, service, Visit("tools", service)]
    assert Trail(text("x"), upwards).repeated_entries() == ["tools, from service (step 2)"]
