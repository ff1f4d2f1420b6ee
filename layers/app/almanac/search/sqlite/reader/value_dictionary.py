"""Parsed values of a column's distinct texts, so that a filter compares numbers and reads no text.

States of a collection share one dictionary with the values of their column, whose numbers stay. A call first reads the
texts that are new since the last call. An answer may go beyond the texts of an older state.
"""

from collections.abc import Collection, Sequence
from itertools import chain, repeat
from threading import Lock

import msgspec
import numpy as np
from numpy.typing import NDArray

from almanac.search.sqlite.reader.blocks import Mask

_tags = msgspec.json.Decoder(tuple[str, ...]).decode
_fields = msgspec.json.Decoder(dict[str, str]).decode


class _Numbers(dict[str | None, int]):
    """A number for each value, in the order in which they first occur. The first number is that of no value."""

    def __init__(self) -> None:
        super().__init__({None: 0})

    def __missing__(self, value: str) -> int:
        number = self[value] = len(self)
        return number


class FieldDictionary:
    """For each field name, the number of each text's value of that field."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._read = 0
        self._of_texts: dict[str, NDArray[np.int32]] = {}
        self._of_values: dict[str, _Numbers] = {}

    def mask_of(self, texts: Sequence[str], name: str, wanted: Collection[str], *, or_none: bool = False) -> Mask:
        """Return a mask of the texts whose field `name` has one of the `wanted` values. With `or_none`, texts without
        the field match too."""
        with self._lock:
            self._read_on(texts)
            size = self._read
            numbers, of_values = self._of_texts.get(name), self._of_values.get(name, _Numbers())
        values = (*wanted, None) if or_none else wanted
        found = [of_values[value] for value in values if value in of_values]
        if numbers is None:
            return np.full(size, or_none)
        return numbers == found[0] if len(found) == 1 else np.isin(numbers, found)

    def _read_on(self, texts: Sequence[str]) -> None:
        read = list(map(_fields, texts[self._read :]))
        if not read:
            return
        for name in {*self._of_texts, *chain.from_iterable(read)}:
            of_values = self._of_values.setdefault(name, _Numbers())
            # `map` loops inside the interpreter, which pays because there may be a million values.
            numbers = map(of_values.__getitem__, map(dict[str, str].get, read, repeat(name)))
            before = self._of_texts.get(name, np.zeros(self._read, np.int32))
            self._of_texts[name] = np.concatenate([before, np.fromiter(numbers, np.int32, len(read))])
        self._read += len(read)


class TagDictionary:
    """For each tag, the numbers of the texts that have it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._read = 0
        self._having: dict[str, list[int]] = {}

    def mask_of(self, texts: Sequence[str], tag: str) -> Mask:
        """Return a mask of the texts that have the tag."""
        with self._lock:
            self._read_on(texts)
            mask = np.zeros(self._read, np.bool_)
            mask[self._having.get(tag, [])] = True
        return mask

    def _read_on(self, texts: Sequence[str]) -> None:
        for number, tags in enumerate(map(_tags, texts[self._read :]), self._read):
            for tag in tags:
                self._having.setdefault(tag, []).append(number)
            self._read = number + 1
