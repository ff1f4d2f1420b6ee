"""Iterate over the elements of a JSON array that is too large for memory."""

import re
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from almanac.local.memory_import.units import MAX_UNIT_BYTES

_CHUNK = 1024 * 1024
_OUTSIDE = re.compile(rb'["{}\[\],]')
_INSIDE = re.compile(rb'["\\]')
_OPENING, _CLOSING = b"{[", b"}]"


class Element(NamedTuple):
    """Element of the array. `number` counts from 1 and `end` is its end in bytes. `text` is None if it is too long."""

    number: int
    end: int
    text: bytes | None


def elements_of(source: BinaryIO, most: int = MAX_UNIT_BYTES, chunk: int = _CHUNK) -> Iterator[Element]:
    """Yield the top-level elements. If the array is cut off, the last element is yielded as far as it goes.

    Raises ValueError if the file holds no array.
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
    """State of the scan: how many bytes it has read, its depth in the array, and whether it is inside a string."""

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
        """Yield the elements that end in `data`, each with the offset of its end."""
        begin = place = self._enter_array(data)
        while not self.is_over and (place := self._next(data, place)) < len(data):
            sign = data[place : place + 1]
            if self._depth == 1 and sign in b",]":
                self._hold(data[begin:place])
                if self._size and (text := self._take_element()) != b"":
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
        """Return the beginning of an element that was cut off, or None. Raises ValueError if no array has begun."""
        if self._depth == 0:
            raise ValueError("no array")
        return None if self.is_over else bytes(self._held).strip() or None

    def _enter_array(self, data: bytes) -> int:
        """Return the offset of the first element, or the length of `data` if the opening bracket has not arrived yet.
        Raises ValueError if another character comes first."""
        if self._depth:
            return 0
        start = data.lstrip(b"\xef\xbb\xbf \t\r\n")
        if not start:
            return len(data)
        if not start.startswith(b"["):
            raise ValueError("no array")
        self._depth = 1
        return len(data) - len(start) + 1

    def _next(self, data: bytes, place: int) -> int:
        """Return the offset of the next bracket or comma outside a string, or the length of `data`."""
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

    def _take_element(self) -> bytes | None:
        text = bytes(self._held).strip() if self._size <= self._most else None
        self._held, self._size = bytearray(), 0
        return text
