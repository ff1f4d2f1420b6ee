"""TZID values of an iCalendar text as IANA names.

RFC 5545 lets a text define zones of its own, and programs write what they like: IANA names, IANA names behind a path,
the names that Windows uses, or anything at all with rules beside it.
"""

# icalendar is typed loosely: components hold anything.
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false

from collections.abc import Mapping
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from icalendar import Component
from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

from almanac.families.calendar.ical.zone_rules import offsets_by_rules
from almanac.families.time.zones import find_zone, zone_names
from almanac.kernel.errors import InvalidInput

_FIXED = {"est": "Etc/GMT+5", "mst": "Etc/GMT+7", "hst": "Etc/GMT+10", "z": "UTC"}
_EARLIEST = 1970
_CONTINENTS = ("Europe", "America", "Asia", "Australia", "Africa", "Pacific", "Atlantic", "Indian")
_WINDOWS: Mapping[str, str] = {name.lower(): zone for name, zone in WINDOWS_TO_OLSON.items()}


class ZoneNames:
    """Of one iCalendar object: `calendar` holds its VTIMEZONE components."""

    def __init__(self, calendar: Component) -> None:
        self._rules = {str(each.get("TZID", "")): each for each in calendar.walk("VTIMEZONE")}
        self._found: dict[str, str] = {}

    def iana(self, tzid: str, at: datetime) -> str:
        """The IANA name; `at` is a wall time for which it is wanted. Raises InvalidInput where there is none."""
        if tzid not in self._found:
            self._found[tzid] = self._named(tzid) or self._alike(tzid, at)
        return self._found[tzid]

    def _named(self, tzid: str) -> str | None:
        rules = self._rules.get(tzid)
        location = str(rules.get("X-LIC-LOCATION", "")) if rules is not None else ""
        for text in (tzid.strip('" '), location):
            parts = [part for part in text.split("/") if part]
            for name in ("/".join(parts[-length:]) for length in (len(parts), 3, 2, 1)):
                if found := _known(name) or _FIXED.get(name.lower()) or _WINDOWS.get(name.lower()):
                    return found
        return None

    def _alike(self, tzid: str, at: datetime) -> str:
        """A zone whose clocks show the same as the rules of the text say, from the year before `at` for six years."""
        rules = self._rules.get(tzid)
        if rules is None:
            raise InvalidInput(
                f'TZID "{tzid[:80]}" is no IANA time zone, and the text does not define it.',
                "Use a name such as Europe/Berlin, or put its VTIMEZONE into the text.",
            )
        offsets = offsets_by_rules(rules, max(at.year - 1, _EARLIEST))
        for name in sorted(zone_names(), key=_rank) if offsets else ():
            if _agrees(find_zone(name), offsets):
                return name
        raise InvalidInput(
            f'The rules of TZID "{tzid[:80]}" are those of no place on earth.',
            "Use an IANA name such as Europe/Berlin as TZID.",
        )


def defined_zone(calendar: Component, names: ZoneNames, year: int) -> str | None:
    """The IANA name of the first zone that a text defines, as of `year`."""
    for rules in calendar.walk("VTIMEZONE"):
        return names.iana(str(rules.get("TZID", "")), datetime(year, 1, 1))  # noqa: DTZ001 - a wall time
    return None


def _known(name: str) -> str | None:
    try:
        return find_zone(name).key
    except InvalidInput:
        return None


def _agrees(zone: ZoneInfo, offsets: Mapping[datetime, timedelta]) -> bool:
    return all(local.replace(tzinfo=zone).utcoffset() == offset for local, offset in offsets.items())


def _rank(name: str) -> tuple[int, str]:
    continent = name.partition("/")[0]
    return (_CONTINENTS.index(continent) if continent in _CONTINENTS else len(_CONTINENTS)), name
