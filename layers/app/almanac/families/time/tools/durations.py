"""Tools that measure the time between timestamps and adjust a timestamp."""

from datetime import UTC
from typing import Annotated

import msgspec
from msgspec import Meta

from almanac.families.time.core import durations
from almanac.families.time.core.timestamps import parse_timestamp, weekday_name, zone_of
from almanac.families.time.core.wall_time import Dst
from almanac.families.time.core.zones import UTC_ZONE, offset_at
from almanac.families.time.datetimes.parameters import OptionalZone, Timestamp
from almanac.kernel.caller import Caller
from almanac.protocol.tool import Effect, tool


class Duration(msgspec.Struct, frozen=True):
    """`total_seconds` is negative when `end` comes before `start`; the parts are sizes and never negative."""

    total_seconds: int | float
    days: int
    hours: int
    minutes: int
    seconds: int | float
    human_readable: str


class AdjustedTimestamp(msgspec.Struct, frozen=True):
    """`dst` says whether the calendar part met a gap or an overlap of the wall clock."""

    original: str
    adjusted_utc: str
    adjusted_local: str
    adjustment_applied: str
    timezone: str
    day_of_week: str
    dst: Dst


@tool(title="Difference between two timestamps", effect=Effect.READS)
def compute_duration(start: Timestamp, end: Timestamp) -> Duration:
    """Compute how long it is between two timestamps: how many hours or days, how much time has passed since something
    or is left until a date. To add time use adjust_timestamp.
    """
    length = parse_timestamp(end, "end").astimezone(UTC) - parse_timestamp(start, "start").astimezone(UTC)
    parts = durations.take_apart(length)
    return Duration(
        total_seconds=durations.whole(length.total_seconds()),
        days=parts.days,
        hours=parts.hours,
        minutes=parts.minutes,
        seconds=parts.seconds,
        human_readable=str(parts),
    )


@tool(title="Add to or subtract from a timestamp", effect=Effect.READS)
def adjust_timestamp(
    datetime: Timestamp,
    adjustment: Annotated[
        str,
        Meta(
            description="+ or -, then amounts in y, mo, w, d, h, m, s: +1d2h30m.",
            examples=["+1d2h30m"],
            max_length=100,
        ),
    ],
    timezone: OptionalZone = None,
    *,
    caller: Caller,
) -> AdjustedTimestamp:
    """Add time to a timestamp or subtract it: which moment is 90 minutes after it or a month later, or when does a
    shifted due date end? For the time between two timestamps use compute_duration.

    Days and longer units keep the local time across daylight saving changes; hours and shorter ones are exact.
    """
    start, change = parse_timestamp(datetime, "datetime"), durations.parse_adjustment(adjustment)
    needs_zone = timezone is not None or caller.default_timezone is not None or change.moves_calendar
    zone = zone_of(timezone, caller) if needs_zone else UTC_ZONE
    moved = durations.adjust(start, change, zone)
    # An exact adjustment needs no zone; without one, the result keeps the offset of the input.
    local = moved.instant.astimezone(zone if needs_zone else start.tzinfo)
    return AdjustedTimestamp(
        original=datetime.strip(),
        adjusted_utc=moved.instant.isoformat(),
        adjusted_local=local.isoformat(),
        adjustment_applied=str(change),
        timezone=zone.key if needs_zone else offset_at(local),
        day_of_week=weekday_name(local),
        dst=moved.dst,
    )
