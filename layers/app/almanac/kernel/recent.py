"""What was made of short texts, kept as long as they come again: memory that a process may be sure of."""

from collections.abc import Callable, Iterable
from typing import TypeVar

V = TypeVar("V")


class Recent(dict[str, V]):
    """Asked by `recent[key]` alone, or by `of`: a dictionary, so that the interpreter's own loops find what is known.

    `make` is pure and never answers None. What came among the last `most` new keys is kept, at least, and at most
    about twice as many; nothing is of keys of over `longest` characters. Threads may make one twice.
    """

    def __init__(self, make: Callable[[str], V], most: int, longest: int) -> None:
        super().__init__()
        self._make = make
        self._most = most
        self._longest = longest
        self._old: dict[str, V] = {}

    def __missing__(self, key: str) -> V:
        if len(key) > self._longest:
            return self._make(key)
        value = self._old.get(key)
        if value is None:
            value = self._make(key)
        if len(self) >= self._most:
            self._old = dict(self)
            self.clear()
        self[key] = value
        return value

    def of(self, keys: Iterable[str]) -> list[V]:
        """Those of all keys."""
        return list(map(self.__getitem__, keys))
