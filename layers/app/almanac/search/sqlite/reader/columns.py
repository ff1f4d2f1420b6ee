"""Columns with the values that a search needs of every document of a collection, by place. They are never changed.

A newer state is made from the former one and the rows written since (see column_loader.py). Places of removed documents
stay, and are not alive.
"""

from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from almanac.search.frame import Vector
from almanac.search.sqlite.reader.arrangement import Arrangement, arrange
from almanac.search.sqlite.reader.blocks import Mask, Places
from almanac.search.sqlite.reader.value_dictionary import FieldDictionary, TagDictionary
from almanac.search.sqlite.reader.vectors import Vectors, no_vectors

_FEW = 8
N = TypeVar("N", np.bool_, np.int32, np.int64, np.float32)


class CodedColumn(Struct, frozen=True):
    """A column of texts, many of which are equal, stored as codes. A value keeps its code, so states share `values`."""

    codes: NDArray[np.int32]
    values: list[str]
    numbers: dict[str, int]

    def where(self, allowed: Callable[[str], bool]) -> Mask:
        """Return a mask of the places whose text is allowed. It checks each distinct value once."""
        values = self.values[:]
        return self.where_each(np.fromiter(map(allowed, values), np.bool_, len(values)))

    def where_each(self, allowed: Mask) -> Mask:
        """Return a mask of the places whose value is allowed. `allowed` has a flag for each value, and may cover values
        that this state does not have yet."""
        if np.count_nonzero(allowed) > _FEW:
            return allowed[self.codes]
        # Comparing all codes takes a twentieth of the time of looking each of them up.
        mask = np.zeros(len(self.codes), np.bool_)
        for code in np.flatnonzero(allowed).tolist():
            mask |= self.codes == code
        return mask

    def at(self, places: Places) -> list[str]:
        return [self.values[code] for code in self.codes[places].tolist()]

    def with_rows(self, places: Places, texts: Sequence[str], size: int) -> "CodedColumn":
        numbers, values = self.numbers, self.values
        for text in texts:
            if text not in numbers:
                values.append(text)
                numbers[text] = len(values) - 1
        return CodedColumn(with_rows(self.codes, places, [numbers[text] for text in texts], size), values, numbers)


class FieldColumns(Struct, frozen=True):
    length: Vector
    kept: Vector


class Columns(Struct, frozen=True, kw_only=True, dict=True):
    """All columns of a collection. `static` and `context` are vectors of the text. Vectors of titles are only read with
    the rows of an answer."""

    revision: int
    ids: list[str]
    versions: NDArray[np.int64]
    alive: Mask
    kinds: CodedColumn
    sessions: CodedColumn
    position: NDArray[np.int64]
    roles: CodedColumn
    speakers: CodedColumn
    at: NDArray[np.int64]
    tags: CodedColumn
    fields: CodedColumn
    told_tags: TagDictionary
    told_fields: FieldDictionary
    asks: Mask
    names: Vector
    title: FieldColumns
    text: FieldColumns
    static: Vectors
    context: Vectors
    arrangement: Arrangement

    @property
    def size(self) -> int:
        return len(self.ids)

    def ids_at(self, places: Places) -> list[str]:
        at: list[int] = places.tolist()
        return [self.ids[place] for place in at]

    @cached_property
    def masks(self) -> dict[Hashable, Mask]:
        """Masks of filters that this state answered recently."""
        return {}

    @cached_property
    def documents(self) -> int:
        return int(np.count_nonzero(self.alive))

    @cached_property
    def enriched_share(self) -> float:
        return self.context.count / (self.documents or 1)

    @cached_property
    def mean_lengths(self) -> tuple[float, float]:
        """Mean lengths of title and text, over documents that have any."""
        return _mean_length(self.title.length), _mean_length(self.text.length)


def empty_columns() -> Columns:
    none, mask, numbers = np.empty(0, np.float32), np.empty(0, np.bool_), np.empty(0, np.int64)
    return Columns(
        revision=0,
        ids=[],
        versions=numbers,
        alive=mask,
        kinds=_no_texts(),
        sessions=_no_texts(),
        position=numbers,
        roles=_no_texts(),
        speakers=_no_texts(),
        at=numbers,
        tags=_no_texts("[]"),
        fields=_no_texts("{}"),
        told_tags=TagDictionary(),
        told_fields=FieldDictionary(),
        asks=mask,
        names=none,
        title=FieldColumns(none, none),
        text=FieldColumns(none, none),
        static=no_vectors(),
        context=no_vectors(),
        arrangement=arrange(np.empty(0, np.int32), numbers, mask, none),
    )


def with_rows(column: NDArray[N], places: Places, values: Sequence[Any], size: int) -> NDArray[N]:
    """Return a copy of a column with at least `size` places and new values at `places`."""
    grown = np.zeros(size, column.dtype)
    grown[: len(column)] = column
    grown[places] = values
    return grown


def _no_texts(blank: str = "") -> CodedColumn:
    return CodedColumn(np.empty(0, np.int32), [blank], {blank: 0})


def _mean_length(length: Vector) -> float:
    lengths = length[length > 0]
    return float(lengths.mean()) if len(lengths) else 0.0
