"""Requested days and times of events, in the caller's zone."""

from datetime import date, datetime, time
from zoneinfo import ZoneInfo

from msgspec import Struct

from almanac.families.calendar.model.events import AllDay, When, ZonedTime, instant_of, zoned_time
from almanac.families.calendar.model.instance_ids import slot_day
from almanac.families.planner.core.days import parse_day_time, parse_time
from almanac.families.planner.core.planner import Planner
from almanac.families.time.core.wall_time import resolve
from almanac.families.time.core.zones import place_zone


class Timing(Struct, frozen=True):
    """`day` and `clock` are None where not given. `whole_day`: without a time of day. `exact`: with an offset."""

    day: date | None = None
    clock: time | None = None
    whole_day: bool = False
    exact: bool = False


UNCHANGED = Timing()


def timing(day: str | None, clock: str | None, planner: Planner) -> Timing:
    """Parse a requested day and time; a day in words may include the time. A clock of "" means the whole day."""
    given = parse_day_time(day, "date", planner) if day is not None else None
    if clock is None:
        return Timing(given.day, given.clock, exact=given.exact) if given else UNCHANGED
    if not clock.strip():
        return Timing(given.day if given else None, None, whole_day=True)
    return Timing(given.day if given else None, parse_time(clock, "time", planner))


def shown_start(start: When, zone: ZoneInfo) -> tuple[date, time | None]:
    """Day and time of day in `zone`; of a whole day its day, and no time."""
    if isinstance(start, AllDay):
        return start.day, None
    local = instant_of(start, start.zone).astimezone(zone)
    return local.date(), local.time().replace(fold=local.fold)


def is_shown(when: Timing, start: When, zone: ZoneInfo) -> bool:
    """Return whether the requested time equals the shown one, so that nothing moves. An hour that comes twice looks the
    same both times, so without an offset either is equal."""
    day, clock = shown_start(start, zone)
    if when.day not in (None, day):
        return False
    if when.whole_day or when.clock is None:
        return clock is None or not when.whole_day
    return when.clock == clock and (not when.exact or when.clock.fold == (clock.fold if clock is not None else 0))


def moved_start(start: When, when: Timing, zone: ZoneInfo) -> When:
    """Move `start` to the request in `zone`. A time keeps its own zone, in which it recurs and is exported; a whole day
    gets `zone`."""
    if is_shown(when, start, zone):
        return start
    day, clock = shown_start(start, zone)
    day = when.day or day
    clock = when.clock if when.clock is not None else clock.replace(fold=0) if clock is not None else None
    if when.whole_day or clock is None:
        return AllDay(day)
    return on_clocks(day, clock, zone, start.zone if isinstance(start, ZonedTime) else place_zone(zone.key))


def on_clocks(day: date, clock: time, zone: ZoneInfo, kept_in: str) -> ZonedTime:
    """A local time in `zone`, stored in the zone `kept_in`. In its own zone it is stored even where clocks skip it on
    that day: a series has it on the other days."""
    local = ZonedTime(datetime.combine(day, clock.replace(fold=0)), zone.key, clock.fold)
    if kept_in == zone.key:
        return local
    instant = instant_of(local, zone.key) if local.fold else resolve(local.local, zone).instant
    return zoned_time(instant, kept_in)


def clock_of(when: When) -> time | None:
    """The time of day in the zone of `when`; None for a whole day."""
    return when.local.time() if isinstance(when, ZonedTime) else None


def days_between(before: When, after: When) -> int:
    return (slot_day(after) - slot_day(before)).days
