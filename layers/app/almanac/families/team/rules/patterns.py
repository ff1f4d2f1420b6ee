"""Regular expressions in linear time, by RE2: a pattern from outside cannot make matching slow, whatever the text."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from almanac.kernel.errors import InvalidInput

MAX_PATTERN = 512
_MEMORY_BYTES = 256 * 1024

Search = Callable[[str], bool]


def pattern(text: str, path: str) -> Search:
    """What tells whether `text` occurs anywhere in a string. `(?i)` at the start ignores case.

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
        search = re2.compile(text, options).search
    except (re2.error, UnicodeEncodeError):
        raise InvalidInput(
            f"The pattern at {path} cannot be used.",
            "Use RE2 syntax: no lookaround, no backreferences, repetitions up to 1000.",
            path=path,
        ) from None
    return lambda value: search(value) is not None
