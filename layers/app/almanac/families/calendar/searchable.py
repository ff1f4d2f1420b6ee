"""Search documents of calendars: one for each stored event, and one for a whole series."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from almanac.families.calendar.entries.codec import read_entries
from almanac.families.calendar.entries.records import CALENDARS, EVENTS, HOLDS, POINTERS, CalendarRecord, Hold, Pointer
from almanac.families.calendar.entries.view import event_of
from almanac.families.calendar.model.booking_ids import hold_made_at
from almanac.families.calendar.model.events import Event, convert_to_zone, decode_event
from almanac.families.calendar.model.instances import is_under_tombstone
from almanac.families.calendar.model.located_ids import make_located_id
from almanac.families.calendar.texts.documents import (
    EVENT_KIND,
    EventPlace,
    calendar_mark,
    document_id,
    document_of,
    document_then,
    instant_of_start,
    is_document,
    split_id,
    time_text,
    with_details,
)
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock
from almanac.kernel.instants import instant_at, now_ms
from almanac.platform.services import Services
from almanac.platform.store.port import Store
from almanac.search.port import Document
from almanac.search.source import KnownThen, Source, Unindexed

_MOST_RENAMED = 200
MOST_HELD = 200
_AT_ONCE = 32
"""So many events with their texts fit into one read of the store."""


def _read(services: Services, scope: Scope, ids: Sequence[str]) -> list[Document]:
    return [with_details(document_of(event, place), event, place) for event, place in _events(services, scope, ids)]


def _events(services: Services, scope: Scope, ids: Sequence[str]) -> list[tuple[Event, EventPlace]]:
    store = services.get(Store)
    calendars = _calendars(store, scope)
    ids_by_calendar: dict[str, list[str]] = {}
    for mark, event_id in map(split_id, ids):
        ids_by_calendar.setdefault(mark, []).append(event_id)
    found: list[tuple[Event, EventPlace]] = []
    for mark, event_ids in ids_by_calendar.items():
        if (calendar := calendars.get(mark)) is not None:
            found += _of_calendar(store, scope, calendar, event_ids)
    return found


def _documents_then(services: Services, scope: Scope, ids: Sequence[str], as_of: int) -> KnownThen:
    documents: list[Document] = []
    lost: list[str] = []
    for event, place in _events(services, scope, ids):
        document = document_of(event, place)
        now = with_details(document, event, place)
        if now.recorded_at <= as_of:
            then = document_then(document, event, place, as_of)
            if then is None:
                lost.append(now.known_as)
            else:
                documents.append(then)
    return KnownThen(documents, lost)


def _retitled_documents(services: Services, scope: Scope, as_of: int) -> list[str]:
    """Return the documents of events that had another title then, at most 200."""
    store = services.get(Store)
    found: list[str] = []
    for mark, calendar in sorted(_calendars(store, scope).items()):
        entries = EVENTS.within(store, scope).query(calendar.id, index="gsi2", since=as_of + 1, limit=_MOST_RENAMED)
        found += [mark + entry.id for entry in entries.records]
    return found[:_MOST_RENAMED]


def _list_held_slots(services: Services, scope: Scope) -> Unindexed:
    """Return the slots that are held now in all calendars: those that end first if there are more than 200."""
    store, now = services.get(Store), now_ms(services.get(Clock))
    rows = HOLDS.within(store, scope)
    listed = rows.query(index="gsi2", since=now + 1, limit=MOST_HELD + 1).records
    # The index may be outdated: a released or booked hold is already gone from the calendar itself.
    live = rows.get_many([(one.calendar, one.reach, one.start, one.id) for one in listed[:MOST_HELD]])
    held = [one for one in live if one is not None and one.summary and one.expires_at > now]
    calendar_ids = list(dict.fromkeys(one.calendar for one in held))
    calendars = CALENDARS.within(store, scope).by_id(calendar_ids)
    places = {name: EventPlace(name, one.zone, one.provider) for name, one in calendars.items()}
    documents = [_document_of_hold(one, places[one.calendar]) for one in held if one.calendar in places]
    note = f"More than {MOST_HELD} slots are held: only those that end first were searched."
    return Unindexed(documents, note if len(listed) > MOST_HELD else "")


def _document_of_hold(hold: Hold, place: EventPlace) -> Document:
    """Return the document of a held slot: like that of an event, with `held_until` and the title of the hold."""
    start, end = (convert_to_zone(instant_at(at), place.zone) for at in (hold.start, hold.end))
    if hold.event is not None:
        event = decode_event(hold.event)
        start, end = event.start, event.end
    details = {
        "start": time_text(start),
        "end": time_text(end),
        "calendar_id": place.calendar,
        "held_until": time_text(convert_to_zone(instant_at(hold.expires_at), place.zone)),
    }
    return Document(
        id=document_id(place.calendar, hold.id),
        kind=EVENT_KIND,
        profile="documents",
        version=1,
        title=hold.summary,
        at=instant_of_start(start),
        known_as=make_located_id(place.calendar, hold.id),
        recorded_at=hold_made_at(hold.id),
        details=details,
    )


def _every(services: Services, scope: Scope, after: str) -> Iterator[Document]:
    store = services.get(Store)
    mark, last = split_id(after)
    for own, calendar in sorted(_calendars(store, scope).items()):
        if own < mark:
            continue
        behind = last if own == mark else ""
        pointers = POINTERS.within(store, scope).every(calendar.id, since=behind or None, page=_AT_ONCE)
        names = (one.id for one in pointers if one.id > behind)
        while some := list(islice(names, _AT_ONCE)):
            yield from sorted(_documents(store, scope, calendar, some), key=lambda one: one.id)


def _calendars(store: Store, scope: Scope) -> Mapping[str, CalendarRecord]:
    return {calendar_mark(one.id): one for one in CALENDARS.within(store, scope).every(page=1000)}


def _documents(store: Store, scope: Scope, calendar: CalendarRecord, event_ids: Iterable[str]) -> list[Document]:
    of_calendar = _of_calendar(store, scope, calendar, event_ids)
    return [with_details(document_of(event, place), event, place) for event, place in of_calendar]


def _of_calendar(
    store: Store, scope: Scope, calendar: CalendarRecord, event_ids: Iterable[str]
) -> list[tuple[Event, EventPlace]]:
    pointers = POINTERS.within(store, scope).get_many([(calendar.id, one) for one in event_ids])
    places = [one.place for one in pointers if one is not None and _leads_to_event(one)]
    entries = EVENTS.within(store, scope).get_many([(calendar.id, one.reach, one.start, one.id) for one in places])
    stored = [event for entry in entries if entry is not None and is_document(event := decode_event(entry.event))]
    place = EventPlace(calendar.id, calendar.zone, calendar.provider)
    current = _without_deleted(store, scope, calendar, stored)
    return [(event, place) for event in current]


def _leads_to_event(pointer: Pointer) -> bool:
    """Return whether the pointer leads to an event rather than to a hold, or to an exception that only an operation
    has."""
    return pointer.state == "stands" and pointer.expires_at is None and pointer.place != pointer.operation


def _without_deleted(store: Store, scope: Scope, calendar: CalendarRecord, events: Sequence[Event]) -> Sequence[Event]:
    """Return the events without exceptions of deleted series, whose entries will be deleted soon."""
    if all(event.recurrence_id is None for event in events):
        return events
    wide = read_entries(store, scope, calendar.id, calendar.zone, "wide")
    recurring = (event_of(one) for one in wide if one.kind == "event")
    graves = [event for event in recurring if event is not None and event.tombstone]
    return [event for event in events if not is_under_tombstone(graves, event, calendar.zone)]


SOURCES = (
    Source(
        kind=EVENT_KIND,
        profile="documents",
        read=_read,
        every=_every,
        then=_documents_then,
        changed=_retitled_documents,
        unindexed=_list_held_slots,
    ),
)
