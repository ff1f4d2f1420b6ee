"""Parts of a process by type, for reactions, scheduled jobs and families."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

T = TypeVar("T")


class Services:
    """The parts of one process, by type, e.g. `services.get(Store)`. The first use of a part opens it."""

    def __init__(self, openers: Mapping[type, Callable[[], Any]]) -> None:
        self._openers = dict(openers)
        self._opened: dict[type, Any] = {}

    def get(self, kind: type[T]) -> T:
        if kind not in self._opened:
            self._opened[kind] = self._openers[kind]()
        return cast(T, self._opened[kind])

    def find(self, kind: type[T]) -> T | None:
        """Return a part. None in a process that has no such part."""
        return self.get(kind) if kind in self._openers else None
