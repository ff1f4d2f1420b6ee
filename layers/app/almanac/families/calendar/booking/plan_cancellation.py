"""Plans that cancel a single event, one instance of a series, or a series with its exceptions."""

from collections.abc import Sequence
from typing import NamedTuple
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from almanac.families.calendar.booking.plans import (
    Announcement,
    Attempt,
    CancelEvent,
    Plan,
    Preparation,
    PutEvent,
    RemoveEvent,
    new_operation,
)
from almanac.families.calendar.entries.codec import place_of
from almanac.families.calendar.entries.event_lookup import LocatedEvent, provider_override
from almanac.families.calendar.entries.records import CalendarRecord, Pointer
from almanac.families.calendar.model.events import Event, When
from almanac.families.calendar.model.instances import interval_of
from almanac.families.calendar.model.overrides import override_of
from almanac.kernel.instants import instant_at


class Cancellation(NamedTuple):
    """Event to cancel, and the stored entries that go with it in a native calendar.

    `series` is the pointer of the series of an instance. `exceptions` are those of a whole series that this write
    removes; `has_more`: a later write removes the others.
    """

    found: LocatedEvent
    series: Pointer | None = None
    exceptions: Sequence[RemoveEvent] = ()
    has_more: bool = False


def plan_cancellation(calendar: CalendarRecord, cancellation: Cancellation, attempt: Attempt, zone: ZoneInfo) -> Plan:
    """Plan a cancellation: a native calendar removes the event, any other prepares an operation.

    `zone` is the zone of whole days.
    """
    series, slot = cancellation.found.series, cancellation.found.slot
    if not calendar.is_native:
        return _prepare_operation(calendar, cancellation.found, attempt, zone)
    if series is not None and slot is not None:
        return _without_instance(cancellation, series, slot, attempt)
    return _without_event(cancellation)


def _without_event(cancellation: Cancellation) -> Plan:
    event, pointer = cancellation.found.event, cancellation.found.pointer
    if not cancellation.has_more:
        return Plan(
            cancels=CancelEvent(event, pointer.place, pointer.booked_by), removes=tuple(cancellation.exceptions)
        )
    # Exclude the dates of the exceptions that go first, so that the series does not recreate their instances.
    slots = tuple(one.recurrence_id or one.start for one, _ in cancellation.exceptions)
    thinned = replace(event, exdates=(*event.exdates, *slots))
    put = PutEvent(thinned, pointer.booked_by, pointer.place)
    return Plan(puts=(put,), removes=tuple(cancellation.exceptions), is_partial=True)


def _without_instance(cancellation: Cancellation, series: Event, slot: When, attempt: Attempt) -> Plan:
    located = cancellation.found
    puts: tuple[PutEvent, ...] = ()
    if cancellation.series is not None:
        thinned = replace(
            series,
            exdates=(*series.exdates, slot),
            sequence=series.sequence + 1,
            revision=series.revision + 1,
            updated=instant_at(attempt.now),
        )
        puts = (PutEvent(thinned, cancellation.series.booked_by, cancellation.series.place),)
    if located.is_exception:
        return Plan(cancels=CancelEvent(located.event, located.pointer.place, located.pointer.booked_by), puts=puts)
    return Plan(announces=Announcement("booking_cancelled", override_of(series, slot, located.id)), puts=puts)


def _prepare_operation(calendar: CalendarRecord, located: LocatedEvent, attempt: Attempt, zone: ZoneInfo) -> Plan:
    """Prepare a cancellation at a provider. The operation takes no time: the event or its series does until it
    is gone."""
    if located.series is not None and located.slot is not None and not located.is_exception:
        event = provider_override(calendar, located.series, located.slot)
        operation = new_operation("cancel", calendar, event, interval_of(event, zone), attempt, None)
        operation = replace(operation, busy=False)
        pointer = Pointer(calendar=calendar.id, id=event.id, place=place_of(operation))
    else:
        pointer, place = located.pointer, located.pointer.place
        interval = interval_of(located.event, zone)
        operation = new_operation("cancel", calendar, located.event, interval, attempt, pointer.booked_by)
        # Store the operation beside the event, so that a search for the event also finds the operation.
        operation = replace(operation, busy=False, reach=place.reach, start=place.start, stands_at=place)
    return Plan(prepares=Preparation(operation, replace(pointer, operation=place_of(operation))))
