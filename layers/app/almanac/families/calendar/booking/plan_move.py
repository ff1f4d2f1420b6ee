"""Plans that move an event, one instance of a series, or a whole series at a provider, in one step.

At no time does the event exist twice or not at all. Events booked here and events made elsewhere are treated alike.
"""

from collections.abc import Callable, Sequence
from datetime import date, datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from almanac.families.calendar.booking.plans import (
    Announcement,
    Attempt,
    PendingOperation,
    Plan,
    Preparation,
    PutEvent,
    SlotConflict,
    find_obstacle,
    new_operation,
)
from almanac.families.calendar.booking.slots import Slots, event_template, slots_of, slots_of_moved
from almanac.families.calendar.entries.codec import place_of
from almanac.families.calendar.entries.event_lookup import LocatedEvent, provider_override
from almanac.families.calendar.entries.records import CalendarRecord, Pointer
from almanac.families.calendar.entries.view import EntryView, event_of
from almanac.families.calendar.model.events import AllDay, Event, ZonedTime, convert_to_zone, encode_event, instant_of
from almanac.families.calendar.model.instances import interval_of
from almanac.families.calendar.model.overrides import move_to, override_of
from almanac.families.calendar.model.series_moves import move_exception, move_series
from almanac.kernel.errors import Forbidden, InvalidInput
from almanac.kernel.instants import instant_at, milliseconds


class Move(NamedTuple):
    """Event before and after a move. An instance of a series is an event of its own here."""

    event: Event
    moved: Event
    slots: Slots
    zone: ZoneInfo

    @property
    def is_needless(self) -> bool:
        """Return whether the event is already at the new time."""
        one, other = self.event, self.moved
        if (one.start, one.end) == (other.start, other.end):
            return True
        if one.is_series:
            return False
        return one.is_all_day == other.is_all_day and interval_of(one, self.zone) == self.slots.instances[0]


def move_of(
    calendar: CalendarRecord, located: LocatedEvent, start: datetime | date, end: datetime | date | None, zone: ZoneInfo
) -> Move:
    """Return the move of a single event or an instance; without `end` it keeps its length. Whole days begin at midnight
    in `zone`.

    Raises InvalidInput for a slot that does not fit.
    """
    event = _movable(calendar, located)
    moved = _at(event, start, end, zone)
    slot = interval_of(moved, zone)
    return Move(event, moved, Slots((slot,), slot), zone)


def series_move_of(
    calendar: CalendarRecord,
    located: LocatedEvent,
    start: datetime | date,
    end: datetime | date | None,
    zone: ZoneInfo,
    *,
    exceptions: Sequence[Event],
    now: int,
) -> Move:
    """Return the move of a whole series at a provider, whose first instance then begins at `start`.

    The `exceptions` keep their distance from the series. If the series has already begun, only instances from `now` on
    are checked. Raises InvalidInput for a native series, and for times that its rule cannot express; Forbidden if the
    provider cannot move it in one write.
    """
    series = located.event
    if calendar.is_native:
        raise InvalidInput(
            "This is the id of a whole series; here only one instance can be moved.",
            "Give the id of one instance from list_events. To move all of the series use calendar_update_event with "
            'scope "all".',
            path="booking_id",
        )
    if isinstance(start, datetime) is series.is_all_day:
        raise _other_kind("A series keeps whole days or times of day: book a new series, and cancel this one.")
    if calendar.provider == "google" and exceptions:
        raise Forbidden(
            "Google keeps instances that differ from their series apart, so this series cannot be moved in one step.",
            "Move single instances, or cancel the series and book it anew.",
        )
    at = _series_at(series, start, end, zone)
    moved = move_series(series, at.start, at.end)
    others = [move_exception(one, series, moved) for one in exceptions]
    if end is not None:
        slots_of(moved, zone)  # raises if instances would overlap each other
    return Move(series, moved, slots_of_moved(moved, others, zone, now), zone)


def _series_at(series: Event, start: datetime | date, end: datetime | date | None, zone: ZoneInfo) -> Event:
    """Return the first instance at its new time, floating if it was before."""
    own = series.start.tzinfo if isinstance(series.start, ZonedTime) else zone
    floating = isinstance(series.start, ZonedTime) and series.start.floating
    if end is not None:
        template = event_template(start, end, None, own)
    else:
        template = move_to(series, convert_to_zone(start, own) if isinstance(start, datetime) else start)
    first, last = template.start, template.end
    if floating and isinstance(first, ZonedTime) and isinstance(last, ZonedTime):
        first, last = replace(first, floating=True), replace(last, floating=True)
    return replace(series, start=first, end=last)


def plan_move(
    calendar: CalendarRecord, located: LocatedEvent, move: Move, shown: Sequence[EntryView], attempt: Attempt
) -> Plan | PendingOperation | SlotConflict:
    """Plan a move: a native calendar stores the event at its new time, any other prepares an operation.

    `shown` are the entries in the new slot.
    """
    obstacle = find_obstacle(shown, move.slots, _own(located, move.zone)) if move.moved.takes_time else None
    if obstacle is not None:
        return obstacle
    moved = replace(
        move.moved,
        sequence=move.event.sequence + 1,
        revision=move.event.revision + 1,
        updated=instant_at(attempt.now),
    )
    pointer = located.pointer
    former = pointer.place if located.series is None or located.is_exception else None
    if calendar.is_native:
        put = PutEvent(moved, pointer.booked_by, former)
        return Plan(puts=(put,), announces=Announcement("booking_rescheduled", moved))
    operation = new_operation("move", calendar, moved, move.slots.instances[0], attempt, pointer.booked_by)
    operation = replace(operation, before=encode_event(move.event), stands_at=former)
    place = place_of(operation)
    if former is None:
        pointer = Pointer(calendar=calendar.id, id=moved.id, place=place, booked_by=pointer.booked_by)
    return Plan(prepares=Preparation(operation, replace(pointer, operation=place)))


def _movable(calendar: CalendarRecord, located: LocatedEvent) -> Event:
    """Return the event to move; an instance of a series becomes an event of its own."""
    if located.is_exception or located.series is None or located.slot is None:
        return located.event
    if calendar.is_native:
        return override_of(located.series, located.slot, located.id)
    return provider_override(calendar, located.series, located.slot)


def _at(event: Event, start: datetime | date, end: datetime | date | None, zone: ZoneInfo) -> Event:
    """Return the event at another time, in its own zone if it has one."""
    own = event.start.tzinfo if isinstance(event.start, ZonedTime) else zone
    if end is None:
        if isinstance(start, datetime) is not isinstance(event.start, ZonedTime):
            raise _other_kind("To change between whole days and times give end too.")
        end = _as_long(event, start, zone)
    template = event_template(start, end, None, own)
    return replace(event, start=template.start, end=template.end, nominal_days=0, exact_length=False)


def _other_kind(hint: str) -> InvalidInput:
    return InvalidInput(
        '"start" does not fit the event: an all-day event takes a date, any other event a time.', hint, path="start"
    )


def _as_long(event: Event, start: datetime | date, zone: ZoneInfo) -> datetime | date:
    if isinstance(event.start, AllDay) and isinstance(event.end, AllDay):
        return start + (event.end.day - event.start.day)
    interval = interval_of(event, zone)
    return start + (instant_at(interval.end) - instant_at(interval.start))


def _own(located: LocatedEvent, zone: ZoneInfo) -> Callable[[EntryView], bool]:
    """Return a test for entries of the event itself; for an instance, only the instance that moves."""
    filed = located.event.id
    if located.names_whole_series:
        return lambda one: (
            one.kind == "event" and (event := event_of(one)) is not None and event.uid == located.event.uid
        )
    if located.series is None or located.slot is None or located.is_exception:
        return lambda one: one.filed.id == filed
    begins = milliseconds(instant_of(located.slot, zone))
    return lambda one: one.filed.id == filed and one.start == begins
