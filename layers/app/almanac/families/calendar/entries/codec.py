"""Encoding of calendar entries to and from the store."""

from collections.abc import Iterator, Mapping
from typing import Any
from zoneinfo import ZoneInfo

from almanac.families.calendar.entries.records import (
    EVENTS,
    HOLDS,
    OPERATIONS,
    Entry,
    EventEntry,
    Hold,
    Operation,
    PlaceInCalendar,
    Reach,
    reach_of,
)
from almanac.families.calendar.entries.view import EntryView
from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.model.events import Event, decode_event, encode_event
from almanac.families.calendar.model.instances import interval_of
from almanac.families.time.core.zones import TZDB_VERSION
from almanac.kernel.caller import Scope
from almanac.platform.store.keys import sort_key, sort_prefix
from almanac.platform.store.port import Item, Span, Store
from almanac.platform.store.queries import every_item

_PAGE = 1000
_NAMES_A_DAY = b"\xa4type\xa3day"
"""Bytes that an encoded event contains if one of its times is a whole day."""


def event_entry(calendar: str, event: Event, zone: ZoneInfo) -> EventEntry:
    """Return the entry of an event in a calendar of `zone`."""
    start, end = interval_of(event, zone)
    return EventEntry(
        calendar=calendar,
        reach=reach_of(start, end, event),
        start=start,
        id=event.id,
        end=end,
        busy=event.takes_time,
        event=encode_event(event),
        rules=TZDB_VERSION,
        partly_read=1 if event.partial else None,
        renamed_at=event.indexed.since if event.indexed is not None and event.indexed.earlier else None,
    )


def place_of(entry: Entry) -> PlaceInCalendar:
    return PlaceInCalendar(entry.reach, entry.start, entry.id)


def view_of_entry(entry: EventEntry | Hold | Operation) -> EntryView:
    """Return the view of an entry that is about to be stored. An event must not be a wide one."""
    if isinstance(entry, EventEntry):
        event = _read_as_needed(entry.event)
        return EntryView(entry.start, entry.end, entry.busy, "event", place_of(entry), None, False, event)
    expires_at = entry.expires_at if isinstance(entry, Hold) else None
    return EntryView(entry.start, entry.end, entry.busy, entry.kind, place_of(entry), expires_at, False, None, entry)


def read_entries(
    store: Store, scope: Scope, calendar: str, zone: ZoneInfo, reach: Reach, starts: Interval | None = None
) -> Iterator[EntryView]:
    """Yield all entries of that reach in order, or those filed under the given starts."""
    partition = EVENTS.partition(scope, EVENTS.own, (calendar,))
    prefix = sort_prefix(reach) if starts is None else ""
    span = Span(sort_key(reach, starts.start), sort_key(reach, starts.end)) if starts is not None else None
    for item in every_item(store, partition, prefix=prefix, span=span, page=_PAGE):
        yield _view_of_item(item, zone)


def _view_of_item(item: Item, zone: ZoneInfo) -> EntryView:
    # Decoded by hand, with the event left encoded: a window of a year reads thousands of these.
    held: Mapping[str, Any] = item.attributes
    kind, start, end = held["kind"], held["start"], held["end"]
    filed = PlaceInCalendar(held["reach"], start, held["id"])
    busy = bool(held["busy"])
    if kind == "event":
        data = held["event"]
        if held["rules"] != TZDB_VERSION:
            start, end = interval_of(decode_event(data), zone)
        return EntryView(start, end, busy, "event", filed, None, False, _read_as_needed(data))
    if kind == "hold":
        return view_of_entry(HOLDS.read(item))
    return view_of_entry(OPERATIONS.read(item))


def _read_as_needed(data: bytes) -> Event | bytes:
    """Return the decoded event if it is a whole day, because its time depends on the reader; otherwise the bytes."""
    if _NAMES_A_DAY in data and (event := decode_event(data)).is_all_day:
        return event
    return data
