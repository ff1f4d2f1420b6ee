"""Clean-up of program output: without terminal sequences, and cut to a size."""

import re

from almanac.content import clean

_TERMINAL = re.compile(r"\x1b(?:\[[0-9;?]{0,30}[ -/]?[@-~]|\][^\x07\x1b]{0,500}(?:\x07|\x1b\\)?|[@-Z\\-_])")
MOST = 20_000
"""Characters of a text that are read, from its beginning or its end."""


def plain(text: str) -> str:
    """Return the text without colours, cursor movements and broken characters, with uniform line ends, and trimmed."""
    if not text.isascii() and any("\ud800" <= each <= "\udfff" for each in text):
        text = clean(text).text
    return _TERMINAL.sub("", text).replace("\r\n", "\n").replace("\r", "\n").strip()


def head(text: str, size: int) -> str:
    """Return at most `size` bytes of UTF-8 from the beginning, with an ellipsis if it was cut."""
    encoded = text.encode()
    return text if len(encoded) <= size else f"{encoded[: size - 3].decode(errors='ignore').rstrip()}…"


def tail(text: str, size: int) -> str:
    """Return at most `size` bytes of UTF-8 from the end. A program's last words tell why it failed."""
    encoded = text.encode()
    return text if len(encoded) <= size else f"…{encoded[len(encoded) - size + 3 :].decode(errors='ignore').lstrip()}"


def fold(text: str) -> str:
    """Return the text without case and with single spaces, for comparisons."""
    return " ".join(text.casefold().split())
