"""Regular expressions in linear time, by RE2. No caller's pattern can make matching slow, for any text."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from msgspec import Struct

from almanac.families.team.rules.effort import MATCHED_BYTES
from almanac.kernel.errors import InvalidInput

MAX_PATTERN = 512
_MEMORY_BYTES = 256 * 1024
_CUT = "\0"


class Pattern(Struct, frozen=True):
    """A compiled pattern. `size` is the number of instructions of its program; in the worst case each examines every
    byte."""

    search: Callable[[str], bool]
    size: int


def searched_part(text: str, most: int = MATCHED_BYTES) -> tuple[str, int]:
    """Return the part of a text that patterns examine, up to `most` bytes, and its size. A cut text ends in a character
    before which no `$` matches."""
    if text.isascii():
        return (text, len(text)) if len(text) <= most else (text[:most] + _CUT, most)
    raw = text[: most + 1].encode(errors="replace")
    if len(raw) <= most:
        return text, len(raw)
    return raw[:most].decode(errors="ignore") + _CUT, most


def pattern(text: str, path: str) -> Pattern:
    """Compile a pattern that searches anywhere in a string. `(?i)` at the start ignores case.

    Raises InvalidInput with `path` for syntax that RE2 does not know (lookaround, backreferences), too much memory, or
    over 512 characters.
    """
    if len(text) > MAX_PATTERN:
        raise InvalidInput(
            f"The pattern at {path} has {len(text)} characters, over {MAX_PATTERN}.", "Shorten it.", path=path
        )
    re2: Any = import_module("re2")  # 10 ms that only rules with $matches need; it carries no types
    options = re2.Options()
    options.max_mem = _MEMORY_BYTES
    options.log_errors = False
    try:
        compiled = re2.compile(text, options)
    except (re2.error, UnicodeEncodeError):
        raise InvalidInput(
            f"The pattern at {path} cannot be used.",
            "Use RE2 syntax: no lookaround, no backreferences, repetitions up to 1000.",
            path=path,
        ) from None
    search = compiled.search
    return Pattern(lambda value: search(value) is not None, int(compiled.programsize))
