"""Pages of what a calendar holds in a window, by start. Each begins after the last entry of the one before, by its
place in the order and not by its number, so that what is added or removed meanwhile neither repeats nor hides others.
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
"""Events whose texts one page looks at for a query."""


class Position(NamedTuple):
    """Of an entry in the order: no two have the same."""

    start: int
    end: int
    id: str

    def __str__(self) -> str:
        return f"{self.start}|{self.end}|{self.id}"


class EventPage(NamedTuple):
    """`following` is where the next page goes on, None on the last one."""

    shown: list[EntryView]
    following: Position | None


def read_position(text: str) -> Position | None:
    """Read a position that `str` wrote; None for an empty text, which is before everything."""
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
    """With a query a page may hold fewer than `limit`, or none, and yet another one follow."""
    if after is not None:
        # What comes after it starts no earlier.
        window = Interval(min(max(window.start, after.start), window.end - 1), window.end)
    listed = (one for one in calendars.shown(calendar, window) if after is None or _position(one) > after)
    search = _Search(_terms_of(query), calendar.provider)
    found: list[EntryView] = []
    last: EntryView | None = None
    for one in _listed(listed):
        if len(found) == limit or search.is_over:
            return EventPage(found, _position(last) if last is not None else None)
        last = one
        if search.finds(one):
            found.append(one)
    return EventPage(found, None)


class _Search:
    """Each event is looked at once, however many of its instances are listed."""

    def __init__(self, terms: tuple[str, ...], provider: str) -> None:
        self._terms = terms
        self._provider = provider
        self._known: dict[PlaceInCalendar, bool] = {}

    @property
    def is_over(self) -> bool:
        return len(self._known) >= LOOKED_AT

    def finds(self, shown: EntryView) -> bool:
        if not self._terms:
            return True
        if shown.filed not in self._known:
            self._known[shown.filed] = self._is_found(shown)
        return self._known[shown.filed]

    def _is_found(self, shown: EntryView) -> bool:
        # Hardly any event has the words; only in those that do is looked for secrets, which nobody may guess at.
        if not _matches(self._terms, _texts(shown)):
            return False
        event = event_of(shown)
        return event is None or _matches(self._terms, _texts_of(visible(event, self._provider)))


def _listed(shown: Iterator[EntryView]) -> Iterator[EntryView]:
    return (one for one in shown if one.is_listed)


def _texts(shown: EntryView) -> tuple[str, ...]:
    if isinstance(shown.record, Hold):
        return (shown.record.summary,)
    event = event_of(shown)
    return _texts_of(event) if event is not None else ()


def _texts_of(event: Event) -> tuple[str, ...]:
    return event.summary, event.description, event.location


def _position(shown: EntryView) -> Position:
    return Position(shown.start, shown.end, shown.filed.id)


_LONGEST_TEXT = 20_000
"""The characters of one text that are looked at."""

_TERM = re.compile(r'"([^"]+)"|(\S+)')
# Letters with strokes are no letters with accents, and are typed without all the same.
_STROKES = str.maketrans("øłđħŧı", "oldhti")


def _fold(text: str) -> str:
    """The form in which texts are compared: `Café` and `cafe` are one, and `Straße` and `STRASSE`."""
    if not text.isascii():
        apart = unicodedata.normalize("NFKD", text).casefold().translate(_STROKES)
        text = "".join(character for character in apart if not unicodedata.combining(character))
    return " ".join(text.lower().split())


def _terms_of(query: str) -> tuple[str, ...]:
    """Words, and what stands in double quotes as one; none for a query of nothing but space."""
    folded = (_fold(match[1] or match[2]) for match in _TERM.finditer(query))
    return tuple(dict.fromkeys(term for term in folded if term))


def _matches(terms: Sequence[str], texts: Iterable[str]) -> bool:
    """Return whether each term stands in one of the texts as they are shown, without invisible characters."""
    read = "\n".join(_fold(clean(text[:_LONGEST_TEXT]).text) for text in texts if text)
    return all(term in read for term in terms)
