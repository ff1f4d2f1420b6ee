"""Time zones: IANA names, one pinned database, and what it says of an instant.

The database is the pinned `tzdata` package, never the system's copy: system copies are older and answer an hour
wrong for zones whose rules changed lately.
"""

import difflib
import os
import re
import zoneinfo
from datetime import UTC, datetime, timedelta
from functools import lru_cache

import tzdata

from almanac.kernel.errors import InvalidInput

TZDB_VERSION: str = tzdata.IANA_VERSION
MAX_NAME_LENGTH = 100

_FIXED_OFFSET = re.compile(r"(?:utc|gmt)?\s*([+-])\s*(\d{1,2})(?::?(\d{2}))?$", re.IGNORECASE)

# What people write for a zone that is not one: an abbreviation names an offset in one season, a zone names a place.
_ABBREVIATIONS = {
    "est": ("America/New_York", "America/Toronto"),
    "edt": ("America/New_York", "America/Toronto"),
    "et": ("America/New_York", "America/Toronto"),
    "cst": ("America/Chicago", "Asia/Shanghai"),
    "cdt": ("America/Chicago", "America/Winnipeg"),
    "ct": ("America/Chicago", "America/Winnipeg"),
    "mst": ("America/Denver", "America/Phoenix"),
    "mdt": ("America/Denver", "America/Edmonton"),
    "mt": ("America/Denver", "America/Phoenix"),
    "pst": ("America/Los_Angeles", "America/Vancouver"),
    "pdt": ("America/Los_Angeles", "America/Vancouver"),
    "pt": ("America/Los_Angeles", "America/Vancouver"),
    "akst": ("America/Anchorage",),
    "akdt": ("America/Anchorage",),
    "hst": ("Pacific/Honolulu",),
    "ast": ("America/Halifax", "Asia/Riyadh"),
    "adt": ("America/Halifax",),
    "nst": ("America/St_Johns",),
    "ndt": ("America/St_Johns",),
    "bst": ("Europe/London", "Asia/Dhaka"),
    "ist": ("Asia/Kolkata", "Europe/Dublin", "Asia/Jerusalem"),
    "cest": ("Europe/Berlin", "Europe/Paris"),
    "eest": ("Europe/Helsinki", "Europe/Athens"),
    "west": ("Europe/Lisbon",),
    "msk": ("Europe/Moscow",),
    "jst": ("Asia/Tokyo",),
    "kst": ("Asia/Seoul",),
    "hkt": ("Asia/Hong_Kong",),
    "sgt": ("Asia/Singapore",),
    "pkt": ("Asia/Karachi",),
    "aest": ("Australia/Sydney", "Australia/Brisbane"),
    "aedt": ("Australia/Sydney", "Australia/Melbourne"),
    "acst": ("Australia/Darwin", "Australia/Adelaide"),
    "awst": ("Australia/Perth",),
    "nzst": ("Pacific/Auckland",),
    "nzdt": ("Pacific/Auckland",),
    "sast": ("Africa/Johannesburg",),
    "wat": ("Africa/Lagos",),
    "eat": ("Africa/Nairobi",),
    "brt": ("America/Sao_Paulo",),
    "art": ("America/Argentina/Buenos_Aires",),
    "z": ("UTC",),
}

# IANA names that are mere abbreviations of a fixed offset; the contract refuses them like any other abbreviation.
_NOT_PLACES = frozenset({"est", "mst", "hst", "factory", "localtime", "posixrules"})


@lru_cache(maxsize=1)
def _names() -> dict[str, str]:
    """Every IANA name and link of the database, lower case -> as the database writes it."""
    _use_pinned_database()
    with open(os.path.join(os.path.dirname(tzdata.__file__), "zones"), encoding="utf-8") as lines:
        return {name.lower(): name for name in map(str.strip, lines) if name}


@lru_cache(maxsize=1)
def _use_pinned_database() -> None:
    # A path to the package's own files: the same data as its importlib.resources fallback, without that import.
    zoneinfo.reset_tzpath([os.path.join(os.path.dirname(tzdata.__file__), "zoneinfo")])


@lru_cache(maxsize=1024)
def find_zone(name: str) -> zoneinfo.ZoneInfo:
    """The zone of an IANA name or link, in any letter case; its `key` is the canonical spelling.

    Raises InvalidInput (code INVALID_TIMEZONE) for anything else, with zones that may have been meant.
    """
    text = name.strip()
    canonical = _names().get(text.lower()) if len(text) <= MAX_NAME_LENGTH else None
    if canonical is None or canonical.lower() in _NOT_PLACES:
        raise InvalidInput(*_refusal(text[:MAX_NAME_LENGTH]), code="INVALID_TIMEZONE")
    return zoneinfo.ZoneInfo(canonical)


def _refusal(text: str) -> tuple[str, str]:
    lowered = text.lower()
    if not text:
        return "The time zone is empty.", "Give an IANA name such as America/New_York, or UTC."
    if lowered in _ABBREVIATIONS:
        return (
            f'"{text}" is an abbreviation, not a time zone: it does not say which daylight-saving rules hold.',
            f"Use an IANA name such as {' or '.join(_ABBREVIATIONS[lowered])}.",
        )
    if offset := _FIXED_OFFSET.match(text):
        return (
            f'"{text}" is a fixed offset, not a time zone: it does not say which daylight-saving rules hold.',
            f"Use an IANA name of the place meant, {_fixed_zone(offset)}or UTC.",
        )
    return f'"{text}" is not an IANA time zone.', f"Did you mean {' or '.join(_similar(lowered))}?"


def _fixed_zone(offset: re.Match[str]) -> str:
    hours, minutes = int(offset[2]), int(offset[3] or 0)
    if minutes or not 0 < hours <= 12:
        return ""
    # POSIX signs: Etc/GMT+5 lies five hours behind UTC.
    return f"Etc/GMT{'-' if offset[1] == '+' else '+'}{hours} for an offset that never changes, "


def _similar(lowered: str) -> list[str]:
    """Up to three names: by city first ("new york", "tokyo"), then by spelling."""
    names = _names()
    word = re.sub(r"[\s-]+", "_", lowered)
    cities = [name for key, name in names.items() if key.rsplit("/", 1)[-1] == word]
    inside = [name for key, name in names.items() if len(word) >= 4 and word in key and name not in cities]
    near = [names[key] for key in difflib.get_close_matches(word, names, n=3, cutoff=0.6)]
    city_keys = {key.rsplit("/", 1)[-1]: name for key, name in names.items() if "/" in key}
    near += [city_keys[key] for key in difflib.get_close_matches(word, city_keys, n=3, cutoff=0.7)]
    found = list(dict.fromkeys([*cities, *inside, *near]))[:3]
    return found or ["America/New_York", "Europe/London", "UTC"]


def format_offset(offset: timedelta) -> str:
    """`+05:30`; seconds only where the zone has them (before about 1972)."""
    seconds = int(offset.total_seconds())
    sign, seconds = ("-", -seconds) if seconds < 0 else ("+", seconds)
    text = f"{sign}{seconds // 3600:02d}:{seconds % 3600 // 60:02d}"
    return f"{text}:{seconds % 60:02d}" if seconds % 60 else text


def is_dst(instant: datetime, zone: zoneinfo.ZoneInfo) -> bool:
    """Whether clocks in `zone` stand ahead of its standard time at `instant`, by the database's own flag."""
    return bool(instant.astimezone(zone).dst())


def next_transition(instant: datetime, zone: zoneinfo.ZoneInfo, *, within_days: int = 400) -> datetime | None:
    """The first instant after `instant` (UTC, whole seconds) at which the zone's offset is another; None if none."""
    start = instant.astimezone(UTC).replace(microsecond=0)
    low = start
    for _ in range(within_days):
        high = low + timedelta(days=1)
        if high.astimezone(zone).utcoffset() != low.astimezone(zone).utcoffset():
            return first_change(low, high, zone)
        low = high
    return None


def first_change(low: datetime, high: datetime, zone: zoneinfo.ZoneInfo) -> datetime:
    """The one instant in (low, high], to the second, at which the offset differs from that at `low`. Both in UTC."""
    before = low.astimezone(zone).utcoffset()
    seconds_low, seconds_high = 0, int((high - low).total_seconds())
    while seconds_high - seconds_low > 1:
        middle = (seconds_low + seconds_high) // 2
        if (low + timedelta(seconds=middle)).astimezone(zone).utcoffset() == before:
            seconds_low = middle
        else:
            seconds_high = middle
    return low + timedelta(seconds=seconds_high)
