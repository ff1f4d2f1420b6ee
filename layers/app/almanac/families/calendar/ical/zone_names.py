"""Resolution of TZID values in an iCalendar text to zone names.

RFC 5545 lets a text define zones of its own. Programs write IANA names, IANA names after a path, Windows names, or any
text with rules beside it.
"""

# icalendar is typed loosely: components hold anything.
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from icalendar import Component
from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON
from msgspec import Struct

from almanac.families.calendar.ical.library import BROKEN, components
from almanac.families.calendar.ical.own_rules import own_name
from almanac.families.calendar.ical.zone_rules import LAST_YEAR, ZoneRules, read_zone_rules
from almanac.families.time.core.own_zones import own_zone, own_zone_name
from almanac.families.time.core.zones import find_zone, zone_names
from almanac.kernel.errors import InvalidInput

_FIXED = {"est": "Etc/GMT+5", "mst": "Etc/GMT+7", "hst": "Etc/GMT+10", "z": "UTC"}
_CONTINENTS = ("Europe", "America", "Asia", "Australia", "Africa", "Pacific", "Atlantic", "Indian")
_WINDOWS: Mapping[str, str] = {name.lower(): zone for name, zone in WINDOWS_TO_OLSON.items()}
_OFFSET = re.compile(r"\(?(?:UTC|GMT)\s*([+-])\s*(\d{1,2}):?(\d{2})?\)?", re.IGNORECASE)
_STEP = timedelta(days=20)
_LONGEST_RULES = 128 * 1024
_EARLIEST = 1970


class FoundZone(Struct, frozen=True):
    """Name of a zone. `doubt` describes the part of it that is a guess."""

    name: str
    doubt: str = ""


class Effort:
    """Budget for the number of zones that are computed for one text."""

    def __init__(self, zones: int = 100) -> None:
        self._left = zones

    def allows(self) -> bool:
        self._left -= 1
        return self._left >= 0


class ZoneNames:
    """Zones of one iCalendar object. `calendar` holds its VTIMEZONE components.

    `default` is the zone for times whose zone is unknown.
    """

    def __init__(self, calendar: Component, default: str = "UTC", effort: "Effort | None" = None) -> None:
        self._rules: dict[str, Component] = {}
        for each in calendar.walk("VTIMEZONE"):
            self._rules.setdefault(str(each.get("TZID", "")), each)
        self._default = default
        self._effort = effort or Effort()
        self._found: dict[str, FoundZone] = {}

    def zone(self, tzid: str, at: datetime) -> FoundZone:
        """Return the zone of a TZID. `at` is a wall time that uses it."""
        if tzid not in self._found:
            zone_name = self._name_of(tzid)
            self._found[tzid] = FoundZone(zone_name) if zone_name is not None else self._by_rules(tzid, at)
        return self._found[tzid]

    def _name_of(self, tzid: str) -> str | None:
        rules = self._rules.get(tzid)
        location = str(rules.get("X-LIC-LOCATION", "")) if rules is not None else ""
        for text in (tzid.strip('" '), location):
            parts = [part for part in text.split("/") if part]
            for name in ("/".join(parts[-length:]) for length in (len(parts), 3, 2, 1)):
                if name_found := _find_name(name) or _FIXED.get(name.lower()) or _WINDOWS.get(name.lower()):
                    return name_found
        return None

    def _by_rules(self, tzid: str, at: datetime) -> FoundZone:
        rules = self._rules.get(tzid)
        if rules is None:
            return self._guess(tzid, defined=False)
        text = bytes(rules.to_ical())
        computed = _compute_zone(text, tzid, at.year) if len(text) <= _LONGEST_RULES and self._effort.allows() else None
        return computed or self._guess(tzid, defined=True)

    def _guess(self, tzid: str, *, defined: bool) -> FoundZone:
        """Return a zone with the offset in the name, else the default zone, with a doubt."""
        why = "cannot be read" if defined else "is not known, nor defined by the text"
        match = _OFFSET.search(tzid)
        if match is not None and int(match[2]) <= 14 and int(match[3] or 0) < 60:
            offset = (int(match[2]) * 3600 + int(match[3] or 0) * 60) * (-1 if match[1] == "-" else 1)
            warning = f'its time zone "{tzid[:80]}" {why}: it is read by the offset in that name, without summer time'
            return FoundZone(own_zone_name(offset, (), "", tzid), warning)
        warning = f'its time zone "{tzid[:80]}" {why}: it is read by the clocks of {self._default}'
        return FoundZone(self._default, warning)


def defined_zone(calendar: Component, year: int) -> str | None:
    """Return the name of the first zone that a text defines, as of `year`; None if it defines no readable one."""
    names = ZoneNames(calendar)
    for rules in calendar.walk("VTIMEZONE"):
        found = names.zone(str(rules.get("TZID", "")), datetime(year, 1, 1))  # noqa: DTZ001 - a wall time
        return None if found.doubt else found.name
    return None


@lru_cache(maxsize=512)
def _compute_zone(text: bytes, tzid: str, year: int) -> FoundZone | None:
    """Return the zone that a VTIMEZONE defines, as of a year; None if it cannot be read.

    Cached, because resources of one server repeat the same definitions thousands of times.
    """
    try:
        rules = read_zone_rules(components(text.decode())[0])
    except (*BROKEN, InvalidInput):
        return None
    alike = _find_equal_zone(rules, min(max(year - 1, _EARLIEST), LAST_YEAR - 10)) if rules.whole else None
    name, whole = (alike, True) if alike is not None else own_name(rules, tzid, year)
    if own_zone(name) is None and alike is None:
        return None
    return FoundZone(name, "" if whole else f'the rules of its time zone "{tzid[:80]}" were read in part')


def _find_equal_zone(rules: ZoneRules, first_year: int) -> str | None:
    """Return a zone of the database whose clocks agree with the rules from that year on."""
    offsets = _offsets(rules, first_year)
    return next((name for name in _ranked_names() if _agrees(find_zone(name), offsets)), None)


def _find_name(name: str) -> str | None:
    return _by_lower_case().get(name.lower())


@lru_cache(maxsize=1)
def _by_lower_case() -> Mapping[str, str]:
    """Return the zone names by lower case. For unknown names `find_zone` would search for similar zones each time."""
    return {name.lower(): name for name in zone_names()}


def _offsets(rules: ZoneRules, first_year: int) -> Sequence[tuple[datetime, timedelta]]:
    """Return instants from that year on with their offsets: around every change, and at regular steps."""
    onsets = [
        (_instant(one.instant), timedelta(seconds=one.before), timedelta(seconds=one.after)) for one in rules.onsets
    ]
    begin, end = datetime(first_year, 1, 1, tzinfo=UTC), datetime(LAST_YEAR, 12, 1, tzinfo=UTC)
    offsets: list[tuple[datetime, timedelta]] = []
    offset, place, at = timedelta(seconds=rules.base), 0, begin
    while at < end:
        while place < len(onsets) and onsets[place][0] <= at:
            onset, before, offset = onsets[place]
            if onset > begin:
                offsets += [(onset - timedelta(seconds=1), before), (onset, offset)]
            place += 1
        offsets.append((at, offset))
        at += _STEP
    return offsets


def _instant(second: int) -> datetime:
    return _EPOCH + timedelta(seconds=second)


def _agrees(zone: ZoneInfo, offsets: Sequence[tuple[datetime, timedelta]]) -> bool:
    return all(instant.astimezone(zone).utcoffset() == offset for instant, offset in offsets)


@lru_cache(maxsize=1)
def _ranked_names() -> tuple[str, ...]:
    return tuple(sorted(zone_names(), key=_rank))


def _rank(name: str) -> tuple[int, str]:
    continent = name.partition("/")[0]
    return (_CONTINENTS.index(continent) if continent in _CONTINENTS else len(_CONTINENTS)), name


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
