"""Parse the instants that callers write: milliseconds since 1970, a date, or words.

Words are read in the caller's time zone and refer to the past: "Monday" is the latest Monday, and "7 days" are the last
seven. If words name a day or a longer span, `since` is its beginning and `until` its end.
"""

import re
from collections.abc import Callable, Sequence
from datetime import datetime, time, timedelta
from typing import Annotated, cast
from zoneinfo import ZoneInfo

from msgspec import Meta, Struct

from almanac.families.memory.core.memory import MemoryProject
from almanac.families.time.core.wall_time import resolve
from almanac.families.time.core.zones import find_zone
from almanac.families.time.expressions import Interpretation, understand
from almanac.families.time.expressions.context import WeekStart
from almanac.kernel.errors import InvalidInput
from almanac.kernel.instants import milliseconds

LAST_MS = 253_402_000_000_000
"""An instant in the year 9999, with a few days left for time zones."""

Moment = Annotated[int, Meta(ge=0, le=LAST_MS)] | Annotated[str, Meta(min_length=1, max_length=100)]
"""Type of an argument that `instant_of` parses."""

_SHORT_DATE = re.compile(r"(?<![\d/-])(\d{1,2})([/-])(\d{1,2})\2(\d{4})(?![\d/-])")
_PART = r"\d+ ?(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?|mo|months?|y|years?)"
_AMOUNT = re.compile(rf"(?:(?:the )?(?:last|past|previous) )?({_PART}(?: ?{_PART})*)", re.IGNORECASE)
_ONE = re.compile(r"(?:the )?(?:last|past) (minute|hour)", re.IGNORECASE)
_LEADING = re.compile(r"(?:ever )?(?:since|from|as of|until|till) (?=\S)", re.IGNORECASE)
_YEAR = re.compile(r"[1-9]\d{3}")
_DATE = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?")
_MIDNIGHT, _DAY_ENDS = time(), time(23, 59, 59)
_LONGER = frozenset({"day", "week", "month", "quarter", "year"})
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
YEARS = range(1970, 9999)
"""Years that words may name by default."""
_STEPS_BACK = (timedelta(days=7), timedelta(days=31), timedelta(days=366))


class TimeContext(Struct, frozen=True):
    """The time and time zone of a caller, for reading words. `now` is aware. `zone` is None if the caller has none.

    Without a zone, `dates_in_utc` makes a numeric date a day in UTC."""

    now: datetime
    zone: str | None
    week_start: WeekStart = "monday"
    dates_in_utc: bool = False


def instant_of(project: MemoryProject, value: int | str, path: str, *, ends: bool = False) -> int:
    """Return milliseconds since 1970. `path` names the argument in errors.

    With `ends`, return the exclusive end of the named span, for `until`.

    Raises InvalidInput if the words name no time or are ambiguous, and if they need a time zone and the caller has
    none.
    """
    context = TimeContext(project.clock.now(), project.zone, cast(WeekStart, project.week_start))
    return read_instant(value, path, context, ends=ends)


def optional_instant(project: MemoryProject, value: int | str | None, path: str, *, ends: bool = False) -> int | None:
    """Return the same as `instant_of`, and None for None."""
    return None if value is None else instant_of(project, value, path, ends=ends)


def read_instant(
    value: int | str, path: str, context: TimeContext, *, ends: bool = False, years: Sequence[int] = YEARS
) -> int:
    """Parse an instant like `instant_of`. `years` are the years that words may name; integers are not checked."""
    if isinstance(value, int):
        return value
    _refuse_ambiguous(value, path)
    zone = find_zone(context.zone) if context.zone else None
    understood = _understand(value.strip(), path, context, zone or ZoneInfo("UTC"))
    if understood.instant is not None:
        return milliseconds(understood.instant)
    if zone is None and context.dates_in_utc and is_date(value):
        zone = ZoneInfo("UTC")
    if zone is None:
        raise InvalidInput(
            f'{path} "{value[:60]}" needs a time zone, and this API key has none.',
            "Give milliseconds since 1970, or a time with its offset such as 2026-02-03T09:00:00Z.",
            path=path,
            code="TIMEZONE_NOT_CONFIGURED",
        )
    try:
        if understood.local.year in years:
            local = _end_of(understood) if ends else _start_of(understood)
            return milliseconds(resolve(local, zone).instant)
    except OverflowError:  # years 1 and 9999, in zones ahead of or behind UTC
        pass
    raise InvalidInput(f"{path} lies outside the years {_span(years)}.", "Use a date between them.", path=path)


def is_date(value: int | str | None) -> bool:
    """Return whether the value is a numeric date, such as 2019, 2019-05 or 2019-05-03.

    Unlike words, it means the same day whenever it is read."""
    return isinstance(value, str) and _DATE.fullmatch(value.strip()) is not None


def _span(years: Sequence[int]) -> str:
    return f"{years[0]} to {years[-1]}"


def _understand(text: str, path: str, context: TimeContext, zone: ZoneInfo) -> Interpretation:
    def read(words: str, anchor: datetime) -> Interpretation:
        try:
            return understand(words, anchor, zone, context.week_start)
        except InvalidInput as unknown:
            raise InvalidInput(
                f'{path} "{text[:60]}" cannot be read as a time. {unknown.message}',
                'Write it like 2026-02-03, "yesterday", "last week", "3 days ago", 2026-02-03T09:00:00Z, or as '
                "milliseconds since 1970.",
                path=path,
                code=unknown.code,
            ) from None

    words = _backward_words(text)
    return _latest_reading(read(words, context.now), lambda anchor: read(words, anchor), context.now, zone)


def _backward_words(text: str) -> str:
    leading = _LEADING.match(text)
    text = text[leading.end() :] if leading else text
    if _YEAR.fullmatch(text):
        return f"the year {text}"
    if match := _ONE.fullmatch(text):
        return f"1 {match[1]} ago"
    match = _AMOUNT.fullmatch(text)
    return f"{match[1]} ago" if match else text


def _latest_reading(
    first: Interpretation, again: Callable[[datetime], Interpretation], now: datetime, zone: ZoneInfo
) -> Interpretation:
    """Return the latest reading in the past, for words that have several readings. `first` is one of these."""
    local_now = now.astimezone(zone).replace(tzinfo=None)
    if first.local <= local_now or not first.note or first.instant is not None:
        return first
    earlier = (again(now - back) for back in _STEPS_BACK)
    return next((reading for reading in earlier if reading.local <= local_now), first)


def _start_of(understood: Interpretation) -> datetime:
    local = understood.local
    return datetime.combine(local.date(), _MIDNIGHT) if understood.grain in _LONGER else local


def _end_of(understood: Interpretation) -> datetime:
    """Return the exclusive end of the named span; for a span of an hour or less, the moment itself."""
    local, grain = understood.local, understood.grain
    if grain not in _LONGER:
        return local + timedelta(seconds=1) if local.time() == _DAY_ENDS else local
    start = datetime.combine(local.date(), _MIDNIGHT)
    if local != start or grain == "day":
        return start + timedelta(days=1)
    if grain == "week":
        return start + timedelta(days=7)
    months = start.month - 1 + _MONTHS[grain]
    return start.replace(year=start.year + months // 12, month=months % 12 + 1, day=1)


def _refuse_ambiguous(text: str, path: str) -> None:
    match = _SHORT_DATE.search(text)
    if match is None or match[1] == match[3] or not (1 <= int(match[1]) <= 12 and 1 <= int(match[3]) <= 12):
        return
    first, second = int(match[1]), int(match[3])
    month_first, day_first = f"{match[4]}-{first:02d}-{second:02d}", f"{match[4]}-{second:02d}-{first:02d}"
    raise InvalidInput(
        f'{path} "{text[:60]}" may mean {month_first} or {day_first}.',
        "Ask the user which one is meant, and write that date.",
        path=path,
    )
