"""One instant, told in another zone."""

from datetime import UTC

import msgspec

from almanac.families.time.core.timestamps import parse_timestamp, parse_utc, weekday_name
from almanac.families.time.core.zones import find_zone, is_dst, offset_at
from almanac.families.time.datetimes.local_times import LocalTime, local_time
from almanac.families.time.datetimes.parameters import Timestamp, UtcTimestamp, ZoneName
from almanac.protocol.tool import Effect, tool


class Converted(msgspec.Struct, frozen=True):
    utc: str
    local: str
    timezone: str
    utc_offset: str
    dst_active: bool
    day_of_week: str


@tool(title="Convert to another time zone", effect=Effect.READS)
def convert_timezone(datetime: Timestamp, target_timezone: ZoneName) -> Converted:
    """Convert a time with its offset to another time zone: tell what 4pm in New York is in another city or country,
    such as London or Tokyo, or how a meeting is on a user's clock. If only a local time and a place are known, get
    the offset first with resolve_datetime (local_datetime and time_zone).
    """
    instant, zone = parse_timestamp(datetime, "datetime"), find_zone(target_timezone)
    local = instant.astimezone(zone)
    return Converted(
        utc=instant.astimezone(UTC).isoformat(),
        local=local.isoformat(),
        timezone=zone.key,
        utc_offset=offset_at(local),
        dst_active=is_dst(instant, zone),
        day_of_week=weekday_name(local),
    )


@tool(title="UTC to local time", effect=Effect.READS)
def convert_datetime(instant_utc: UtcTimestamp, target_time_zone: ZoneName) -> LocalTime:
    """Convert or turn a UTC timestamp (Zulu time, ending in Z) into the local time of a zone, for example to show a log
    line or a stored field to a user. For a timestamp with another offset use convert_timezone; for a local time
    without offset resolve_datetime.
    """
    return local_time(parse_utc(instant_utc, "instant_utc"), target_time_zone)
