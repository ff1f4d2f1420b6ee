"""Machine-written times: RFC 3339, ISO 8601 dates, week dates and ordinal dates, epoch seconds and milliseconds."""

import re
from datetime import UTC, date, datetime, time, timedelta, timezone
from functools import lru_cache

from almanac.families.time.expressions.calendar_steps import make_date
from almanac.families.time.expressions.refusal import impossible

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@lru_cache(maxsize=1)
def _pattern() -> re.Pattern[str]:
    return re.compile(
        r"""
        (?: (?P<year>\d{4})
            (?: -(?P<month>\d\d)-(?P<day>\d\d) | (?P<basic_month>\d\d)(?P<basic_day>\d\d)
              | -?w(?P<week>\d\d)(?:-?(?P<weekday>\d))? | -(?P<ordinal>\d{3}) )
            (?: (?:t|\s)(?P<hour>\d\d)
                (?: :?(?P<minute>\d\d) (?: :?(?P<second>\d\d) (?:[.,](?P<fraction>\d{1,9}))? )? )
                (?P<offset>\s?z|[+-]\d\d:?\d\d)? )?
        | (?:epoch\s|@)?(?P<epoch>\d{13}|\d{10}(?:\.\d{1,6})?) )
        """,
        re.VERBOSE | re.ASCII,
    )


class MachineTime:
    """Machine-written time: `instant` (UTC) if it has an offset, else the naive `local`."""

    __slots__ = ("grain", "instant", "local")

    def __init__(self, local: datetime, instant: datetime | None, grain: str) -> None:
        self.local, self.instant, self.grain = local, instant, grain


def read_machine_time(text: str) -> MachineTime | None:
    """Read a normalised text that is entirely a machine form, else return None. Raises InvalidInput if no such time
    exists."""
    found = _pattern().fullmatch(text)
    if found is None:
        return None
    if found["epoch"] is not None:
        instant = _from_epoch(found["epoch"])
        return MachineTime(instant.replace(tzinfo=None), instant, "second")
    day, grain = _day(found)
    if found["hour"] is None:
        return MachineTime(datetime.combine(day, time()), None, grain)
    local = _at(day, found)
    grain = "minute" if found["second"] is None else "second"
    if found["offset"] is None:
        return MachineTime(local, None, grain)
    instant = local.replace(tzinfo=_offset(found["offset"].strip())).astimezone(UTC)
    return MachineTime(instant.replace(tzinfo=None), instant, grain)


def _from_epoch(figures: str) -> datetime:
    whole, _, fraction = figures.partition(".")
    if len(whole) == 13:
        return _EPOCH + timedelta(milliseconds=int(whole))
    return _EPOCH + timedelta(seconds=int(whole), microseconds=int(fraction.ljust(6, "0") or 0))


def _day(found: re.Match[str]) -> tuple[date, str]:
    year = int(found["year"])
    if found["week"] is not None:
        try:
            day = date.fromisocalendar(year, int(found["week"]), int(found["weekday"] or 1))
        except ValueError:
            raise impossible(
                f"The ISO year {year} has no such week date.", "Weeks run from W01 to W52 or W53, days from 1 to 7."
            ) from None
        return day, "day" if found["weekday"] else "week"
    if found["ordinal"] is not None:
        ordinal = int(found["ordinal"])
        if not 1 <= ordinal <= make_date(year, 12, 31).timetuple().tm_yday:
            raise impossible(f"The year {year} has no day number {ordinal}.", "Days run from 001 to 365 or 366.")
        return make_date(year, 1, 1) + timedelta(days=ordinal - 1), "day"
    month, day_number = found["month"] or found["basic_month"], found["day"] or found["basic_day"]
    return make_date(year, int(month), int(day_number)), "day"


def _at(day: date, found: re.Match[str]) -> datetime:
    hour, minute, second = int(found["hour"]), int(found["minute"]), int(found["second"] or 0)
    microsecond = int((found["fraction"] or "")[:6].ljust(6, "0"))
    if (hour, minute, second, microsecond) == (24, 0, 0, 0):  # ISO 8601: the end of that day
        return datetime.combine(day + timedelta(days=1), time())
    if hour > 23 or minute > 59 or second > 59:
        raise impossible(
            f"There is no time of day {hour:02d}:{minute:02d}:{second:02d}.",
            "Hours run from 00 to 23, minutes and seconds from 00 to 59.",
        )
    return datetime.combine(day, time(hour, minute, second, microsecond))


def _offset(text: str) -> timezone:
    if text == "z":
        return UTC
    hours, minutes = int(text[1:3]), int(text[-2:])
    if hours > 23 or minutes > 59:
        raise impossible(f'"{text}" is not an offset from UTC.', "Offsets run from -23:59 to +23:59.")
    offset = timedelta(hours=hours, minutes=minutes)
    return timezone(-offset if text[0] == "-" else offset)


_UTC_NAMES = (" utc", " gmt", " z")


@lru_cache(maxsize=1)
def _numeric_offset() -> re.Pattern[str]:
    # A bare offset counts only after a full date and a time with seconds; elsewhere it may be a range of hours.
    return re.compile(r"(?=.*\d{4}.*:\d\d:\d\d )(.*\d) ([+-])([01]\d|2[0-3])([0-5]\d)", re.ASCII)


def split_offset(text: str) -> tuple[str, timedelta] | None:
    """Split a normalised text that ends with an offset from UTC into the rest and the offset; else return None."""
    if text.endswith(_UTC_NAMES):
        return text[: text.rindex(" ")], timedelta()
    if text[-5:-4] not in ("+", "-") or (found := _numeric_offset().fullmatch(text)) is None:
        return None
    offset = timedelta(hours=int(found[3]), minutes=int(found[4]))
    return found[1], -offset if found[2] == "-" else offset
