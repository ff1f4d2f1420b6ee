"""Reference implementation of filters. The tests compare every index with it."""

from collections.abc import Callable
from operator import methodcaller

from almanac.search.port import Document, Entry, Filters


def passes(entry: Entry | Document, filters: Filters) -> bool:
    """Return whether a document meets the filters."""
    return (
        _is_allowed(entry.kind, filters.kinds)
        and _is_allowed(entry.session, filters.sessions)
        and _is_allowed(entry.role, filters.roles)
        and _is_allowed(entry.speaker, filters.speakers, _folded)
        and set(filters.tags) <= set(entry.tags)
        and (not filters.any_tags or not set(filters.any_tags).isdisjoint(entry.tags))
        and (filters.since is None or entry.at >= filters.since)
        and (filters.until is None or entry.at < filters.until)
        and all(entry.fields.get(name) == value for name, value in filters.fields.items())
        and all(entry.fields.get(name, "") in values for name, values in filters.among.items())
        and entry.id not in filters.except_ids
        and all(entry.fields.get(name) != value for name, value in filters.except_fields.items())
    )


_folded: Callable[[str], str] = methodcaller("casefold")


def _is_allowed(value: str, allowed: tuple[str, ...], form: Callable[[str], str] = str) -> bool:
    return not allowed or form(value) in map(form, allowed)
