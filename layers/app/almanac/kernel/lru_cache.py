"""A bounded cache for values that are computed from short texts."""

from collections.abc import Callable, Iterable
from typing import TypeVar

V = TypeVar("V")


class LruCache(dict[str, V]):
    """Caches the values of `make` for about the `most` last used keys.

    Read one value with `cache[key]`, several with `of`. `make` must be pure and never return None. The cache holds at
    least the last `most` new keys and at most about twice as many. It never holds keys of over `longest` characters. It
    is a dictionary because the interpreter then looks up cached keys without running Python code. Two threads may
    compute the same value twice.
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
        """Return the values of all keys."""
        return list(map(self.__getitem__, keys))
