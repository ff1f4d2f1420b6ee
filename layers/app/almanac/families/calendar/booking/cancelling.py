"""Taking an event out of a calendar: a single one, one instance of a series, or a series with all that differs."""

from typing import Literal

from msgspec.structs import replace

from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.entries.codec import place_of, shown_entry
from almanac.families.calendar.entries.finding import Found, exceptions_of, provider_override, standing_pointer
from almanac.families.calendar.entries.records import CalendarRecord, Operation, PlaceInCalendar, Pointer
from almanac.families.calendar.entries.view import Shown
from almanac.families.calendar.entries.writer import EntryWriter
from almanac.families.calendar.model.events import Event, When
from almanac.families.calendar.model.instance_ids import instance_id, is_daily_at_most, read_instance_id, slot_day
from almanac.families.calendar.model.instances import interval_of
from almanac.families.calendar.model.overrides import override_of
from almanac.kernel.instants import instant_at
from almanac.platform.store.port import Change

AT_ONCE = 40
"""Of what differs from a series so much goes in one write."""


def taken_out(bookings: BookingService, calendar: CalendarRecord, found: Found) -> Operation | Literal["more"] | None:
    """Cancels in a native calendar, or says "more" where the same call has to go on; in any other calendar prepares
    that, and returns what is to be carried out. Raises ConditionFailed where the calendar is not as it was read."""
    is_instance = found.series is not None and found.slot is not None
    if not calendar.is_native:
        return _instance_prepared(bookings, calendar, found) if is_instance else _prepared(bookings, calendar, found)
    if found.series is not None and found.slot is not None:
        _instance_gone(bookings, calendar, found, found.series, found.slot)
        return None
    return _gone(bookings, calendar, found)


def cancelled_before(bookings: BookingService, calendar: CalendarRecord, event_id: str) -> bool:
    """Whether the event was cancelled, or the instance taken out of its series, a while ago."""
    pointer = bookings.calendars.pointer(calendar, event_id)
    if pointer is not None:
        event = bookings.calendars.event(calendar, event_id)
        return pointer.state == "cancelled" or (event is not None and event.status == "cancelled")
    named = read_instance_id(event_id)
    stands = standing_pointer(bookings.calendars, calendar, named.series) if named is not None else None
    series = bookings.calendars.event_at(calendar, stands) if stands is not None else None
    if named is None or series is None or not series.is_series:
        return False
    out = [*series.exdates]
    known = exceptions_of(bookings.calendars, calendar, series)
    out += [one.recurrence_id for one in known if one.status == "cancelled" and one.recurrence_id is not None]
    by_day = is_daily_at_most(series)
    return any(slot_day(slot) == named.day if by_day else instance_id(series, slot) == event_id for slot in out)


def _gone(bookings: BookingService, calendar: CalendarRecord, found: Found) -> Literal["more"] | None:
    filing, event, place = bookings.filing(calendar), found.event, found.pointer.place
    exceptions = exceptions_of(bookings.calendars, calendar, event) if event.is_series else []
    changes, gone = _dropped(bookings, calendar, filing, exceptions[:AT_ONCE])
    if len(exceptions) > AT_ONCE:
        # Some go first, and their instances do not come back.
        slots = tuple(one.recurrence_id or one.start for one in exceptions[:AT_ONCE])
        entry = filing.entry(replace(event, exdates=(*event.exdates, *slots)))
        changes += filing.stand(entry, found.pointer.booked_by, instead_of=place)
        bookings.calendars.write(calendar, changes, gone=[*gone, place], new=[shown_entry(entry)])
        return "more"
    changes += filing.gone(event, place, bookings.author(), found.pointer.booked_by)
    bookings.calendars.write(calendar, changes, gone=[*gone, place])
    return None


def _instance_gone(bookings: BookingService, calendar: CalendarRecord, found: Found, series: Event, slot: When) -> None:
    filing = bookings.filing(calendar)
    stands = standing_pointer(bookings.calendars, calendar, series.id)
    changes: list[Change] = []
    gone: list[PlaceInCalendar] = []
    new: list[Shown] = []
    author = bookings.author()
    if found.is_exception:
        changes += filing.gone(found.event, found.pointer.place, author, found.pointer.booked_by)
        gone.append(found.pointer.place)
    else:
        changes += filing.tell("booking_cancelled", override_of(series, slot, found.id), author)
    if stands is not None:
        thinned = replace(
            series,
            exdates=(*series.exdates, slot),
            sequence=series.sequence + 1,
            revision=series.revision + 1,
            updated=instant_at(author.now),
        )
        entry = filing.entry(thinned)
        changes += filing.stand(entry, stands.booked_by, instead_of=stands.place)
        gone.append(stands.place)
        new.append(shown_entry(entry))
    bookings.calendars.write(calendar, changes, gone=gone, new=new)


def _dropped(
    bookings: BookingService, calendar: CalendarRecord, filing: EntryWriter, exceptions: list[Event]
) -> tuple[list[Change], list[PlaceInCalendar]]:
    found = (standing_pointer(bookings.calendars, calendar, one.id) for one in exceptions)
    places = [pointer.place for pointer in found if pointer is not None]
    return [change for place in places for change in filing.release(place)], places


def _prepared(bookings: BookingService, calendar: CalendarRecord, found: Found) -> Operation:
    """Filed beside the event, whose time is busy anyway; whoever looks for the event finds what is under way."""
    place, booked_by = found.pointer.place, found.pointer.booked_by
    stands = interval_of(found.event, bookings.zone_of(calendar).key)
    operation = bookings.operation("cancel", calendar, found.event, stands, booked_by=booked_by)
    operation = replace(operation, busy=False, reach=place.reach, start=place.start, stands_at=place)
    bookings.operations.prepare(calendar, operation, replace(found.pointer, operation=place_of(operation)), [])
    return operation


def _instance_prepared(bookings: BookingService, calendar: CalendarRecord, found: Found) -> Operation:
    if found.is_exception:
        return _prepared(bookings, calendar, found)
    assert found.series is not None and found.slot is not None  # noqa: S101, PT018 - it is one of a series
    event = provider_override(calendar, found.series, found.slot)
    stands = interval_of(event, bookings.zone_of(calendar).key)
    operation = bookings.operation("cancel", calendar, event, stands, booked_by=None)
    operation = replace(operation, busy=False)
    pointer = Pointer(calendar=calendar.id, id=event.id, place=place_of(operation), operation=place_of(operation))
    bookings.operations.prepare(calendar, operation, pointer, [])
    return operation
