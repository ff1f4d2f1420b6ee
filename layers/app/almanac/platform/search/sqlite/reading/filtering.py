"""Filters over the columns of a collection: the same as `passes` says of each document."""

from collections.abc import Callable, Mapping

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
            mask &= columns.tags.where(_has_all(set(filters.tags)))
        if filters.fields:
            mask &= columns.fields.where(_has_equal(filters.fields))
    if filters.since is not None:
        mask &= columns.at >= filters.since
    if filters.until is not None:
        mask &= columns.at < filters.until
    if filters.except_ids:
        mask &= np.fromiter((each not in filters.except_ids for each in columns.ids), np.bool_, columns.size)
    return mask


def _narrow(mask: Mask, column: Coded, wanted: tuple[str, ...]) -> None:
    if wanted:
        mask &= column.where(set(wanted).__contains__)


def _has_all(tags: set[str]) -> Callable[[str], bool]:
    return lambda stored: tags <= set(_tags(stored))


def _has_equal(wanted: Mapping[str, str]) -> Callable[[str], bool]:
    items = wanted.items()

    return lambda stored: items <= _fields(stored).items()
