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


@tool(title="Convert to a time zone", effect=Effect.READS)
def convert_timezone(datetime: Timestamp, target_timezone: ZoneName) -> Converted:
    """Tell a timestamp in another time zone: local time, offset, weekday, and whether daylight saving time is on.

    Takes any offset. For a local time whose offset is not known use resolve_datetime with local_datetime and time_zone.
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


@tool(title="Show a UTC instant locally", effect=Effect.READS)
def convert_datetime(instant_utc: UtcTimestamp, target_time_zone: ZoneName) -> LocalTime:
    """Show a stored UTC instant as the local time of a zone, e.g. to display it to a user there.

    One instant has exactly one local time, so nothing is ever ambiguous here. The other direction can be: check a
    local time that a user typed with validate_local_datetime, and turn it into an instant with resolve_datetime.
    """
    return local_time(parse_utc(instant_utc, "instant_utc"), target_time_zone)
