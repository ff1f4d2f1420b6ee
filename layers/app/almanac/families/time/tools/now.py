"""Tool for the current time."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import msgspec

from almanac.families.time.core.timestamps import format_utc, weekday_name
from almanac.families.time.core.zones import TZDB_VERSION, find_zone, is_dst, next_transition, offset_at
from almanac.families.time.datetimes.parameters import OptionalZone
from almanac.kernel.caller import Caller
from almanac.kernel.clock import Clock
from almanac.protocol.tool import Effect, tool


class TemporalContext(msgspec.Struct, frozen=True):
    """`day_of_year` and `iso_week` count from 1. `days_until_dst_transition` counts local calendar days."""

    utc: str
    local: str
    timezone: str
    timezone_configured: bool
    utc_offset: str
    dst_active: bool
    day_of_week: str
    iso_week: int
    is_weekday: bool
    day_of_year: int
    week_start: str
    next_dst_transition: str | None
    next_dst_direction: str | None
    days_until_dst_transition: int | None
    tzdb_version: str


@tool(title="Current date and time", effect=Effect.READS)
def get_temporal_context(timezone: OptionalZone = None, *, clock: Clock, caller: Caller) -> TemporalContext:
    """Tell the current date and time: what time is it now, what day, weekday, week number, month or year is it today,
    is it morning, weekend or daylight saving time? For another day use resolve_datetime.
    """
    configured = caller.default_timezone is not None
    zone = find_zone(timezone or caller.default_timezone or "UTC")
    now = clock.now().replace(microsecond=0)
    local = now.astimezone(zone)
    transition = next_transition(now, zone)
    return TemporalContext(
        utc=now.astimezone(UTC).isoformat(),
        local=local.isoformat(),
        timezone=zone.key,
        timezone_configured=configured,
        utc_offset=offset_at(local),
        dst_active=is_dst(now, zone),
        day_of_week=weekday_name(local),
        iso_week=local.isocalendar().week,
        is_weekday=local.isoweekday() <= 5,
        day_of_year=local.timetuple().tm_yday,
        week_start=caller.week_start,
        next_dst_transition=transition and format_utc(transition),
        next_dst_direction=transition and _direction(now, transition, zone),
        days_until_dst_transition=transition and (transition.astimezone(zone).date() - local.date()).days,
        tzdb_version=TZDB_VERSION,
    )


def _direction(now: datetime, transition: datetime, zone: ZoneInfo) -> str:
    before, after = now.astimezone(zone).utcoffset(), transition.astimezone(zone).utcoffset()
    return "spring-forward" if after and before is not None and after > before else "fall-back"
