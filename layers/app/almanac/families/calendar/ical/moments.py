"""Dates and times of an iCalendar component."""

# icalendar is typed loosely: components hold anything.
# pyright: reportUnknownMemberType=false

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, cast
from zoneinfo import ZoneInfo

from icalendar import Component
from msgspec.structs import replace

from almanac.families.calendar.ical.values import parameters_of, part_of, values_of
from almanac.families.calendar.ical.zone_names import ZoneNames
from almanac.families.calendar.model.events import AllDay, Period, When, ZonedTime, convert_to_zone, instant_of
from almanac.families.time.core.own_zones import PREFIX
from almanac.families.time.core.zones import UTC_ZONE

NEXT_DAY = timedelta(days=1)
_LONGEST_DOUBT = 300
_LONGEST = timedelta(days=3660)
_FIRST_YEAR, _LAST_YEAR = 2, 9980  # no zone's offset leads out of the calendar
_ROUGHLY = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)(?:[T ](\d\d):?(\d\d)(?::?(\d\d))?(?:\.\d+)?(Z?))?", re.IGNORECASE)


class Moments:
    """Reader of one component's dates and times.

    `zone` applies to times without a zone. `doubts` collects parts that could not be read as intended, in sentences
    without capital and period.
    """

    def __init__(self, names: ZoneNames, zone: ZoneInfo) -> None:
        self._names = names
        self.zone = zone
        self.doubts: dict[str, None] = {}

    def doubt(self, said: str) -> None:
        self.doubts["".join(sign if sign.isprintable() else " " for sign in said)[:_LONGEST_DOUBT].strip()] = None

    def one(self, component: Component, name: str) -> When | None:
        """Return the first readable value of a property; None if there is none."""
        return next(iter(self.every(component, name)), None)

    def every(self, component: Component, name: str) -> list[When]:
        """Return the readable values of a property that should occur once."""
        held = values_of(component, name)
        if len(held) > 1:
            self.doubt(f"it has more than one {name}")
        return [when for value in held if (when := self._read(value, name)) is not None]

    def list_dates(self, component: Component, name: str) -> Iterator[When | Period]:
        """Yield the values of EXDATE or RDATE."""
        for values in values_of(component, name):
            dates = part_of(values, "dts")
            if dates is None:
                yield from self._salvage(values, name)
                continue
            for each in dates:
                moment: Any = each.dt
                parts = cast(tuple[Any, ...], moment if isinstance(moment, tuple) else (moment,))
                start = self._date(parts[0], values, name)
                if start is not None:
                    yield self._period(start, parts[1], values, name) if len(parts) > 1 else start

    def _salvage(self, values: Any, name: str) -> Iterator[When]:
        for text in filter(str.strip, str(values).split(",")):
            when = self._rough(text, values, name)
            if when is None:
                self.doubt(f"a date in its {name} cannot be read")
            else:
                yield when

    def _period(self, start: When, until: Any, values: Any, name: str) -> When | Period:
        if not isinstance(until, timedelta):
            end = self._date(until, values, name)
        else:
            end = after(start, until)[0] if abs(until) <= _LONGEST else None
        in_order = isinstance(end, ZonedTime) and instant_of(start, self.zone) <= instant_of(end, self.zone)
        if end is not None and in_order and isinstance(start, ZonedTime):
            return Period(start, end)
        self.doubt(f"a period in its {name} cannot be read to its end")
        return start

    def _date(self, moment: Any, values: Any, name: str) -> When | None:
        """Read one of several values of a property."""
        if isinstance(moment, date):
            return self._check(moment, values, name)
        self.doubt(f"a date in its {name} cannot be read")
        return None

    def _read(self, value: Any, name: str) -> When | None:
        moment = part_of(value, "dt")
        if isinstance(moment, date):
            return self._check(moment, value, name)
        when = self._rough(str(value), value, name)
        problem = "cannot be read" if when is None else f'"{str(value)[:40]}" is not written as RFC 5545 says'
        self.doubt(f"its {name} {problem}")
        return when

    def _rough(self, text: str, value: Any, name: str) -> When | None:
        """Read a date that is almost well-formed."""
        match = _ROUGHLY.fullmatch(text.strip())
        if match is None:
            return None
        numbers = [int(number) for number in match.groups()[:6] if number is not None]
        try:
            day = date(*numbers[:3])
            local = datetime(*numbers) if match[4] else None  # type: ignore[arg-type]  # noqa: DTZ001 - a wall time
        except ValueError:
            return None
        if local is not None and match[7]:
            return self._check(local.replace(tzinfo=UTC), value, name)
        return self._check(local or day, value, name)

    def _check(self, moment: date, value: Any, name: str) -> When | None:
        if not _FIRST_YEAR <= moment.year <= _LAST_YEAR:
            self.doubt(f"its {name} lies in the year {moment.year}")
            return None
        if not isinstance(moment, datetime):
            return AllDay(moment)
        local = moment.replace(tzinfo=None, microsecond=0, fold=0)
        tzid = str(parameters_of(value).get("TZID", ""))
        if tzid:
            zone_name = self._names.zone(tzid, local)
            if zone_name.doubt:
                self.doubt(zone_name.doubt)
            return ZonedTime(local, zone_name.name)
        return ZonedTime(local, self.zone.key, floating=True) if moment.tzinfo is None else ZonedTime(local, "UTC")


def plain(when: When) -> When:
    """Return the time in UTC if its zone is one that a text defines, whose name is long; otherwise unchanged."""
    if isinstance(when, ZonedTime) and when.zone.startswith(PREFIX):
        return convert_to_zone(when.instant, UTC_ZONE)
    return when


def after(start: When, length: timedelta) -> tuple[When, int]:
    """Return the end of an event with this start and length, and the calendar days of the length."""
    if isinstance(start, AllDay):
        return AllDay(start.day + max(NEXT_DAY, length)), 0
    if length <= timedelta():
        return start, 0
    # Days are calendar days, hours are elapsed hours: RFC 5545 3.3.6.
    later = replace(start, local=start.local + timedelta(days=length.days))
    passing = length - timedelta(days=length.days)
    if not passing:
        return later, length.days
    return replace(convert_to_zone(later.instant + passing, start.tzinfo), floating=start.floating), length.days


def length_of(value: Any) -> timedelta | None:
    """Return a DURATION of up to ten years; None for anything else."""
    length = part_of(value, "dt")
    return length if isinstance(length, timedelta) and abs(length) <= _LONGEST else None


def end_like(start: When, end: When) -> When:
    """Convert an end to the kind of the start."""
    if isinstance(start, AllDay):
        return end if isinstance(end, AllDay) else AllDay(_day_after(end))
    if isinstance(end, ZonedTime):
        return end
    return ZonedTime(datetime.combine(end.day, time()), start.zone, floating=start.floating)


def _day_after(end: ZonedTime) -> date:
    return end.local.date() if end.local.time() == time() else end.local.date() + NEXT_DAY
