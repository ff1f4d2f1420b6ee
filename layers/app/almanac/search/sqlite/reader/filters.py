"""Filters over the columns of a collection. They give the same result as `passes` for each document."""

from collections.abc import Callable, Hashable
from typing import Literal

import numpy as np

from almanac.search.port import Filters
from almanac.search.sqlite.files.generation import damage_as_error
from almanac.search.sqlite.reader.blocks import Mask
from almanac.search.sqlite.reader.columns import CodedColumn, Columns

_KEPT = 16


def allowed_places(columns: Columns, filters: Filters) -> Mask:
    """Return a mask of the places with documents that meet the filters."""
    mask = columns.alive.copy()
    _narrow(mask, columns, "kinds", filters.kinds)
    _narrow(mask, columns, "sessions", filters.sessions)
    _narrow(mask, columns, "roles", filters.roles)
    if filters.speakers:
        speakers = {each.casefold() for each in filters.speakers}
        mask &= columns.speakers.where(lambda speaker: speaker.casefold() in speakers)
    with damage_as_error("Tags and fields"):
        for tag in filters.tags:
            mask &= _with_tag(columns, tag)
        if filters.any_tags:
            mask &= np.logical_or.reduce([_with_tag(columns, tag) for tag in filters.any_tags])
        for name, value in filters.fields.items():
            mask &= _with_field(columns, name, frozenset((value,)))
        for name, value in filters.except_fields.items():
            mask &= ~_with_field(columns, name, frozenset((value,)))
        for name, values in filters.among.items():
            mask &= _with_field(columns, name, values, or_none="" in values)
    if filters.since is not None:
        mask &= columns.at >= filters.since
    if filters.until is not None:
        mask &= columns.at < filters.until
    if filters.except_ids:
        mask &= np.fromiter((each not in filters.except_ids for each in columns.ids), np.bool_, columns.size)
    return mask


def _narrow(mask: Mask, columns: Columns, name: Literal["kinds", "sessions", "roles"], values: tuple[str, ...]) -> None:
    if values:
        column: CodedColumn = getattr(columns, name)
        mask &= _cached_mask(columns, (name, values), lambda: column.where(set(values).__contains__))


def _with_tag(columns: Columns, tag: str) -> Mask:
    return columns.tags.where_each(columns.told_tags.mask_of(columns.tags.values, tag))


def _with_field(columns: Columns, name: str, values: frozenset[str], *, or_none: bool = False) -> Mask:
    def make() -> Mask:
        told = columns.told_fields.mask_of(columns.fields.values, name, values, or_none=or_none)
        return columns.fields.where_each(told)

    return _cached_mask(columns, ("fields", name, values, or_none), make)


def _cached_mask(columns: Columns, condition: Hashable, make: Callable[[], Mask]) -> Mask:
    """Return the mask, from the cache if this state answered the filter recently. Callers must not change it."""
    mask = columns.masks.get(condition)
    if mask is None:
        mask = columns.masks[condition] = make()
        for oldest in list(columns.masks)[:-_KEPT]:
            columns.masks.pop(oldest, None)
    return mask
