"""The dates and times of an iCalendar component."""

# icalendar is typed loosely: components hold anything.
# pyright: reportUnknownMemberType=false

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from typing import Any

from icalendar import Component

from almanac.families.calendar.events import AllDay, Timed, When, instant_of, timed
from almanac.families.calendar.ical.values import values_of
from almanac.families.calendar.ical.zone_names import ZoneNames
from almanac.kernel.errors import InvalidInput

_NEXT_DAY = timedelta(days=1)
_LONGEST = timedelta(days=3660)
_FIRST_YEAR, _LAST_YEAR = 2, 9980  # no zone's offset leads out of the calendar


class Moments:
    """`zone`, an IANA name, is where times without a zone are read."""

    def __init__(self, names: ZoneNames, zone: str) -> None:
        self._names = names
        self.zone = zone

    def one(self, component: Component, name: str) -> When | None:
        """The value of a property that holds one; None where it is missing. Raises InvalidInput for an unknown zone."""
        value = single(component, name)
        return self._when(value.dt, value, name) if value is not None else None

    def listed(self, values: Any) -> Iterator[When]:
        """The values of one EXDATE or RDATE; of a period its start. Raises InvalidInput for an unknown zone."""
        for each in values.dts:
            found: Any = each.dt
            yield self._when(found[0] if isinstance(found, tuple) else found, values, "EXDATE or RDATE")

    def end(self, component: Component, start: When) -> When:
        """By DTEND or DURATION; without them a day ends with it, and a moment is over at once."""
        end = self.one(component, "DTEND")
        if end is None:
            duration = single(component, "DURATION")
            return _after(start, duration.dt if duration is not None else None)
        if isinstance(start, AllDay):
            return end if isinstance(end, AllDay) else AllDay(_day_after(end))
        return end if isinstance(end, Timed) else Timed(datetime.combine(end.day, time()), start.zone)

    def _when(self, moment: Any, value: Any, name: str) -> When:
        if not isinstance(moment, date):
            raise InvalidInput(f"{name} is no date.", "Write it as RFC 5545 says, e.g. 20260301T090000Z.")
        if not _FIRST_YEAR <= moment.year <= _LAST_YEAR:
            raise InvalidInput(
                f"{name} lies in the year {moment.year}.", f"Years go from {_FIRST_YEAR} to {_LAST_YEAR}."
            )
        if not isinstance(moment, datetime):
            return AllDay(moment)
        local = moment.replace(tzinfo=None, microsecond=0, fold=0)
        tzid = str(value.params.get("TZID", ""))
        if tzid:
            return Timed(local, self._names.iana(tzid, local))
        return Timed(local, self.zone if moment.tzinfo is None else "UTC")


def single(component: Component, name: str) -> Any:
    """The value of a property that may stand once; None where it is missing. Raises InvalidInput for more."""
    held = values_of(component, name)
    if len(held) > 1:
        raise InvalidInput(f"It has more than one {name}.", "Make an event of its own for each.")
    return held[0] if held else None


def _after(start: When, length: Any) -> When:
    if length is not None and (not isinstance(length, timedelta) or abs(length) > _LONGEST):
        raise InvalidInput("DURATION is no span of up to ten years.", "Write e.g. PT1H, or give the end as DTEND.")
    if isinstance(start, AllDay):
        return AllDay(start.day + max(_NEXT_DAY, length or _NEXT_DAY))
    if not length or length < timedelta():
        return start
    # Days are days of the calendar, hours are hours that pass: RFC 5545 3.3.6.
    later = Timed(start.local + timedelta(days=length.days), start.zone, start.fold)
    passing = length - timedelta(days=length.days)
    return timed(instant_of(later, start.zone) + passing, start.zone) if passing else later


def _day_after(end: Timed) -> date:
    return end.local.date() if end.local.time() == time() else end.local.date() + _NEXT_DAY
