"""Instants in the form of the orientation contract."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from msgspec import Struct

from almanac.families.context.orientation.days import DAY, WEEK, end_of, monday_of, start_of
from almanac.families.time.core.own_zones import zone_label
from almanac.families.time.core.timestamps import format_clock, format_day, weekday_name
from almanac.families.time.core.zones import offset_at
from almanac.kernel.instants import instant_at


class TimeConversion(Struct, frozen=True, rename="camel", kw_only=True):
    """An instant on the clocks of a zone: `iso` 2026-03-02T05:00:00.000+00:00, `time_of_day` 5:00 AM."""

    epoch_ms: int
    timezone: str
    iso: str
    time_of_day: str
    date: str
    utc_offset: str


class TimeAnchor(TimeConversion, frozen=True, rename="camel", kw_only=True):
    """Now. `week_number` is that of ISO 8601. Where days and weeks begin and end is in milliseconds since 1970; weeks
    begin on Monday."""

    date_short: str
    day_of_week: str
    is_weekend: bool
    week_number: int
    start_of_day: int
    end_of_day: int
    start_of_next_day: int
    start_of_yesterday: int
    start_of_week: int
    end_of_week: int
    start_of_next_week: int


def conversion(instant: int, zone: ZoneInfo) -> TimeConversion:
    """Return an instant, in milliseconds since 1970, on the clocks of a zone."""
    return TimeConversion(**_conversion_fields(instant, zone))


def anchor(instant: int, zone: ZoneInfo) -> TimeAnchor:
    """Return an instant, in milliseconds since 1970, with the days and weeks around it."""
    local = instant_at(instant).astimezone(zone)
    today = local.date()
    monday = monday_of(today)
    return TimeAnchor(
        **_conversion_fields(instant, zone),
        date_short=short_day(local),
        day_of_week=weekday_name(today),
        is_weekend=today.isoweekday() > 5,
        week_number=today.isocalendar().week,
        start_of_day=start_of(today, zone),
        end_of_day=end_of(today, zone),
        start_of_next_day=start_of(today + DAY, zone),
        start_of_yesterday=start_of(today - DAY, zone),
        start_of_week=start_of(monday, zone),
        end_of_week=end_of(monday + WEEK - DAY, zone),
        start_of_next_week=start_of(monday + WEEK, zone),
    )


def clock_of(local: datetime) -> str:
    """Return the time as `9:15 AM`."""
    return format_clock(local.replace(second=0))


def short_day(local: datetime) -> str:
    """Return the day as `Feb 25`."""
    return f"{local:%b} {local.day}"


def _conversion_fields(instant: int, zone: ZoneInfo) -> dict[str, Any]:
    local = instant_at(instant).astimezone(zone)
    return {
        "epoch_ms": instant,
        "timezone": zone_label(zone.key),
        "iso": local.isoformat(timespec="milliseconds"),
        "time_of_day": clock_of(local),
        "date": format_day(local),
        "utc_offset": offset_at(local),
    }
