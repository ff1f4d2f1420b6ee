"""Find the days that a question names relative to today: "what did we decide yesterday", "the outage of last week"."""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import Literal

from almanac.kernel.errors import InvalidInput
from almanac.search.analysis.dates import NamedDate

Edge = Literal["begin", "end"]
InstantOf = Callable[[str, Edge], int]
"""Return the first instant of the days that the words name, or the first instant after them, in milliseconds since
1970."""

# "today" and "this week" are left out, because people also say them of things that hold now.
_MOST_PHRASES = 3
_MOST_DAYS = 7
_WEEKDAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_PHRASE = (
    r"\b(?:the day before yesterday|yesterday|last (?:week|weekend|month|year)"
    rf"|last (?:{_WEEKDAYS})|(?:\d{{1,3}}|a|one|two|three|four|five|six|seven) (?:day|week|month|year)s? ago)\b"
)


def relative_days_in(text: str, instant_of: InstantOf) -> tuple[NamedDate, ...]:
    """Return the days, months or years that a text names relative to today; empty if it names none."""
    phrases = dict.fromkeys(match.group().lower() for match in _phrases().finditer(text))
    return tuple(dict.fromkeys(day for phrase in list(phrases)[:_MOST_PHRASES] for day in _days(phrase, instant_of)))


@cache
def _phrases() -> re.Pattern[str]:
    return re.compile(_PHRASE, re.IGNORECASE)


def _days(phrase: str, instant_of: InstantOf) -> Iterator[NamedDate]:
    try:
        begin, end = instant_of(phrase, "begin"), instant_of(phrase, "end")
    except InvalidInput:
        return
    # In a zone ahead of UTC, a month begins on the last UTC day of the previous month.
    first, middle = _day(begin), _day((begin + end) // 2)
    if "month" in phrase:
        yield NamedDate(middle.year, middle.month)
    elif "year" in phrase:
        yield NamedDate(middle.year)
    else:
        last = max(first, _day(end - 1))
        for ahead in range(min(_MOST_DAYS, (last - first).days + 1)):
            day = first + timedelta(days=ahead)
            yield NamedDate(day.year, day.month, day.day)


def _day(instant: int) -> date:
    """Return the UTC day of an instant, because ranking dates turns in UTC."""
    return datetime.fromtimestamp(instant / 1000, UTC).date()
