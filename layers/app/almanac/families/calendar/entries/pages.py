"""Pages of the entries in a window, by start.

Each page begins after the last entry of the one before, by position in the order instead of by number. So entries that
are added or removed meanwhile neither repeat nor hide others.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from almanac.content import clean
from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.entries.records import CalendarRecord, Hold, PlaceInCalendar
from almanac.families.calendar.entries.view import EntryView, event_of
from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.model.events import Event
from almanac.families.calendar.texts.secrets import visible

LOOKED_AT = 5000
"""Most events whose texts one page searches."""


class Position(NamedTuple):
    """Unique position of an entry in the order."""

    start: int
    end: int
    id: str

    def __str__(self) -> str:
        return f"{self.start}|{self.end}|{self.id}"


class EventPage(NamedTuple):
    """Page of entries. `following` is the position where the next page continues; None on the last page."""

    shown: list[EntryView]
    following: Position | None


def read_position(text: str) -> Position | None:
    """Parse a position that `str` wrote; None for an empty text, which comes before everything."""
    if not text:
        return None
    start, end, name = text.split("|", 2)
    return Position(int(start), int(end), name)


def page_of(
    calendars: Calendars,
    calendar: CalendarRecord,
    window: Interval,
    *,
    query: str = "",
    after: Position | None = None,
    limit: int,
) -> EventPage:
    """Return a page of entries. With a query, a page may hold fewer than `limit` entries, or none, and yet have a next
    page."""
    if after is not None:
        # Later entries start no earlier.
        window = Interval(min(max(window.start, after.start), window.end - 1), window.end)
    listed = (one for one in calendars.list_entries(calendar, window) if after is None or _position(one) > after)
    search = _Search(_terms_of(query), calendar.provider)
    views: list[EntryView] = []
    last: EntryView | None = None
    for one in _visible_entries(listed):
        if len(views) == limit or search.is_over:
            return EventPage(views, _position(last) if last is not None else None)
        last = one
        if search.finds(one):
            views.append(one)
    return EventPage(views, None)


class _Search:
    """Search that examines each event once, however many of its instances are listed."""

    def __init__(self, terms: tuple[str, ...], provider: str) -> None:
        self._terms = terms
        self._provider = provider
        self._known: dict[PlaceInCalendar, bool] = {}

    @property
    def is_over(self) -> bool:
        return len(self._known) >= LOOKED_AT

    def finds(self, view: EntryView) -> bool:
        if not self._terms:
            return True
        if view.filed not in self._known:
            self._known[view.filed] = self._is_found(view)
        return self._known[view.filed]

    def _is_found(self, view: EntryView) -> bool:
        # Few events have the words. Only those are redacted, and compared again so that a query cannot guess at
        # secrets.
        if not _matches(self._terms, _texts(view)):
            return False
        event = event_of(view)
        return event is None or _matches(self._terms, _texts_of(visible(event, self._provider)))


def _visible_entries(views: Iterator[EntryView]) -> Iterator[EntryView]:
    return (one for one in views if one.is_listed)


def _texts(view: EntryView) -> tuple[str, ...]:
    if isinstance(view.record, Hold):
        return (view.record.summary,)
    event = event_of(view)
    return _texts_of(event) if event is not None else ()


def _texts_of(event: Event) -> tuple[str, ...]:
    return event.summary, event.description, event.location


def _position(view: EntryView) -> Position:
    return Position(view.start, view.end, view.filed.id)


_LONGEST_TEXT = 20_000
"""Number of characters of one text that are searched."""

_TERM = re.compile(r'"([^"]+)"|(\S+)')
# NFKD does not split letters with strokes as it does accents, yet people type them without.
_STROKES = str.maketrans("øłđħŧı", "oldhti")


def _fold(text: str) -> str:
    """Return the text in the form for comparison: `Café` equals `cafe`, and `Straße` equals `STRASSE`."""
    if not text.isascii():
        apart = unicodedata.normalize("NFKD", text).casefold().translate(_STROKES)
        text = "".join(character for character in apart if not unicodedata.combining(character))
    return " ".join(text.lower().split())


def _terms_of(query: str) -> tuple[str, ...]:
    """Return the words of the query, and phrases in double quotes as one term; nothing for blank queries."""
    folded = (_fold(match[1] or match[2]) for match in _TERM.finditer(query))
    return tuple(dict.fromkeys(term for term in folded if term))


def _matches(terms: Sequence[str], texts: Iterable[str]) -> bool:
    """Return whether each term is in one of the texts, compared without invisible characters."""
    searchable = "\n".join(_fold(clean(text[:_LONGEST_TEXT]).text) for text in texts if text)
    return all(term in searchable for term in terms)
