"""Target event of a change, retries of the change, and the event after it."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress

from almanac.families.calendar.booking.execution import Execution
from almanac.families.calendar.booking.reader import refuse_unknown
from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.entries.event_lookup import LocatedEvent, find_event, provider_override
from almanac.families.calendar.entries.records import CalendarRecord, PlaceInCalendar
from almanac.families.calendar.model.events import Event
from almanac.families.calendar.model.overrides import override_of
from almanac.kernel.errors import AlmanacError, Conflict, Unavailable
from almanac.platform.store.contention import Retry

TRIES = 3
"""Number of attempts if the event changes at the provider meanwhile."""


def find_target(
    bookings: BookingService, calendar: CalendarRecord, execution: Execution, name: str, given_id: str
) -> LocatedEvent:
    """Return the event of that name. Raises NotFound if there is none; `given_id` is the id that the caller sent."""
    located = execution.find(calendar, name)
    if located is None:
        refuse_unknown(bookings.calendars, calendar, given_id)
        raise Retry
    return located


@contextmanager
def retry_write(bookings: BookingService, calendar: CalendarRecord, tries: Iterator[object]) -> Generator[None]:
    """Write to a provider within the block. On a version conflict, read the event and raise Retry, while `tries` last.

    Raises Unavailable, with the outcome unknown, if the provider does not answer.
    """
    try:
        yield
    except Conflict as conflict:
        if next(tries, None) is None:
            raise
        bookings.calendars.gateway.refresh(calendar, booking=True)
        raise Retry from conflict
    except Unavailable as down:
        raise _unknown_outcome(down) from down


def target_of(calendar: CalendarRecord, located: LocatedEvent) -> Event:
    """Return the found event; an instance of a series becomes an event of its own."""
    if located.is_exception or located.series is None or located.slot is None:
        return located.event
    if calendar.is_native:
        return override_of(located.series, located.slot, located.id)
    return provider_override(calendar, located.series, located.slot)


def replaced_place(located: LocatedEvent) -> PlaceInCalendar | None:
    """Return the place of the entry that a change replaces; None for an instance that differs for the first time."""
    return located.pointer.place if located.series is None or located.is_exception else None


def pull(bookings: BookingService, calendar: CalendarRecord) -> None:
    """Read the provider's current state. If it does not answer, the next call reads it."""
    with suppress(AlmanacError):
        bookings.calendars.gateway.refresh(calendar, booking=True)


def read_result(
    bookings: BookingService, calendar: CalendarRecord, located: LocatedEvent, event: Event
) -> LocatedEvent:
    """Return the changed event as it is stored now, or `event` if it could not be read again."""
    current = bookings.calendars.find(calendar.id)
    for name in (event.id, located.id):
        again = find_event(bookings.calendars, current, name)
        if again is not None:
            return again
    return located._replace(event=event)


def _unknown_outcome(down: Unavailable) -> Unavailable:
    """Return the error for a write that the provider did not answer."""
    return Unavailable(
        f"{down.message} Whether it made the change is not known.",
        "Repeat the call: the change is made once. get_event shows how the event is now.",
    )
