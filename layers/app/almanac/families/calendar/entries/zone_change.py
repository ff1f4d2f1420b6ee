"""Change of a calendar's zone: its days and floating times then mean other instants, and are stored again.

The new zone is written first, with a mark that stays until every entry is stored by it. Entries follow in batches, each
an atomic write. If the process dies in between, the calendar still works, and the next call continues.
"""

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Protocol
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from almanac.families.calendar.entries.codec import event_entry, place_of, read_entries, view_of_entry
from almanac.families.calendar.entries.records import (
    CALENDARS,
    EVENTS,
    POINTERS,
    CalendarRecord,
    EventEntry,
    PlaceInCalendar,
    Pointer,
)
from almanac.families.calendar.entries.versioned_writes import VersionedWrites
from almanac.families.calendar.entries.view import EntryView, event_of
from almanac.families.calendar.entries.writer import EntryWriter
from almanac.families.calendar.model.events import Event, When, ZonedTime, decode_event
from almanac.families.time.core.zones import find_zone
from almanac.kernel.caller import Scope
from almanac.kernel.errors import Unavailable
from almanac.platform.store.conditions import Equals
from almanac.platform.store.port import Change, ConditionFailed, Store

_TOGETHER = 25
_TRIES = 20


class RezonableCalendars(Protocol):
    """Part of `Calendars` that a zone change needs."""

    @property
    def store(self) -> Store: ...

    @property
    def scope(self) -> Scope: ...

    @property
    def versioned_writes(self) -> VersionedWrites: ...

    def find(self, calendar_id: str) -> CalendarRecord: ...

    def find_or_create(self, calendar_id: str) -> CalendarRecord: ...


def rezone(calendars: RezonableCalendars, calendar: CalendarRecord, zone: str) -> CalendarRecord:
    """Give the calendar the IANA zone, store again what depends on it, and return the resulting calendar.

    It may be called again at any time and skips what is done. Raises InvalidInput for an unknown zone, Unavailable if
    other writers keep interfering.
    """
    name = find_zone(zone).key
    current = calendars.find_or_create(calendar.id)
    if current.timezone != name:
        current = _update_head(calendars, current, timezone=name, rezoning=True)
    return finish_rezoning(calendars, current)


def apply_project_zone(
    calendars: RezonableCalendars, calendar: CalendarRecord, project_zone: str | None
) -> CalendarRecord:
    """Read the floating times of a calendar without a zone in the project's zone, and return the resulting calendar.

    `project_zone` is None if the caller is not a server or knows no zone; the calendar then stays as it is.
    """
    if project_zone is None or calendar.timezone is not None or not calendar.version:
        return calendar
    if calendar.floating_zone == project_zone:
        return calendar
    return finish_rezoning(calendars, _update_head(calendars, calendar, floating_zone=project_zone, rezoning=True))


def finish_rezoning(calendars: RezonableCalendars, calendar: CalendarRecord) -> CalendarRecord:
    """Finish an interrupted zone change, and return the calendar with everything stored by its zone."""
    if not calendar.rezoning:
        return calendar
    whole = True
    dependent = _dependent(calendars, calendar)
    while places := list(islice(dependent, _TOGETHER)):
        whole = _refile(calendars, calendar, places) and whole
    # An event with an operation under way stays where the operation looks for it, until the next time.
    return _update_head(calendars, calendar, rezoning=False) if whole else calendars.find(calendar.id)


def depends_on_zone(event: Event) -> bool:
    """Return whether the event would move if its calendar changed zone."""
    times = (event.start, event.end, *event.exdates, *event.rdates, *(one.start for one in event.periods))
    return event.is_all_day or any(isinstance(when, ZonedTime) and when.floating for when in times)


def _dependent(calendars: RezonableCalendars, calendar: CalendarRecord) -> Iterator[PlaceInCalendar]:
    store, scope = calendars.store, calendars.scope
    narrow = read_entries(store, scope, calendar.id, calendar.zone, "narrow")
    for shown in chain(read_entries(store, scope, calendar.id, calendar.zone, "wide"), narrow):
        event = event_of(shown) if shown.kind == "event" else None
        if event is not None and depends_on_zone(event):
            yield shown.filed


def _refile(calendars: RezonableCalendars, calendar: CalendarRecord, places: Sequence[PlaceInCalendar]) -> bool:
    """Store the entries by the calendar's zone. Return whether all of them are stored by it now."""
    for _ in range(_TRIES):
        current = calendars.find(calendar.id)
        if current.zone.key != calendar.zone.key:
            return False  # The caller that set yet another zone files the entries by it.
        changes, removed, new, whole = _moves(calendars, current, places)
        try:
            if changes:
                calendars.versioned_writes.write(current, changes, gone=removed, new=new)
        except ConditionFailed:
            continue
        return whole
    raise _busy(calendar)


def _moves(
    calendars: RezonableCalendars, calendar: CalendarRecord, places: Sequence[PlaceInCalendar]
) -> tuple[list[Change], list[PlaceInCalendar], list[EntryView], bool]:
    writer = EntryWriter(calendars.store, calendars.scope, calendar)
    changes: list[Change] = []
    removed: list[PlaceInCalendar] = []
    new: list[EntryView] = []
    whole = True
    for entry, pointer in _stored_entries(calendars, calendar, places):
        moved = event_entry(calendar.id, move_floating_times(decode_event(entry.event), calendar.zone), calendar.zone)
        if moved == entry:
            continue
        if pointer.operation is not None:
            whole = False
            continue
        changes += writer.put(moved, pointer.booked_by, replaces=place_of(entry))
        removed.append(place_of(entry))
        new.append(view_of_entry(moved))
    return changes, removed, new, whole


def _stored_entries(
    calendars: RezonableCalendars, calendar: CalendarRecord, places: Sequence[PlaceInCalendar]
) -> Iterator[tuple[EventEntry, Pointer]]:
    entries = EVENTS.within(calendars.store, calendars.scope)
    pointers = POINTERS.within(calendars.store, calendars.scope)
    stored = entries.get_many([(calendar.id, place.reach, place.start, place.id) for place in places])
    stored_pointers = pointers.get_many([(calendar.id, place.id) for place in places])
    for entry, pointer in zip(stored, stored_pointers, strict=True):
        if entry is not None and pointer is not None and pointer.place == place_of(entry):
            yield entry, pointer


def move_floating_times(event: Event, zone: ZoneInfo) -> Event:
    """Return the event with its floating times on the clocks of `zone`."""

    def move(when: When) -> When:
        return replace(when, zone=zone.key) if isinstance(when, ZonedTime) and when.floating else when

    return replace(
        event,
        start=move(event.start),
        end=move(event.end),
        recurrence_id=move(event.recurrence_id) if event.recurrence_id is not None else None,
        exdates=tuple(map(move, event.exdates)),
        rdates=tuple(map(move, event.rdates)),
        periods=tuple(replace(one, start=move(one.start), end=move(one.end)) for one in event.periods),
    )


def _update_head(calendars: RezonableCalendars, calendar: CalendarRecord, **changes: object) -> CalendarRecord:
    """Change these parts of the calendar's head, whatever else changes in it meanwhile, and return the calendar."""
    rows = CALENDARS.within(calendars.store, calendars.scope)
    for _ in range(_TRIES):
        current = calendars.find(calendar.id)
        if not changes.get("rezoning") and current.zone.key != calendar.zone.key:
            return current
        noted = replace(current, version=current.version + 1, wide_version=current.wide_version + 1, **changes)
        try:
            calendars.store.write([rows.put(noted, Equals("version", current.version))])
        except ConditionFailed:
            continue
        return noted
    raise _busy(calendar)


def _busy(calendar: CalendarRecord) -> Unavailable:
    return Unavailable(f"The calendar {calendar.id} is being changed by other calls.", "Repeat the call in a moment.")
