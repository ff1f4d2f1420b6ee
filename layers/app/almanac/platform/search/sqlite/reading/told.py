"""What the different texts of a column tell, read once: so a filter compares numbers and reads no text.

States of a collection share one of these with the values of their column, whose numbers stay. What is new since it was
last asked is read then. An answer may go beyond the texts of an older state.
"""

from collections.abc import Collection, Sequence
from threading import Lock

import msgspec
import numpy as np
from numpy.typing import NDArray

from almanac.platform.search.sqlite.reading.blocks import Mask

_tags = msgspec.json.Decoder(tuple[str, ...]).decode
_fields = msgspec.json.Decoder(dict[str, str]).decode
_ABSENT = 0


class ToldFields:
    """Of texts of fields: by the name of a field a number for each text, which stands for its value there."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._read = 0
        self._of_texts: dict[str, NDArray[np.int32]] = {}
        self._of_values: dict[str, dict[str, int]] = {}

    def having(self, texts: Sequence[str], name: str, wanted: Collection[str], *, or_none: bool = False) -> Mask:
        """Which texts have one of these values there, or no such field."""
        with self._lock:
            self._read_on(texts)
            size = self._read
            numbers = self._of_texts.get(name)
            of_values = self._of_values.get(name, {})
        found = [of_values[value] for value in wanted if value in of_values]
        found += [_ABSENT] if or_none else []
        if numbers is None:
            return np.full(size, or_none)
        return numbers == found[0] if len(found) == 1 else np.isin(numbers, found)

    def _read_on(self, texts: Sequence[str]) -> None:
        read = list(map(_fields, texts[self._read :]))
        if not read:
            return
        for name in {*self._of_texts, *(name for each in read for name in each)}:
            of_values = self._of_values.setdefault(name, {})
            numbers = [
                _ABSENT if value is None else of_values.setdefault(value, len(of_values) + 1)
                for value in (each.get(name) for each in read)
            ]
            before = self._of_texts.get(name, np.zeros(self._read, np.int32))
            self._of_texts[name] = np.concatenate([before, np.array(numbers, np.int32)])
        self._read += len(read)


class ToldTags:
    """Of texts of tags: the numbers of those that have each."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._read = 0
        self._having: dict[str, list[int]] = {}

    def having(self, texts: Sequence[str], tag: str) -> Mask:
        """Which texts have the tag."""
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
