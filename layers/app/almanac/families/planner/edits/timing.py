"""Requested days and times of events, in the caller's zone."""

from datetime import date, datetime, time
from zoneinfo import ZoneInfo

from msgspec import Struct

from almanac.families.calendar.model.events import AllDay, When, ZonedTime, convert_to_zone
from almanac.families.calendar.model.instance_ids import slot_day
from almanac.families.planner.core.days import parse_day_time, parse_time
from almanac.families.planner.core.planner import Planner
from almanac.families.time.core.wall_time import resolve
from almanac.families.time.core.zones import place_zone


class Timing(Struct, frozen=True):
    """A requested time. `day` and `clock` are None if not given. `whole_day`: without a time of day. `exact`: with an
    offset."""

    day: date | None = None
    clock: time | None = None
    whole_day: bool = False
    exact: bool = False


UNCHANGED = Timing()


def parse_timing(day: str | None, clock: str | None, planner: Planner) -> Timing:
    """Parse a requested day and time. A day in words may include the time. A clock of "" means the whole day."""
    parsed = parse_day_time(day, "date", planner) if day is not None else None
    if clock is None:
        return Timing(parsed.day, parsed.clock, exact=parsed.exact) if parsed else UNCHANGED
    if not clock.strip():
        return Timing(parsed.day if parsed else None, None, whole_day=True)
    return Timing(parsed.day if parsed else None, parse_time(clock, "time", planner))


def displayed_start(start: When, zone: ZoneInfo) -> tuple[date, time | None]:
    """Return the day and time of day in `zone`. A whole day has no time."""
    if isinstance(start, AllDay):
        return start.day, None
    local = start.instant.astimezone(zone)
    return local.date(), local.time().replace(fold=local.fold)


def is_displayed(when: Timing, start: When, zone: ZoneInfo) -> bool:
    """Return whether the requested time equals the shown time, so nothing moves. A repeated hour looks the same both
    times, so a time without an offset equals both."""
    day, clock = displayed_start(start, zone)
    if when.day not in (None, day):
        return False
    if when.whole_day or when.clock is None:
        return clock is None or not when.whole_day
    return when.clock == clock and (not when.exact or when.clock.fold == (clock.fold if clock is not None else 0))


def move_start(start: When, when: Timing, zone: ZoneInfo) -> When:
    """Return the start moved to the request in `zone`. A time keeps its own zone, in which it recurs and is exported. A
    whole day gets `zone`."""
    if is_displayed(when, start, zone):
        return start
    day, clock = displayed_start(start, zone)
    day = when.day or day
    clock = when.clock if when.clock is not None else clock.replace(fold=0) if clock is not None else None
    if when.whole_day or clock is None:
        return AllDay(day)
    return on_clocks(day, clock, zone, start.tzinfo if isinstance(start, ZonedTime) else place_zone(zone))


def on_clocks(day: date, clock: time, zone: ZoneInfo, kept_in: ZoneInfo) -> ZonedTime:
    """Return a local time in `zone`, stored in the zone `kept_in`. In its own zone it is stored even if clocks skip it
    on that day, because a series has it on other days."""
    local = ZonedTime(datetime.combine(day, clock.replace(fold=0)), zone.key, clock.fold)
    if kept_in.key == zone.key:
        return local
    instant = local.instant if local.fold else resolve(local.local, zone).instant
    return convert_to_zone(instant, kept_in)


def clock_of(when: When) -> time | None:
    """Return the time of day in the zone of `when`; None for a whole day."""
    return when.local.time() if isinstance(when, ZonedTime) else None


def days_between(before: When, after: When) -> int:
    return (slot_day(after) - slot_day(before)).days
