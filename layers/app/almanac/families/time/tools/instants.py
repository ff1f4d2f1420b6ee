"""Tools that convert an instant to another zone."""

from datetime import UTC

import msgspec

from almanac.families.time.core.timestamps import parse_timestamp, parse_utc, weekday_name
from almanac.families.time.core.zones import find_zone, is_dst, offset_at
from almanac.families.time.datetimes.local_times import LocalTime, local_time
from almanac.families.time.datetimes.parameters import Timestamp, UtcTimestamp, ZoneName
from almanac.protocol.tool import Effect, tool


class ConvertedInstant(msgspec.Struct, frozen=True):
    utc: str
    local: str
    timezone: str
    utc_offset: str
    dst_active: bool
    day_of_week: str


@tool(title="Convert to another time zone", effect=Effect.READS)
def convert_timezone(datetime: Timestamp, target_timezone: ZoneName) -> ConvertedInstant:
    """Convert a time to another time zone: when it is 4pm in New York (2026-03-02T16:00-05:00), what is it in London or
    Tokyo, or on the user's clock? Without an offset use resolve_datetime.
    """
    instant, zone = parse_timestamp(datetime, "datetime"), find_zone(target_timezone)
    local = instant.astimezone(zone)
    return ConvertedInstant(
        utc=instant.astimezone(UTC).isoformat(),
        local=local.isoformat(),
        timezone=zone.key,
        utc_offset=offset_at(local),
        dst_active=is_dst(instant, zone),
        day_of_week=weekday_name(local),
    )


@tool(title="UTC to local time", effect=Effect.READS)
def convert_datetime(instant_utc: UtcTimestamp, target_time_zone: ZoneName) -> LocalTime:
    """Show a UTC timestamp (ending in Z), such as a line of a log, as the local time of a zone. With another offset use
    convert_timezone.
    """
    return local_time(parse_utc(instant_utc, "instant_utc"), target_time_zone)
