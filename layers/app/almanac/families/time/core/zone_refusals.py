"""Errors for invalid time zones, with suggestions for the zone that was meant."""

import difflib
import re
from collections.abc import Sequence
from functools import lru_cache

from almanac.kernel.errors import InvalidInput

_FIXED_OFFSET = re.compile(r"(?:utc|gmt)?\s*([+-])\s*(\d{1,2})(?::?(\d{2}))?$", re.IGNORECASE)

# Abbreviations that people write for a zone. An abbreviation names an offset in one season; a zone names a place.
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


def zone_refusal(text: str, names: Sequence[str]) -> InvalidInput:
    """Return the error for `text`, which is not in `names`."""
    return InvalidInput(*_message_and_hint(text, names), code="INVALID_TIMEZONE")


def _message_and_hint(text: str, names: Sequence[str]) -> tuple[str, str]:
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
    return f'"{text}" is not an IANA time zone.', f"Did you mean {' or '.join(_similar(lowered, tuple(names)))}?"


def _fixed_zone(offset: re.Match[str]) -> str:
    hours, minutes = int(offset[2]), int(offset[3] or 0)
    if minutes or not 0 < hours <= 12:
        return ""
    # POSIX signs: Etc/GMT+5 lies five hours behind UTC.
    return f"Etc/GMT{'-' if offset[1] == '+' else '+'}{hours} for an offset that never changes, "


# Searching all names takes some 5 ms, and callers often repeat a refused name.
@lru_cache(maxsize=256)
def _similar(lowered: str, zones: tuple[str, ...]) -> Sequence[str]:
    """Return up to three names: first by city ("new york", "tokyo"), then by spelling."""
    names = {name.lower(): name for name in zones}
    word = re.sub(r"[\s-]+", "_", lowered)
    cities = [name for key, name in names.items() if key.rsplit("/", 1)[-1] == word]
    inside = [name for key, name in names.items() if len(word) >= 4 and word in key and name not in cities]
    near = [names[key] for key in difflib.get_close_matches(word, names, n=3, cutoff=0.6)]
    city_keys = {key.rsplit("/", 1)[-1]: name for key, name in names.items() if "/" in key}
    near += [city_keys[key] for key in difflib.get_close_matches(word, city_keys, n=3, cutoff=0.7)]
    found = list(dict.fromkeys([*cities, *inside, *near]))[:3]
    return found or ["America/New_York", "Europe/London", "UTC"]
