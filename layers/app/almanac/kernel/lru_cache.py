"""A bounded cache of what is computed from short texts."""

from collections.abc import Callable, Iterable
from typing import TypeVar

V = TypeVar("V")


class LruCache(dict[str, V]):
    """Values of `make` by key, of about the `most` last used keys.

    Read one with `cache[key]`, several with `of`. `make` is pure and never returns None. The cache holds at least the
    last `most` new keys and at most about twice as many, and none of over `longest` characters. It is a dictionary, so
    that the interpreter's own loops find known keys. Two threads may compute the same value twice."""

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
        """Return the values of all keys."""
        return list(map(self.__getitem__, keys))
