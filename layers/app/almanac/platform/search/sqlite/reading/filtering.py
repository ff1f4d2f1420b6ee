"""Filters over the columns of a collection: the same as `passes` says of each document."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import repeat
from operator import contains

import msgspec
import numpy as np

from almanac.platform.search.port import Filters
from almanac.platform.search.sqlite.files.generation import making_sense
from almanac.platform.search.sqlite.reading.columns import Coded, Columns, Mask

_tags = msgspec.json.Decoder(tuple[str, ...]).decode
_fields = msgspec.json.Decoder(dict[str, str]).decode


def allowed(columns: Columns, filters: Filters) -> Mask:
    """Which places hold a document that may be found."""
    mask = columns.alive.copy()
    _narrow(mask, columns.kinds, filters.kinds)
    _narrow(mask, columns.sessions, filters.sessions)
    _narrow(mask, columns.roles, filters.roles)
    if filters.speakers:
        speakers = {each.casefold() for each in filters.speakers}
        mask &= columns.speakers.where(lambda speaker: speaker.casefold() in speakers)
    with making_sense("Tags and fields"):
        if filters.tags:
            spelled = [msgspec.json.encode(tag).decode() for tag in filters.tags]
            mask &= columns.tags.where_each(" ".join(spelled), partial(_have_all, spelled, set(filters.tags)))
        if filters.any_tags:
            mask &= columns.tags.where(_has_any(frozenset(filters.any_tags)))
        for name, value in filters.fields.items():
            mask &= _with_field(columns, name, value)
        for name, value in filters.except_fields.items():
            mask &= ~_with_field(columns, name, value)
        if filters.among:
            mask &= columns.fields.where(_has_one_of(filters.among))
    if filters.since is not None:
        mask &= columns.at >= filters.since
    if filters.until is not None:
        mask &= columns.at < filters.until
    if filters.except_ids:
        mask &= np.fromiter((each not in filters.except_ids for each in columns.ids), np.bool_, columns.size)
    return mask


def _with_field(columns: Columns, name: str, value: str) -> Mask:
    spelled = msgspec.json.encode({name: value}).decode()[1:-1]
    return columns.fields.where_each(spelled, partial(_have, spelled))


def _narrow(mask: Mask, column: Coded, wanted: tuple[str, ...]) -> None:
    if wanted:
        mask &= column.where(set(wanted).__contains__)


def _have_all(spelled: Sequence[str], tags: set[str], stored: Sequence[str]) -> Iterable[bool]:
    """Which texts have these tags, which are spelled so. Few have the first: only those are read."""
    first = map(contains, stored, repeat(spelled[0]))
    return [may and tags <= set(_tags(text)) for may, text in zip(first, stored, strict=True)]


def _has_any(tags: frozenset[str]) -> Callable[[str], bool]:
    return lambda stored: not tags.isdisjoint(_tags(stored))


def _have(spelled: str, stored: Sequence[str]) -> Iterable[bool]:
    """Which texts of fields have one, spelled `"name":"value"`. Behind a brace or a comma a quote begins a name, since
    within a text it is escaped: so none of the texts need be read."""
    there = map(contains, stored, repeat(spelled))
    first, other = f"{{{spelled}", f",{spelled}"
    return [may and (text.startswith(first) or other in text) for may, text in zip(there, stored, strict=True)]


def _has_one_of(wanted: Mapping[str, frozenset[str]]) -> Callable[[str], bool]:
    def passes(stored: str) -> bool:
        fields = _fields(stored)
        return all(fields.get(name, "") in values for name, values in wanted.items())

    return passes
