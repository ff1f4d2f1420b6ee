"""The parts of a process: reactions, scheduled jobs and builders of families ask for parts by type."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

T = TypeVar("T")


class Services:
    """The parts of one process, by type: `services.get(Store)`. Each is opened when it is first asked for."""

    def __init__(self, openers: Mapping[type, Callable[[], Any]]) -> None:
        self._openers = dict(openers)
        self._opened: dict[type, Any] = {}

    def get(self, kind: type[T]) -> T:
        if kind not in self._opened:
            self._opened[kind] = self._openers[kind]()
        return cast(T, self._opened[kind])

    def find(self, kind: type[T]) -> T | None:
        """The same; None in a process that has no such part."""
        return self.get(kind) if kind in self._openers else None
