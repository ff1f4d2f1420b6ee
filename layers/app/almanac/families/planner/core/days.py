"""Parsing and display of days and times of day, in the caller's zone."""

import re
import unicodedata
from datetime import date, time
from typing import NamedTuple

from almanac.families.planner.core.planner import Planner
from almanac.families.time.core.timestamps import weekday_name
from almanac.families.time.expressions import understand
from almanac.kernel.errors import InvalidInput
from almanac.kernel.instants import instant_at

_ISO_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?")
_FIGURES = re.compile(
    r"(?<![\d/.:-])(\d{1,2})\s*[/\u2044\u2215-]\s*(\d{1,2})(?:\s*[/\u2044\u2215-]\s*(\d{2}|\d{4}))?(?![\d/:-])"
)
"""A numeric date with slashes or dashes, whose day and month may come in either order."""
_RUSSIAN = {"сегодня": "today", "завтра": "tomorrow", "послезавтра": "day after tomorrow", "вчера": "yesterday"}
_DAY_ENDS = time(23, 59, 59)
_FIRST, _LAST = date(1900, 1, 3), date(2199, 12, 28)


class DayTime(NamedTuple):
    """A parsed day. `clock` is None if only a day was given; its fold is 1 for the second of two equal times. `exact`:
    the text had an offset."""

    day: date
    clock: time | None = None
    exact: bool = False


def parse_day_time(text: str, path: str, planner: Planner) -> DayTime:
    """Parse `2026-03-02`, "tomorrow", "next friday at 3pm" or an RFC 3339 timestamp. Raises InvalidInput for anything
    else."""
    written = text.strip()
    if _ISO_DAY.fullmatch(written):
        try:
            return _within_years(DayTime(date.fromisoformat(written)), path)
        except ValueError:
            raise _no_day(text, path, "There is no such day in the calendar.") from None
    refuse_ambiguous(text, path, planner)
    words = _RUSSIAN.get(" ".join(written.casefold().split()), written)
    zone = planner.zone
    try:
        understood = understand(words, planner.now(), zone, planner.week_start)
    except InvalidInput as unknown:
        raise _no_day(text, path, unknown.message) from None
    # "End of the month" means a day, not an appointment at one second to midnight.
    clock = understood.local.time() if understood.grain in ("minute", "second") else None
    if clock is not None and understood.instant is not None:
        clock = clock.replace(fold=understood.instant.astimezone(zone).fold)
    clock = None if clock == _DAY_ENDS else clock
    return _within_years(
        DayTime(understood.local.date(), clock, clock is not None and understood.instant is not None), path
    )


def refuse_ambiguous(text: str, path: str, planner: Planner) -> None:
    """Raise InvalidInput for a numeric date that may mean two days. With dots the day comes first."""
    found = _FIGURES.search(unicodedata.normalize("NFKC", text))
    if found is None:
        return
    first, second = int(found[1]), int(found[2])
    if first == second or not (1 <= first <= 12 and 1 <= second <= 12):
        return
    year = int(found[3]) if found[3] else planner.today().year
    year += 2000 if year < 100 else 0
    month_first, day_first = f"{year}-{first:02d}-{second:02d}", f"{year}-{second:02d}-{first:02d}"
    raise InvalidInput(
        f'{path} may mean two days: "{found[0]}" is {month_first} where the month is written first, and {day_first} '
        "where the day is.",
        f"Write {month_first} or {day_first}; ask the user which is meant.",
        path=path,
    )


def parse_day(text: str, path: str, planner: Planner) -> date:
    """Parse like `parse_day_time`, without the time of day."""
    return parse_day_time(text, path, planner).day


def optional_day(text: str | None, path: str, planner: Planner) -> date | None:
    """Parse like `parse_day`. Return None for None or an empty text."""
    return parse_day(text, path, planner) if text is not None and text.strip() else None


def parse_time(text: str, path: str, planner: Planner) -> time:
    """Parse `14:00`, `9:30`, `2pm` or "noon". Raises InvalidInput."""
    written = text.strip()
    if found := _CLOCK.fullmatch(written):
        return time(int(found[1]), int(found[2]), int(found[3] or 0))
    zone = planner.zone
    try:
        understood = understand(written, planner.now(), zone, planner.week_start)
    except InvalidInput as unknown:
        raise _no_time(text, path, unknown.message) from None
    if understood.grain not in ("minute", "second") or understood.instant is not None or len(written) > 12:
        raise _no_time(text, path, "")
    return understood.local.time()


def time_text(clock: time) -> str:
    """Return the time as `14:00`, with seconds only if there are any."""
    return f"{clock:%H:%M:%S}" if clock.second else f"{clock:%H:%M}"


def _within_years(parsed: DayTime, path: str) -> DayTime:
    if not _FIRST <= parsed.day <= _LAST:
        raise InvalidInput(f"{path} lies outside the years 1900 to 2199.", "Use a date between them.", path=path)
    return parsed


def _no_day(text: str, path: str, why: str) -> InvalidInput:
    return InvalidInput(
        f'{path} must be YYYY-MM-DD or a relative day, but "{text[:60]}" is neither. {why}'.strip(),
        'Write it like 2026-03-15, "today", "tomorrow", "day after tomorrow" or "next friday".',
        path=path,
    )


def _no_time(text: str, path: str, why: str) -> InvalidInput:
    return InvalidInput(
        f'{path} must be a time of day, but "{text[:60]}" is none. {why}'.strip(),
        "Write it like 14:00 or 2pm.",
        path=path,
    )


def time_in_zone(planner: Planner, milliseconds: int) -> str:
    """Return the time in the caller's zone, or UTC, with offset: 2026-03-02T14:30:00-05:00."""
    return instant_at(milliseconds).astimezone(planner.display_zone).isoformat(timespec="seconds")


def weekday(day: str) -> str:
    """Return the name of the weekday of YYYY-MM-DD."""
    return weekday_name(date.fromisoformat(day))
