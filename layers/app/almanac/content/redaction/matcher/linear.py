"""Linear-time patterns by RE2, over bytes that each stand for one character."""

from collections.abc import Iterable, Sequence
from functools import cache
from importlib import import_module
from typing import Any, Protocol

_MEMORY_BYTES = 32 * 1024 * 1024


class Match(Protocol):
    """One match. Offsets are bytes of the text, and group 0 is the whole match."""

    def start(self, group: int = 0) -> int: ...
    def end(self, group: int = 0) -> int: ...
    def group(self, group: int = 0) -> bytes | None: ...


class Pattern(Protocol):
    """A compiled pattern. `match` matches at `pos`, `search` at the first position from there."""

    def finditer(self, text: bytes) -> Iterable[Match]: ...
    def search(self, text: bytes, pos: int = 0, endpos: int | None = None) -> Match | None: ...
    def match(self, text: bytes, pos: int = 0, endpos: int | None = None) -> Match | None: ...
    def fullmatch(self, text: bytes, pos: int = 0, endpos: int | None = None) -> Match | None: ...


class PatternSet(Protocol):
    """Many patterns as one. `Match` returns the list positions of the patterns that occur in a text."""

    def Match(self, text: bytes) -> Sequence[int] | None: ...  # noqa: N802 - its name in RE2


@cache
def compile_pattern(pattern: str, ignore_case: bool = False, longest: bool = False) -> Pattern:
    """Compile a pattern at first use, so that a cold start does not pay for unused ones.

    `longest` prefers the longest alternative of a pattern to the first.
    """
    re2, options = _re2()
    options.case_sensitive = not ignore_case
    options.longest_match = longest
    return re2.compile(pattern.encode("latin-1"), options)


def pattern_set(patterns: Iterable[str]) -> PatternSet:
    re2, options = _re2()
    made = re2.Set.SearchSet(options)
    for pattern in patterns:
        made.Add(pattern.encode("latin-1"))
    made.Compile()
    return made


def _re2() -> tuple[Any, Any]:
    re2: Any = import_module("re2")  # 10 ms; it carries no types
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.max_mem = _MEMORY_BYTES
    options.log_errors = False
    return re2, options
