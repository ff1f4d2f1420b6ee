"""Regular expressions in linear time, by RE2: a pattern from outside cannot make matching slow, whatever the text."""

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
    """`size` is the number of instructions of its program: at worst each of them looks at each byte."""

    search: Callable[[str], bool]
    size: int


def searched_part(text: str, most: int = MATCHED_BYTES) -> tuple[str, int]:
    """As much of a text as patterns look at, at most so many bytes, and how many. What was cut has an end that no `$`
    matches at."""
    if text.isascii():
        return (text, len(text)) if len(text) <= most else (text[:most] + _CUT, most)
    raw = text[: most + 1].encode(errors="replace")
    if len(raw) <= most:
        return text, len(raw)
    return raw[:most].decode(errors="ignore") + _CUT, most


def pattern(text: str, path: str) -> Pattern:
    """Return a matcher that tells whether `text` occurs anywhere in a string. `(?i)` at the start ignores case.

    Raises InvalidInput with `path` for a pattern that RE2 does not know (lookaround, backreferences), that needs too
    much memory or that has over 512 characters.
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
