"""Plan to move an event, or one instance of a series, to another slot in one step.

The event never stands twice or not at all. Events booked here and events made elsewhere are alike.
"""

from collections.abc import Callable, Sequence
from datetime import date, datetime
from typing import NamedTuple

from msgspec.structs import replace

from almanac.families.calendar.booking.plans import (
    Announcement,
    Attempt,
    Pending,
    Plan,
    Preparation,
    PutEvent,
    Taken,
    new_operation,
    obstacle,
)
from almanac.families.calendar.booking.slots import Slots, drawn
from almanac.families.calendar.entries.codec import place_of
from almanac.families.calendar.entries.finding import Found, provider_override
from almanac.families.calendar.entries.records import CalendarRecord, Pointer
from almanac.families.calendar.entries.view import Shown
from almanac.families.calendar.model.events import AllDay, Event, Timed, encode_event, instant_of
from almanac.families.calendar.model.instances import interval_of
from almanac.families.calendar.model.overrides import override_of
from almanac.kernel.errors import InvalidInput
from almanac.kernel.instants import instant_at, milliseconds


class Move(NamedTuple):
    """An event as it is, and as it is to be; an instance of a series as one of its own."""

    event: Event
    moved: Event
    slots: Slots
    zone: str

    @property
    def is_needless(self) -> bool:
        """Whether the event is there already."""
        one, other = self.event, self.moved
        if (one.start, one.end) == (other.start, other.end):
            return True
        return one.is_all_day == other.is_all_day and interval_of(one, self.zone) == self.slots.instances[0]


def move_of(
    calendar: CalendarRecord, found: Found, start: datetime | date, end: datetime | date | None, zone: str
) -> Move:
    """The move of what was found; without `end` it stays as long as it is. `zone` is that of whole days.

    Raises InvalidInput for a whole series, and for a slot that does not fit.
    """
    event = _movable(calendar, found)
    moved = _at(event, start, end, zone)
    slot = interval_of(moved, zone)
    return Move(event, moved, Slots((slot,), slot), zone)


def plan_move(
    calendar: CalendarRecord, found: Found, move: Move, shown: Sequence[Shown], attempt: Attempt
) -> Plan | Pending | Taken:
    """In a native calendar store the event at its new place; in any other prepare that.

    `shown` is what was read of the new slot.
    """
    taken = obstacle(shown, move.slots, _own(found, move.zone)) if move.moved.takes_time else None
    if taken is not None:
        return taken
    moved = replace(
        move.moved,
        sequence=move.event.sequence + 1,
        revision=move.event.revision + 1,
        updated=instant_at(attempt.now),
        nominal_days=0,
    )
    pointer = found.pointer
    former = pointer.place if found.series is None or found.is_exception else None
    if calendar.is_native:
        put = PutEvent(moved, pointer.booked_by, former)
        return Plan(puts=(put,), announces=Announcement("booking_rescheduled", moved))
    operation = new_operation("move", calendar, moved, move.slots.instances[0], attempt, pointer.booked_by)
    operation = replace(operation, before=encode_event(move.event), stands_at=former)
    place = place_of(operation)
    if former is None:
        pointer = Pointer(calendar=calendar.id, id=moved.id, place=place, booked_by=pointer.booked_by)
    return Plan(prepares=Preparation(operation, replace(pointer, operation=place)))


def _movable(calendar: CalendarRecord, found: Found) -> Event:
    """The event as it is, an instance of a series as one of its own."""
    if found.names_whole_series:
        raise InvalidInput(
            "This is the id of a whole series; only one instance can be moved.",
            "Give the id of one instance from list_events. To move all of a native series use calendar_update_event "
            'with scope "all"; elsewhere cancel the series and book it anew.',
            path="booking_id",
        )
    if found.is_exception or found.series is None or found.slot is None:
        return found.event
    if calendar.is_native:
        return override_of(found.series, found.slot, found.id)
    return provider_override(calendar, found.series, found.slot)


def _at(event: Event, start: datetime | date, end: datetime | date | None, zone: str) -> Event:
    """The event at another time. It keeps the zone in which it was made, where it has one."""
    own = event.start.zone if isinstance(event.start, Timed) else zone
    if end is None:
        if isinstance(start, datetime) is not isinstance(event.start, Timed):
            raise InvalidInput(
                '"start" does not fit the event: an all-day event takes a date, any other event a time.',
                "Give end too to change it into the other kind.",
                path="start",
            )
        end = _as_long(event, start, zone)
    template = drawn(start, end, None, own)
    return replace(event, start=template.start, end=template.end)


def _as_long(event: Event, start: datetime | date, zone: str) -> datetime | date:
    if isinstance(event.start, AllDay) and isinstance(event.end, AllDay):
        return start + (event.end.day - event.start.day)
    interval = interval_of(event, zone)
    return start + (instant_at(interval.end) - instant_at(interval.start))


def _own(found: Found, zone: str) -> Callable[[Shown], bool]:
    """What of the calendar is the event itself: of a series only the instance that moves."""
    filed = found.event.id
    if found.series is None or found.slot is None or found.is_exception:
        return lambda one: one.filed.id == filed
    begins = milliseconds(instant_of(found.slot, zone))
    return lambda one: one.filed.id == filed and one.start == begins
