"""What edits do to events: made, changed and deleted, one by one or as the series that they belong to."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Literal

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from almanac.families.calendar.entries.finding import Found
from almanac.families.calendar.model.attendees import checked_attendees
from almanac.families.calendar.model.booking_ids import new_event_id
from almanac.families.calendar.model.events import AllDay, Event, Timed, When, instant_of, timed
from almanac.families.calendar.model.instance_ids import uid_of
from almanac.families.calendar.model.overrides import moved_to, override_of
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import EventType, ItemStatus, Mark
from almanac.families.planner.edits.series_moves import anchored, moved_series
from almanac.families.planner.edits.timing import Timing, on_clocks, start_as_said
from almanac.families.planner.events.done_time import with_time_freed
from almanac.families.planner.events.recurrence import Recurrence, rule_text, zone_of_rule
from almanac.families.planner.events.series import aligned
from almanac.families.planner.texts.texts import checked_body, checked_title
from almanac.families.time.core.wall_time import resolve
from almanac.families.time.core.zones import find_zone
from almanac.kernel.errors import InvalidInput

SeriesScope = Literal["this", "all", "this_and_following"]
_LONGEST_MINUTES = 366 * 1440
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
    attendees: Sequence[str] | None = None
    recurrence: Recurrence | UnsetType | None = UNSET

    @property
    def is_empty(self) -> bool:
        return self == Wanted()


def drafted(wanted: Wanted, when: Timing, planner: Planner) -> tuple[Event, Mark]:
    """A new event, which is a series where it repeats. `wanted` has a title and a date."""
    if when.day is None:
        raise InvalidInput("date is missing.", 'Give e.g. 2026-03-15 or "tomorrow".', path="date")
    event_id = new_event_id(planner.now_ms(), planner.random_bytes)
    kind = wanted.type or "task"
    start: When = AllDay(when.day)
    if when.clock is not None:
        start = on_clocks(when.day, when.clock, planner.zone, planner.zone.key)
    event = Event(id=event_id, uid=uid_of(event_id), start=start, end=start, revision=1)
    event = _lasting(event, wanted.duration_minutes, kind, once=not isinstance(wanted.recurrence, Recurrence))
    event = _described(event, wanted)
    event = replace(event, transparent=not (wanted.busy if wanted.busy is not None else _usually_busy(event, kind)))
    if isinstance(wanted.recurrence, Recurrence):
        event = repeating(event, wanted.recurrence, planner)
    return with_time_freed(event, Mark(id=event_id, type=kind, status=wanted.status or "pending"), wanted.busy)


def changed(
    event: Event, mark: Mark, wanted: Wanted, when: Timing, planner: Planner, *, was: Event | None = None
) -> tuple[Event, Mark]:
    """The event with everything but its rule as it is to be, and the next revision. `was`: as it stood before its
    series moved."""
    was = was or event
    kind = wanted.type or mark.type
    usual = was.transparent != _usually_busy(was, mark.type)
    once = not event.is_series and not isinstance(wanted.recurrence, Recurrence)
    before, start = event, start_as_said(event.start, when, planner.zone)
    event = _described(_begun(event, start), wanted)
    if wanted.duration_minutes is not None or (event.end == event.start and was.end != was.start):
        event = _lasting(event, wanted.duration_minutes, kind, once=once)
    elif once and start != before.start and isinstance(before.start, Timed) and isinstance(start, Timed):
        event = _exactly(event, _length(before))
    if wanted.busy is not None or usual:
        busy = wanted.busy if wanted.busy is not None else _usually_busy(event, kind)
        event = replace(event, transparent=not busy)
    event = replace(event, revision=event.revision + 1, sequence=event.sequence + 1)
    return with_time_freed(event, replace(mark, type=kind, status=wanted.status or mark.status), wanted.busy)


def exception_of(found: Found, series: Event, slot: When) -> Event:
    """What stands in place of an instance: as the series has it, until it is changed."""
    return override_of(series, slot, found.id)


def repeating(event: Event, recurrence: Recurrence, planner: Planner) -> Event:
    """The event, from now on a series in the zone that the rule is meant for."""
    if (move := anchored(event.start, zone_of_rule(recurrence, planner).key)) is not None:
        event = moved_series(event, move, keeps_rule=False)
    return aligned(replace(event, rrule=rule_text(recurrence, event.start, planner)))


def _begun(event: Event, start: When) -> Event:
    if start == event.start:
        return event
    return moved_to(event, start.day if isinstance(start, AllDay) else start)


def _lasting(event: Event, minutes: int | None, kind: EventType, *, once: bool) -> Event:
    if minutes is not None and not 1 <= minutes <= _LONGEST_MINUTES:
        raise InvalidInput(
            f'"durationMinutes" must be from 1 to {_LONGEST_MINUTES}, but it is {minutes}.',
            "Omit it to keep the current length.",
            path="durationMinutes",
        )
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
    if wanted.attendees is not None:
        event = replace(event, attendees=checked_attendees(wanted.attendees))
    return event
