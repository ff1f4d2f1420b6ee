"""The elements of a JSON array that is too large to be held whole, one after the other."""

import re
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from almanac.local.memory_import.units import MAX_UNIT_BYTES

_CHUNK = 1024 * 1024
_OUTSIDE = re.compile(rb'["{}\[\],]')
_INSIDE = re.compile(rb'["\\]')
_OPENING, _CLOSING = b"{[", b"}]"


class Element(NamedTuple):
    """`text` is None where it is too long to be held."""

    number: int
    end: int
    text: bytes | None


def elements_of(source: BinaryIO, most: int = MAX_UNIT_BYTES, chunk: int = _CHUNK) -> Iterator[Element]:
    """The top-level elements; an array that ends too early gives its last one as far as it is there.

    Raises ValueError where the file holds no array.
    """
    scan, number = _Scan(most), 0
    while data := source.read(chunk):
        for end, text in scan.feed(data):
            number += 1
            yield Element(number, end, text)
        if scan.is_over:
            return
    if (rest := scan.rest()) is not None:
        yield Element(number + 1, scan.read, rest)


class _Scan:
    """State of the scan: the position in the array, and in one of its strings, up to which it has read."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._depth = 0
        self._in_text = False
        self._escaped = False
        self._held = bytearray()
        self._size = 0
        self.read = 0
        self.is_over = False

    def feed(self, data: bytes) -> Iterator[tuple[int, bytes | None]]:
        """The elements that end in `data`, each with where it ends."""
        begin = place = self._opened(data)
        while not self.is_over and (place := self._next(data, place)) < len(data):
            sign = data[place : place + 1]
            if self._depth == 1 and sign in b",]":
                self._hold(data[begin:place])
                if self._size and (text := self._taken()) != b"":
                    yield self.read + place, text
                begin = place + 1
                self.is_over = sign == b"]"
            elif sign in _OPENING:
                self._depth += 1
            elif sign in _CLOSING:
                self._depth -= 1
            place += 1
        if not self.is_over:
            self._hold(data[begin:])
        self.read += len(data)

    def rest(self) -> bytes | None:
        """Return the beginning of an element that did not end, or None."""
        if self._depth == 0:
            raise ValueError("no array")
        return None if self.is_over else bytes(self._held).strip() or None

    def _opened(self, data: bytes) -> int:
        """Return the offset of the first element. The opening bracket may not have arrived yet."""
        if self._depth:
            return 0
        begun = data.lstrip(b"\xef\xbb\xbf \t\r\n")
        if not begun:
            return len(data)
        if not begun.startswith(b"["):
            raise ValueError("no array")
        self._depth = 1
        return len(data) - len(begun) + 1

    def _next(self, data: bytes, place: int) -> int:
        """The next sign from `place` on that is not inside a text."""
        while place < len(data):
            if self._escaped:
                self._escaped, place = False, place + 1
                continue
            found = (_INSIDE if self._in_text else _OUTSIDE).search(data, place)
            if found is None:
                break
            place = found.end()
            if found[0] == b'"':
                self._in_text = not self._in_text
            elif found[0] == b"\\":
                self._escaped = True
            else:
                return found.start()
        return len(data)

    def _hold(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size <= self._most:
            self._held += piece

    def _taken(self) -> bytes | None:
        text = bytes(self._held).strip() if self._size <= self._most else None
        self._held, self._size = bytearray(), 0
        return text
