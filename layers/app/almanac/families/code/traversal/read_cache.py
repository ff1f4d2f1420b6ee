"""A cache of what a process read, bounded by bytes, that evicts the least recently used entry."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, TypeVar, cast

T = TypeVar("T")

MOST_BYTES = 96 << 20


class ReadCache:
    """A cache that is safe for several threads. Every name begins with its scope, so that no tenant reads another's
    entries."""

    def __init__(self) -> None:
        self._held: OrderedDict[Hashable, tuple[int, Any]] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def get(self, name: Hashable, _kind: type[T]) -> T | None:
        """Return the entry stored under the name, always of this kind, or None."""
        with self._lock:
            found = self._held.get(name)
            if found is None:
                return None
            self._held.move_to_end(name)
            return cast(T, found[1])

    def keep(self, name: Hashable, value: object, size: int) -> None:
        with self._lock:
            self._bytes += size - self._held.pop(name, (0, None))[0]
            self._held[name] = (size, value)
            while self._bytes > MOST_BYTES:
                self._bytes -= self._held.popitem(last=False)[1][0]

    def get_or_make(self, name: Hashable, kind: type[T], make: Callable[[], tuple[T, int]]) -> T:
        """Return the entry stored under the name, or make and store it. `make` also returns its size in bytes."""
        found = self.get(name, kind)
        if found is None:
            found, size = make()
            self.keep(name, found, size)
        return found
