"""Search documents of events, with a version for each change of their texts or their start.

A new version is the calendar's version after the write, or one more than the last, whichever is greater. A calendar's
version only grows, even if the calendar is created again, so an event that returns under its id is newer than the
removed one.
"""

from collections.abc import Callable
from datetime import UTC, datetime, time
from hashlib import blake2b, sha256
from typing import NamedTuple
from zoneinfo import ZoneInfo

import msgspec
from msgspec.structs import replace

from almanac.families.calendar.model.event_parts import EarlierTitle, SearchState
from almanac.families.calendar.model.events import AllDay, Event, When
from almanac.families.calendar.model.located_ids import make_located_id
from almanac.families.calendar.texts.secrets import visible
from almanac.kernel.instants import milliseconds
from almanac.search.port import Document

EVENT_KIND = "event"
MOST_PEOPLE = 200
MOST_TITLES = 10
TITLE = 300
"""Most characters of an earlier title that are stored."""
_PREFIX = "event_"
_CALENDAR = 16
_NOON = time(12)


class EventPlace(NamedTuple):
    """Calendar of an event: its id, its zone, and its provider."""

    calendar: str
    zone: ZoneInfo
    provider: str


class EventDocuments(NamedTuple):
    """Event to store, and the change for search: its new document, or the removed document `gone`."""

    event: Event
    document: Document | None = None
    gone: Document | None = None


def calendar_mark(calendar: str) -> str:
    """Return the prefix of the document ids of a calendar, which no other calendar has.

    All prefixes are equally long, so that documents are ordered by them and then by event id.
    """
    return f"{_PREFIX}{sha256(calendar.encode()).hexdigest()[:_CALENDAR]}_"


def document_id(calendar: str, event_id: str) -> str:
    return calendar_mark(calendar) + event_id


def split_id(name: str) -> tuple[str, str]:
    """Return the mark of the calendar and the id of the event."""
    end = len(_PREFIX) + _CALENDAR + 1
    return name[:end], name[end:]


def is_document(event: Event) -> bool:
    """Return whether search has a document of the event. An exception has one only if its texts differ from its
    series."""
    if event.tombstone or event.status == "cancelled":
        return False
    return event.recurrence_id is None or event.indexed is not None


def document_of(event: Event, place: EventPlace) -> Document:
    """Return the document of a stored event. An event stored before search knew events has the version 1."""
    visible_event = visible(event, place.provider)
    title, text = _texts(visible_event)
    return Document(
        id=document_id(place.calendar, event.id),
        kind=EVENT_KIND,
        profile="documents",
        version=event.indexed.version if event.indexed is not None else 1,
        title=title,
        text=text,
        at=instant_of_start(event.start),
    )


def with_details(document: Document, event: Event, place: EventPlace) -> Document:
    """Return the document with the details that search results show besides its texts."""
    details = {"start": time_text(event.start), "end": time_text(event.end), "calendar_id": place.calendar}
    return replace(
        document,
        known_as=make_located_id(place.calendar, event.id),
        recorded_at=_first_known_at(event),
        details=details,
    )


def document_then(document: Document, event: Event, place: EventPlace, as_of: int) -> Document | None:
    """Return the document of an event as it was known at `as_of`.

    If the event changed since, the document has the stored title and day of that time; None if they are not stored.
    """
    indexed, now = event.indexed, with_details(document, event, place)
    if indexed is None or not indexed.since:
        changed = event.updated is not None and milliseconds(event.updated) > as_of
        return None if changed else now
    if indexed.since <= as_of:
        return now
    then = next((each for each in indexed.earlier if each.since <= as_of < each.until), None)
    if then is None:
        return None
    return replace(now, title=then.title, text="", at=then.start * 1000, details={"calendar_id": place.calendar})


def follow_change(
    event: Event, place: EventPlace, version: int, series_of: Callable[[Event], Event | None], now: int = 0
) -> EventDocuments:
    """Return the event to store at `now`, with its search state, and its document if that changed.

    `version` is at least the calendar's version after the write. `series_of` returns the series of an exception.
    """
    before = event.indexed
    if not _has_document(event, series_of):
        removed = document_of(event, place) if before is not None else None
        return EventDocuments(replace(event, indexed=None) if before is not None else event, gone=removed)
    document = document_of(event, place)
    digest = _digest(document)
    if before is not None and before.digest == digest:
        return EventDocuments(event)
    version = max(version, before.version + 1 if before is not None else 0)
    indexed = _search_state(before, SearchState(version, digest, now, now, document.title[:TITLE], document.at // 1000))
    return EventDocuments(replace(event, indexed=indexed), document=replace(document, version=version))


def _search_state(before: SearchState | None, new: SearchState) -> SearchState:
    """Return `new` with the earlier titles of the event."""
    if before is None:
        return new
    earlier = before.earlier
    if 0 < before.since < new.since:
        earlier = (*earlier, EarlierTitle(before.title, before.start, before.since, new.since))[-MOST_TITLES:]
    return replace(new, known_since=before.known_since, earlier=earlier)


def _has_document(event: Event, series_of: Callable[[Event], Event | None]) -> bool:
    if event.tombstone or event.status == "cancelled":
        return False
    if event.recurrence_id is None:
        return True
    series = series_of(event)
    return series is None or _texts(series) != _texts(event)


def _first_known_at(event: Event) -> int:
    """Return when Almanac first knew the event, in ms since 1970, as far as it is stored; an imported event dates from
    its creation."""
    if event.indexed is not None and event.indexed.known_since:
        return event.indexed.known_since
    return milliseconds(event.created) if event.created is not None else 0


def _texts(event: Event) -> tuple[str, str]:
    """Return title and text: description, place and people, by name if the event tells it."""
    names = {one.address: one.name for one in event.attendee_details if one.name}
    people = ", ".join(names.get(one, one) for one in event.attendees[:MOST_PEOPLE])
    return event.summary, "\n".join(filter(None, (event.description, event.location, people)))


def instant_of_start(start: When) -> int:
    """Return the start of the event in ms since 1970. A whole day counts as its noon in UTC, which is within that day
    nearly everywhere."""
    if isinstance(start, AllDay):
        return milliseconds(datetime.combine(start.day, _NOON, UTC))
    return milliseconds(start.instant)


def time_text(when: When) -> str:
    """Return a time on the clocks of its own zone, with their offset; a whole day as its date."""
    if isinstance(when, AllDay):
        return when.day.isoformat()
    return when.instant.astimezone(when.tzinfo).isoformat()


def _digest(document: Document) -> bytes:
    parts = (document.id, document.title, document.text, document.at)
    return blake2b(msgspec.msgpack.encode(parts), digest_size=12).digest()
