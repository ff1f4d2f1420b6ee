"""Dates in a question."""

import re
from collections.abc import Iterator

from msgspec import Struct

MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
DAY_MS = 86_400_000

_CALENDAR_MONTHS = (None, *range(1, 13))
_CALENDAR_DAYS = (None, *range(1, 32))
_NUMBERS = {name[:3].lower(): number for number, name in enumerate(MONTHS, 1)}
_MONTH_NAMES = (*(form for name in MONTHS for form in (name, name[:3])), "Sept")
_MONTH = rf"(?P<month>{'|'.join(_MONTH_NAMES)})\b\.?"
# "march" and "may" without a capital are verbs more often than months, also beside a number.
_SMALL_MONTHS = "|".join(name.lower() for name in _MONTH_NAMES if name not in ("March", "May"))
_MONTH_OF_DAY = rf"(?P<month>{'|'.join(_MONTH_NAMES)}|{_SMALL_MONTHS})\b\.?"
_YEAR = r"(?P<year>(?:19|20)\d\d)\b"
_DAY = r"\b(?P<day>[0-3]?\d)(?:st|nd|rd|th)?"
_FORMS = tuple(
    re.compile(form)
    for form in (
        rf"\b{_YEAR[:-2]}-(?P<month>[01]\d)-(?P<day>[0-3]\d)\b",
        rf"{_DAY}(?: of)? {_MONTH_OF_DAY}(?:,? {_YEAR})?",
        rf"\b{_MONTH_OF_DAY} {_DAY}\b(?:,? {_YEAR})?",
        rf"\b{_MONTH}(?: of)?,? {_YEAR}",
        rf"\b{_YEAR}",
    )
)


class NamedDate(Struct, frozen=True):
    """A day, a month or a year. A day may leave its year open."""

    year: int | None
    month: int | None = None
    day: int | None = None


def dates_in(text: str) -> tuple[NamedDate, ...]:
    """Return the dates written in a text, such as 8 May 2023, May 8th, 2023-05-08, May 2023 or 2023."""
    return tuple(dict.fromkeys(_read(text)))


def _read(text: str) -> Iterator[NamedDate]:
    for form in _FORMS:
        for match in form.finditer(text):
            parts = match.groupdict()
            year, day = parts["year"], parts.get("day")
            date = NamedDate(int(year) if year else None, _month(parts.get("month")), int(day) if day else None)
            if date.month in _CALENDAR_MONTHS and date.day in _CALENDAR_DAYS:
                yield date
        # Remove each match, so that a shorter form does not match a part of it.
        text = form.sub(" ", text)


def _month(name: str | None) -> int | None:
    if name is None:
        return None
    if name.isdigit():
        return int(name)
    return _NUMBERS[name[:3].lower()]
