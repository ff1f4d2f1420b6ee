"""What edits do to events: made, changed and deleted, one by one or as the series that they belong to."""

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from typing import Literal

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from almanac.families.calendar.booking_ids import new_event_id
from almanac.families.calendar.events import AllDay, Event, Timed, When, instant_of, timed
from almanac.families.planner.agenda import Found
from almanac.families.planner.days import said, said_time
from almanac.families.planner.planner import Planner
from almanac.families.planner.records import EventType, ItemStatus, Mark
from almanac.families.planner.recurrence_input import Recurrence, rule_text
from almanac.families.planner.series import aligned, at_clock, moved_to, slot_day, uid_of
from almanac.families.planner.texts import checked_body, checked_title
from almanac.families.time.wall_time import resolve
from almanac.families.time.zones import find_zone
from almanac.kernel.errors import InvalidInput

SeriesScope = Literal["this", "all", "this_and_following"]
_MINUTES: dict[EventType, int] = {"event": 60, "task": 30}


class Wanted(Struct, frozen=True, kw_only=True):
    """What an event is to be. None leaves a part as it is; of a new event it takes the default.

    `time` "" makes it last the whole day. `recurrence` None ends the repeating, UNSET leaves it.
    """

    title: str | None = None
    description: str | None = None
    date: str | None = None
    time: str | None = None
    type: EventType | None = None
    status: ItemStatus | None = None
    duration_minutes: int | None = None
    busy: bool | None = None
    location: str | None = None
    recurrence: Recurrence | UnsetType | None = UNSET

    @property
    def is_empty(self) -> bool:
        return self == Wanted()


class Timing(Struct, frozen=True):
    """`day` and `clock` None where they were not said. `whole_day`: without a time of day."""

    day: date | None
    clock: time | None
    whole_day: bool = False


def timing(wanted: Wanted, planner: Planner) -> Timing:
    """What was said of day and time; a day in words may say the time with it."""
    spoken = said(wanted.date, "date", planner) if wanted.date is not None else None
    if wanted.time is None:
        return Timing(spoken.day if spoken else None, spoken.clock if spoken else None)
    if not wanted.time.strip():
        return Timing(spoken.day if spoken else None, None, whole_day=True)
    return Timing(spoken.day if spoken else None, said_time(wanted.time, "time", planner))


def drafted(wanted: Wanted, when: Timing, planner: Planner) -> tuple[Event, Mark]:
    """A new event, which is a series where it repeats. `wanted` has a title and a date."""
    if when.day is None:
        raise InvalidInput("date is missing.", 'Give e.g. 2026-03-15 or "tomorrow".', path="date")
    event_id = new_event_id(planner.now_ms(), planner.random_bytes)
    kind = wanted.type or "task"
    start: When = AllDay(when.day) if when.clock is None else _timed(when.day, when.clock, planner.zone.key)
    event = Event(id=event_id, uid=uid_of(event_id), start=start, end=start, revision=1)
    event = _lasting(event, wanted.duration_minutes, kind, once=not isinstance(wanted.recurrence, Recurrence))
    event = _described(event, wanted)
    event = replace(event, transparent=not (wanted.busy if wanted.busy is not None else _usually_busy(event, kind)))
    if isinstance(wanted.recurrence, Recurrence):
        event = aligned(replace(event, rrule=rule_text(wanted.recurrence, event.start, planner)))
    return event, Mark(id=event_id, type=kind, status=wanted.status or "pending")


def changed(event: Event, mark: Mark, wanted: Wanted, when: Timing, planner: Planner) -> tuple[Event, Mark]:
    """The event with everything but its rule as it is to be, and the next revision."""
    kind = wanted.type or mark.type
    usual = event.transparent != _usually_busy(event, mark.type)
    once = not event.is_series and not isinstance(wanted.recurrence, Recurrence)
    before, event = event, _described(_moved(event, when, planner), wanted)
    if wanted.duration_minutes is not None or event.end == event.start:
        event = _lasting(event, wanted.duration_minutes, kind, once=once)
    elif once and isinstance(before.start, Timed) and isinstance(event.start, Timed):
        event = _exactly(event, _length(before))
    if wanted.busy is not None or usual:
        busy = wanted.busy if wanted.busy is not None else _usually_busy(event, kind)
        event = replace(event, transparent=not busy)
    event = replace(event, revision=event.revision + 1, sequence=event.sequence + 1)
    return event, replace(mark, type=kind, status=wanted.status or mark.status)


def exception_of(found: Found, series: Event, slot: When) -> Event:
    """What stands in place of an instance: as the series has it, until it is changed."""
    return replace(
        moved_to(series, slot.day if isinstance(slot, AllDay) else slot),
        id=found.id,
        rrule=None,
        rdates=(),
        exdates=(),
        recurrence_id=slot,
        created=None,
        etag=None,
        href=None,
        url=None,
    )


def reclocked(slots: Sequence[When], before: Event, after: Event) -> tuple[When, ...]:
    """Slots of a series whose time of day changed, at their new times."""
    clock = clock_of(after.start)
    if clock == clock_of(before.start):
        return tuple(slots)
    zone = after.start.zone if isinstance(after.start, Timed) else ""
    return tuple(at_clock(slot, clock, zone) for slot in slots)


def clock_of(when: When) -> time | None:
    """None for a whole day."""
    return when.local.time() if isinstance(when, Timed) else None


def _timed(day: date, clock: time, zone: str) -> Timed:
    return Timed(datetime.combine(day, clock.replace(fold=0)), zone, clock.fold)


def _moved(event: Event, when: Timing, planner: Planner) -> Event:
    day = when.day or slot_day(event.start)
    if when.whole_day or (when.clock is None and isinstance(event.start, AllDay)):
        return moved_to(event, day)
    if when.clock is not None:
        zone = event.start.zone if isinstance(event.start, Timed) else planner.zone.key
        return moved_to(event, _timed(day, when.clock, zone))
    if when.day is None or isinstance(event.start, AllDay) or when.day == slot_day(event.start):
        return event
    return moved_to(event, _timed(day, event.start.local.time(), event.start.zone))


def _lasting(event: Event, minutes: int | None, kind: EventType, *, once: bool) -> Event:
    if isinstance(event.start, AllDay):
        days = -(-minutes // 1440) if minutes is not None else 1
        return replace(event, end=AllDay(event.start.day + timedelta(days=days)))
    length = timedelta(minutes=minutes if minutes is not None else _MINUTES[kind])
    if once:
        return _exactly(event, length)
    return replace(event, end=Timed(event.start.local + length, event.start.zone))


def _exactly(event: Event, length: timedelta) -> Event:
    """What happens once, at a time that exists and as long as said, even where clocks are changed meanwhile. The
    instances of a series last from one wall time to another."""
    if not isinstance(event.start, Timed):
        return event
    zone = event.start.zone
    begins = instant_of(event.start, zone) if event.start.fold else resolve(event.start.local, find_zone(zone)).instant
    return replace(event, start=timed(begins, zone), end=timed(begins + length, zone))


def _length(event: Event) -> timedelta:
    zone = event.start.zone if isinstance(event.start, Timed) else "UTC"
    return instant_of(event.end, zone) - instant_of(event.start, zone)


def _usually_busy(event: Event, kind: EventType) -> bool:
    """A task takes time only where it has a time."""
    return kind == "event" or not event.is_all_day


def _described(event: Event, wanted: Wanted) -> Event:
    if wanted.title is not None:
        event = replace(event, summary=checked_title(wanted.title))
    if wanted.description is not None:
        event = replace(event, description=checked_body(wanted.description, "description"))
    if wanted.location is not None:
        event = replace(event, location=checked_body(wanted.location, "location"))
    return event
