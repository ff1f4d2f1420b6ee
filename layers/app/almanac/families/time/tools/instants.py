"""One instant, told in another zone."""

from datetime import UTC

import msgspec

from almanac.families.time.local_times import LocalTime, local_time
from almanac.families.time.parameters import Timestamp, UtcTimestamp, ZoneName
from almanac.families.time.timestamps import parse_timestamp, parse_utc, weekday_name
from almanac.families.time.zones import find_zone, is_dst, offset_at
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
    """Convert a time to another time zone: 4pm Pacific, 9:00 in New York or noon in Paris as a time in London, Berlin
    or Tokyo. Tells when that same moment is in another city or country, as local time with its offset, the weekday,
    and whether daylight saving time is on.

    Takes a timestamp with any offset. If only a local time and a place are known, get the offset first:
    resolve_datetime with local_datetime and time_zone.
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
    """Convert or turn a UTC timestamp (Zulu time, "...Z") into the local time of a zone: show or format a log line or
    a stored field for users in their own time zone, as their clock there shows it.

    An instant has exactly one local time, so the answer is never ambiguous. The other direction can be: check a local
    time with validate_local_datetime, then turn it into an instant with resolve_datetime. For a timestamp with another
    offset use convert_timezone.
    """
    return local_time(parse_utc(instant_utc, "instant_utc"), target_time_zone)
