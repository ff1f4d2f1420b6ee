"""An argument goes straight down through the modules of a family: none is entered again on its way.

A call is traced with a marker as the argument. A step is a call from one module of `almanac.families` into another that is
given the marker, or something that holds it. A module is entered again where it is already being called further up, or
where an earlier step into it went on into a deeper module and returned.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import msgspec

from tests.unit.families.planner.houses import House

_PACKAGE = "almanac.families."


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
    visits: list[Visit] = field(default_factory=list)
    _stack: list[tuple[FrameType, Visit | None]] = field(default_factory=list)

    def entered_again(self) -> list[str]:
        left: set[str] = set()
        again: list[str] = []
        for at, visit in enumerate(self.visits):
            if visit.module in left or visit.module in visit.above():
                again.append(f"{visit.module}, from {visit.caller.module if visit.caller else 'the tool'} (step {at})")
            left |= {one.module for one in self.visits[: at + 1] if one.deeper}
        return again

    @contextmanager
    def traced(self) -> Iterator[None]:
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


def _parts(value: object) -> Iterable[Any]:
    if isinstance(value, msgspec.Struct):
        return (getattr(value, name, None) for name in value.__struct_fields__)
    if is_dataclass(value) and not isinstance(value, type):
        return (getattr(value, one.name, None) for one in fields(value))
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, tuple | list | set | frozenset) else ()


def contains(text: str) -> Callable[[object], bool]:
    return lambda value: isinstance(value, str) and text in value


def test_the_title_of_a_card_goes_straight_down(tmp_path: Path) -> None:
    house = House(tmp_path)
    trail = Trail(contains("Mark the trail"))
    with trail.traced():
        house.do("kanban_create_card", columnId="col_todo", title="Mark the trail")
    assert len(trail.visits) > 1
    assert trail.entered_again() == []
    for visit in trail.visits:
        print(len(list(visit.above())), visit.module, visit.deeper)
