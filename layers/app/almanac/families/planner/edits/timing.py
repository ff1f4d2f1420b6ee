"""When an event is to be: what a caller says of day and time, on the clocks on which it is shown to him."""

from datetime import date, datetime, time
from zoneinfo import ZoneInfo

from msgspec import Struct

from almanac.families.calendar.model.events import AllDay, Timed, When, instant_of, timed
from almanac.families.calendar.model.instance_ids import slot_day
from almanac.families.planner.clocks.days import said, said_time
from almanac.families.planner.core.planner import Planner
from almanac.families.time.core.wall_time import resolve


class Timing(Struct, frozen=True):
    """`day` and `clock` None where they were not said. `whole_day`: without a time of day. `exact`: with an offset."""

    day: date | None = None
    clock: time | None = None
    whole_day: bool = False
    exact: bool = False


UNSAID = Timing()


def timing(day: str | None, clock: str | None, planner: Planner) -> Timing:
    """What was said of day and time; a day in words may say the time with it. A clock of "" means the whole day."""
    spoken = said(day, "date", planner) if day is not None else None
    if clock is None:
        return Timing(spoken.day, spoken.clock, exact=spoken.exact) if spoken else UNSAID
    if not clock.strip():
        return Timing(spoken.day if spoken else None, None, whole_day=True)
    return Timing(spoken.day if spoken else None, said_time(clock, "time", planner))


def shown_start(start: When, zone: ZoneInfo) -> tuple[date, time | None]:
    """Day and time of day as clocks in `zone` show them; of a whole day its day, and no time."""
    if isinstance(start, AllDay):
        return start.day, None
    local = instant_of(start, start.zone).astimezone(zone)
    return local.date(), local.time().replace(fold=local.fold)


def is_shown(when: Timing, start: When, zone: ZoneInfo) -> bool:
    """Whether what was said is what is shown: writing it moves nothing. An hour that comes twice is shown alike both
    times, so that without an offset either may be meant."""
    day, clock = shown_start(start, zone)
    if when.day not in (None, day):
        return False
    if when.whole_day or when.clock is None:
        return clock is None or not when.whole_day
    return when.clock == clock and (not when.exact or when.clock.fold == (clock.fold if clock is not None else 0))


def start_as_said(start: When, when: Timing, zone: ZoneInfo) -> When:
    """`start` moved to what was said on clocks in `zone`. A time keeps the zone that it has: it recurs and is exported
    in that. What was a whole day gets `zone`."""
    if is_shown(when, start, zone):
        return start
    day, clock = shown_start(start, zone)
    day = when.day or day
    clock = when.clock if when.clock is not None else clock.replace(fold=0) if clock is not None else None
    if when.whole_day or clock is None:
        return AllDay(day)
    return on_clocks(day, clock, zone, start.zone if isinstance(start, Timed) else zone.key)


def on_clocks(day: date, clock: time, zone: ZoneInfo, kept_in: str) -> Timed:
    """A time on clocks in `zone`, kept in another zone. In its own it is kept as it was said, although clocks may skip
    it on that day: a series has it on the other days."""
    meant = Timed(datetime.combine(day, clock.replace(fold=0)), zone.key, clock.fold)
    if kept_in == zone.key:
        return meant
    instant = instant_of(meant, zone.key) if meant.fold else resolve(meant.local, zone).instant
    return timed(instant, kept_in)


def clock_of(when: When) -> time | None:
    """The time of day in the zone of `when`; None for a whole day."""
    return when.local.time() if isinstance(when, Timed) else None


def days_between(before: When, after: When) -> int:
    return (slot_day(after) - slot_day(before)).days
