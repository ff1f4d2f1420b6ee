"""Parsing of dates in the objects of facts. A date is the span of all instants that it may mean, in days since the year
1."""

import re
from calendar import monthrange
from collections.abc import Iterator
from datetime import UTC, date, datetime

_NAMES = "january february march april may june july august september october november december".split()  # noqa: SIM905
_MONTH = "(?P<month>" + "|".join(f"{name}|{name[:3]}" for name in _NAMES) + r"|sept)\.?"
_FORMS = tuple(
    re.compile(rf"^(?:on\s+|in\s+|since\s+)?{form}$", re.IGNORECASE)
    for form in (
        r"(?P<year>\d{4})-(?P<number>\d\d)-(?P<day>\d\d)",
        r"(?P<year>\d{4})-(?P<number>\d\d)",
        rf"(?:the\s+)?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?:\s+of)?\s+{_MONTH},?\s+(?P<year>\d{{4}})",
        rf"{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}})",
        rf"{_MONTH},?\s+(?P<year>\d{{4}})",
        rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?:\s+of)?\s+{_MONTH}",
        rf"{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?",
        r"(?P<year>[12]\d{3})",
    )
)
_FIGURES = re.compile(r"^(?P<one>\d{1,2})[/.](?P<other>\d{1,2})[/.](?P<year>\d{4})$")
_INSTANT = re.compile(r"^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:?\d\d)?$", re.IGNORECASE)
_SECONDS = 86_400.0

Span = tuple[float, float]


def date_spans(text: str) -> dict[str, tuple[Span, ...]]:
    """Return the spans of a date by measure: `date` in days and parts of days, and `day of year` in days of a leap
    year. Spans include their ends. A date such as 3/4/2026 has two spans. Return nothing if the text is no date."""
    if _INSTANT.match(text):
        return _by_measure(date=tuple(_instant(text)))
    if figures := _FIGURES.match(text):
        orders = {(int(figures["one"]), int(figures["other"])), (int(figures["other"]), int(figures["one"]))}
        spans = (_span(int(figures["year"]), month, day) for month, day in sorted(orders))
        return _by_measure(date=tuple(span for some in spans for span in some))
    for form in _FORMS:
        if found := form.match(text):
            parts = found.groupdict()
            month = int(parts["number"]) if parts.get("number") else _number(parts.get("month"))
            day = int(parts["day"]) if parts.get("day") else None
            dated = tuple(_span(int(parts["year"]), month, day)) if parts.get("year") else ()
            return _by_measure(date=dated, day=tuple(_span(2000, month, day)) if month and day else ())
    return {}


def _by_measure(*, date: tuple[Span, ...], day: tuple[Span, ...] = ()) -> dict[str, tuple[Span, ...]]:
    found = {"date": date, "day of year": day}
    return {name: spans for name, spans in found.items() if spans}


def _instant(text: str) -> Iterator[Span]:
    try:
        read = datetime.fromisoformat(text.upper().replace(" ", "T"))
    except ValueError:
        return
    at = read if read.tzinfo is None else read.astimezone(UTC).replace(tzinfo=None)
    seconds = (at.hour * 60 + at.minute) * 60 + at.second
    moment = at.toordinal() + seconds / _SECONDS
    # Without seconds, the span is a whole minute.
    yield moment, moment + (0.0 if at.second else 59 / _SECONDS)


def _span(year: int, month: int | None, day: int | None) -> Iterator[Span]:
    try:
        first = date(year, month or 1, day or 1)
        last = date(year, month or 12, day or monthrange(year, month or 12)[1])
    except ValueError:
        return
    yield float(first.toordinal()), last.toordinal() + (_SECONDS - 1) / _SECONDS


def _number(name: str | None) -> int | None:
    if name is None:
        return None
    return next(place for place, full in enumerate(_NAMES, 1) if full.startswith(name[:3].lower()))
