"""Texts of programs: without what terminals make of them, and cut to a size."""

import re

from almanac.content import clean

_TERMINAL = re.compile(r"\x1b(?:\[[0-9;?]{0,30}[ -/]?[@-~]|\][^\x07\x1b]{0,500}(?:\x07|\x1b\\)?|[@-Z\\-_])")
MOST = 20_000
"""Characters of a text that are looked at, of its beginning or of its end."""


def plain(text: str) -> str:
    """Without colours, cursor movements and halves of characters, with one kind of line end, and without blank ends."""
    if not text.isascii() and any("\ud800" <= each <= "\udfff" for each in text):
        text = clean(text).text
    return _TERMINAL.sub("", text).replace("\r\n", "\n").replace("\r", "\n").strip()


def beginning(text: str, size: int) -> str:
    """At most `size` bytes of UTF-8 of the beginning; what was left out is marked."""
    encoded = text.encode()
    return text if len(encoded) <= size else f"{encoded[: size - 3].decode(errors='ignore').rstrip()}…"


def ending(text: str, size: int) -> str:
    """The same of the end: what a program says last tells why it failed."""
    encoded = text.encode()
    return text if len(encoded) <= size else f"…{encoded[len(encoded) - size + 3 :].decode(errors='ignore').lstrip()}"


def folded(text: str) -> str:
    """By which two texts are the same: without case, and with single spaces."""
    return " ".join(text.casefold().split())
