"""Local time of an instant in a zone."""

from datetime import datetime

import msgspec

from almanac.families.time.core.timestamps import weekday_name
from almanac.families.time.core.zones import find_zone, is_dst, offset_at


class LocalTime(msgspec.Struct, frozen=True):
    """`local_datetime` has no offset; `offset` has it."""

    local_datetime: str
    offset: str
    time_zone: str
    day_of_week: str
    dst_active: bool


def local_time(instant: datetime, zone_name: str) -> LocalTime:
    """Return `instant` as the clocks of the named zone show it."""
    zone = find_zone(zone_name)
    local = instant.astimezone(zone)
    return LocalTime(
        local_datetime=local.replace(tzinfo=None).isoformat(),
        offset=offset_at(local),
        time_zone=zone.key,
        day_of_week=weekday_name(local),
        dst_active=is_dst(instant, zone),
    )
