"""Time zones by IANA name from one pinned database, and their offsets at an instant.

The database is the pinned `tzdata` package, never the system's copy. System copies are older, and wrong by an hour for
zones with recently changed rules.
"""

import os
import zoneinfo
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final

import tzdata

from almanac.families.time.core.own_zones import PREFIX, own_rules, own_zone, own_zone_name
from almanac.families.time.core.zone_refusals import zone_refusal

TZDB_VERSION: str = tzdata.IANA_VERSION
MAX_NAME_LENGTH = 100
UTC_ZONE: Final = zoneinfo.ZoneInfo("UTC")

# IANA names that only abbreviate a fixed offset. The contract refuses them like any other abbreviation.
_NOT_PLACES = frozenset({"est", "mst", "hst", "factory", "localtime", "posixrules"})


@lru_cache(maxsize=1)
def _names() -> dict[str, str]:
    """Return all IANA names and links of the database, keyed by their lower-case form."""
    _use_pinned_database()
    with open(os.path.join(os.path.dirname(tzdata.__file__), "zones"), encoding="utf-8") as lines:
        return {name.lower(): name for name in map(str.strip, lines) if name}


def zone_names() -> list[str]:
    """Return all names that `find_zone` accepts, sorted."""
    return sorted(name for lowered, name in _names().items() if lowered not in _NOT_PLACES)


@lru_cache(maxsize=1)
def _use_pinned_database() -> None:
    # The path to the package's own files gives the same data as importlib.resources, without importing it.
    zoneinfo.reset_tzpath([os.path.join(os.path.dirname(tzdata.__file__), "zoneinfo")])


@lru_cache(maxsize=1024)
def find_zone(name: str) -> zoneinfo.ZoneInfo:
    """Return the zone of an IANA name or link in any letter case; its `key` is the canonical spelling.

    It also accepts the name of a zone that a calendar brought along, which holds its rules (see `own_zones`). Raises
    InvalidInput (code INVALID_TIMEZONE) with suggestions for anything else.
    """
    text = name.strip()
    if (own := own_zone(text)) is not None:
        return own
    canonical = _canonical_name(text)
    if canonical is None:
        raise zone_refusal(text[:MAX_NAME_LENGTH], zone_names())
    return zoneinfo.ZoneInfo(canonical)


def is_zone(name: str) -> bool:
    """Return whether `find_zone` accepts the name."""
    text = name.strip()
    return own_zone(text) is not None or _canonical_name(text) is not None


def stored_zone(name: str | None) -> zoneinfo.ZoneInfo:
    """Return the zone of a stored name; UTC if there is none, or the database does not have it."""
    return find_zone(name) if name is not None and is_zone(name) else UTC_ZONE


def _canonical_name(text: str) -> str | None:
    lowered = text.lower()
    return _names().get(lowered) if len(text) <= MAX_NAME_LENGTH and lowered not in _NOT_PLACES else None


def format_offset(offset: timedelta) -> str:
    """Format as `+05:30`, with seconds only if the offset has them (before about 1972)."""
    seconds = int(offset.total_seconds())
    sign, seconds = ("-", -seconds) if seconds < 0 else ("+", seconds)
    text = f"{sign}{seconds // 3600:02d}:{seconds % 3600 // 60:02d}"
    return f"{text}:{seconds % 60:02d}" if seconds % 60 else text


def zone_of_offset(offset: timedelta) -> zoneinfo.ZoneInfo:
    """Return a zone with a fixed offset from UTC, labelled like +02:00. Raises as `find_zone` for more than 16
    hours."""
    seconds = int(offset.total_seconds())
    return find_zone(own_zone_name(seconds, (), "", format_offset(offset)) if seconds else "UTC")


def place_zone(zone: zoneinfo.ZoneInfo) -> zoneinfo.ZoneInfo:
    """Return the zone to store with a time: `zone`, or UTC if it is only an offset."""
    if not zone.key.startswith(PREFIX):
        return zone
    _, changes, rule = own_rules(zone.key)
    return zone if changes or rule else UTC_ZONE


def offset_at(local: datetime) -> str:
    """Return the formatted offset of an aware datetime in its own zone."""
    return format_offset(local.utcoffset() or timedelta())


def is_dst(instant: datetime, zone: zoneinfo.ZoneInfo) -> bool:
    """Return whether clocks in `zone` are ahead of their winter time at `instant`.

    The database's own flag decides, except for zones that call summer time the standard and winter time a negative
    saving (Dublin, Casablanca in Ramadan). In those, a season that follows a negative one counts as daylight saving
    time, unless it has no end.
    """
    local = instant.astimezone(zone)
    saving = local.dst() or timedelta()
    if saving:
        return saving > timedelta()
    before = _neighbouring_season(local, zone, -1)
    if before is None or (before.dst() or timedelta()) >= timedelta():
        return False
    return _neighbouring_season(local, zone, 1) is not None


def _neighbouring_season(local: datetime, zone: zoneinfo.ZoneInfo, direction: int) -> datetime | None:
    """Return a moment in the next season in that direction: one with another offset, within about 400 days."""
    # Step by a fortnight: the shortest season of any zone, that of Ramadan, lasts four weeks.
    fortnight = timedelta(days=14 * direction)
    instant = local.astimezone(UTC)
    for _ in range(29):
        try:
            instant += fortnight
            neighbour = instant.astimezone(zone)
        except OverflowError:
            return None
        if neighbour.utcoffset() != local.utcoffset():
            return neighbour
    return None


def next_transition(instant: datetime, zone: zoneinfo.ZoneInfo) -> datetime | None:
    """Return the first instant after `instant` (UTC, whole seconds) at which the zone's offset changes.

    None if there is no change within 400 days.
    """
    start = instant.astimezone(UTC).replace(microsecond=0)
    low = start
    for _ in range(400):
        high = low + timedelta(days=1)
        if high.astimezone(zone).utcoffset() != low.astimezone(zone).utcoffset():
            return first_change(low, high, zone)
        low = high
    return None


def first_change(low: datetime, high: datetime, zone: zoneinfo.ZoneInfo) -> datetime:
    """Return the first instant in (low, high], to the second, at which the offset differs from that at `low`. Both are
    in UTC."""
    before = low.astimezone(zone).utcoffset()
    seconds_low, seconds_high = 0, int((high - low).total_seconds())
    while seconds_high - seconds_low > 1:
        middle = (seconds_low + seconds_high) // 2
        if (low + timedelta(seconds=middle)).astimezone(zone).utcoffset() == before:
            seconds_low = middle
        else:
            seconds_high = middle
    return low + timedelta(seconds=seconds_high)
