"""Recurrence rule as a value: the parts of an RFC 5545 RRULE, with RSCALE and SKIP of RFC 7529."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal, NamedTuple

Frequency = Literal["YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY", "MINUTELY", "SECONDLY"]
Skip = Literal["OMIT", "BACKWARD", "FORWARD"]

WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


class WeekdayNum(NamedTuple):
    """BYDAY value: a weekday (Monday is 0) and its number in the month or year; 0 means every one."""

    weekday: int
    nth: int = 0


@dataclass(frozen=True, slots=True)
class Rule:
    """Valid recurrence rule. Tuples are sorted without duplicates; an absent part is an empty tuple.

    `until` is an aware UTC datetime (written with Z), a naive datetime (wall time in the event's zone) or a date
    (through the end of that day in the event's zone).
    """

    freq: Frequency
    interval: int = 1
    count: int | None = None
    until: datetime | date | None = None
    wkst: int = 0
    bymonth: tuple[int, ...] = ()
    byweekno: tuple[int, ...] = ()
    byyearday: tuple[int, ...] = ()
    bymonthday: tuple[int, ...] = ()
    byday: tuple[WeekdayNum, ...] = ()
    byhour: tuple[int, ...] = ()
    byminute: tuple[int, ...] = ()
    bysecond: tuple[int, ...] = ()
    bysetpos: tuple[int, ...] = ()
    rscale: Literal["GREGORIAN"] | None = None
    skip: Skip = "OMIT"

    def __str__(self) -> str:
        """Return the rule as RRULE text, without the `RRULE:` prefix. Parsing it gives an equal rule."""
        parts = [("RSCALE", self.rscale or ""), ("FREQ", self.freq)]
        parts.append(("INTERVAL", str(self.interval) if self.interval != 1 else ""))
        parts.append(("COUNT", "" if self.count is None else str(self.count)))
        parts.append(("UNTIL", _until_text(self.until)))
        numbers = {
            "BYMONTH": self.bymonth,
            "BYWEEKNO": self.byweekno,
            "BYYEARDAY": self.byyearday,
            "BYMONTHDAY": self.bymonthday,
            "BYHOUR": self.byhour,
            "BYMINUTE": self.byminute,
            "BYSECOND": self.bysecond,
            "BYSETPOS": self.bysetpos,
        }
        parts.extend((name, ",".join(map(str, values))) for name, values in numbers.items())
        parts.append(("BYDAY", ",".join(f"{day.nth or ''}{WEEKDAYS[day.weekday]}" for day in self.byday)))
        parts.append(("WKST", WEEKDAYS[self.wkst] if self.wkst else ""))
        parts.append(("SKIP", self.skip if self.skip != "OMIT" else ""))
        return ";".join(f"{name}={value}" for name, value in parts if value)


def _until_text(until: datetime | date | None) -> str:
    if until is None:
        return ""
    if isinstance(until, datetime):
        zulu = "Z" if until.tzinfo else ""
        return f"{until.year:04d}{until:%m%dT%H%M%S}{zulu}"
    return f"{until.year:04d}{until:%m%d}"
