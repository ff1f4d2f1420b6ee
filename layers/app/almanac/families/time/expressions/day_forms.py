"""Reader of days and periods that tries each form by its possible first words."""

from datetime import timedelta

from almanac.families.time.expressions.context import Context
from almanac.families.time.expressions.dates import read_day_of_month, read_figures, read_written
from almanac.families.time.expressions.days import Day
from almanac.families.time.expressions.periods import (
    Read,
    edge_of,
    period,
    read_month,
    read_period,
    read_quarter,
    read_relative_period,
    read_year,
)
from almanac.families.time.expressions.vocabulary import Tokens, Unit
from almanac.families.time.expressions.weekdays import next_weekday, read_ordinal_of, read_weekday

_EDGE_WORDS: dict[str, Unit] = {"eow": "week", "eom": "month", "eoq": "quarter", "eoy": "year"}


def read_day(tokens: Tokens, at: int, context: Context, lead: str = "") -> Read | None:
    """Read a day or period. A bare weekday is left to the caller, which knows the words around it."""
    token = tokens[at]
    if token.day is not None:
        return Day(context.today + timedelta(days=token.day)), at + 1
    if token.date is not None:
        return read_figures(tokens, at, context)
    if token.direction is not None:
        found = read_ordinal_of(tokens, at, context) if token.ordinal else None
        return (
            found
            or read_weekday(tokens, at, context)
            or read_relative_period(tokens, at, context)
            or read_month(tokens, at, context)
        )
    if token.month is not None:
        return read_written(tokens, at, context) or read_month(tokens, at, context)
    if token.weekday is not None:
        return read_weekday(tokens, at, context)
    if token.number is not None or token.ordinal is not None:
        return _read_numbered_day(tokens, at, context, lead)
    return _read_named_day(tokens, at, context)


def _read_numbered_day(tokens: Tokens, at: int, context: Context, lead: str) -> Read | None:
    found = (
        read_written(tokens, at, context)
        or read_ordinal_of(tokens, at, context)
        or read_quarter(tokens, at, context)
        or read_weekday(tokens, at, context)
        or read_day_of_month(tokens, at, context)
    )
    if found is None and lead == "in" and read_year(tokens, at, context) is not None:
        return read_period(tokens, at, context)
    return found


def _read_named_day(tokens: Tokens, at: int, context: Context) -> Read | None:
    token = tokens[at]
    if token.unit == "day":
        beyond = (tokens[at + 1].text, tokens[at + 2].day)
        if beyond in (("after", 1), ("before", -1)):
            return Day(context.today + timedelta(days=2 * (beyond[1] or 0))), at + 3
    if token.unit is not None or token.text in ("business", "working", "weekday"):
        found = read_relative_period(tokens, at, context)
        return found or _read_period_end(tokens, at, context)
    if token.edge is not None:
        return _read_edge(tokens, at, token.edge, context)
    if token.text in _EDGE_WORDS and (current := period(_EDGE_WORDS[token.text], 0, context)) is not None:
        edge = edge_of("end", current)
        return None if edge is None else (edge, at + 1)
    return read_quarter(tokens, at, context) if token.text == "q" else None


def _read_period_end(tokens: Tokens, at: int, context: Context) -> Read | None:
    """ "month end", "the year 2030", and "weekend" by itself."""
    unit = tokens[at].unit
    if unit == "year" and tokens[at + 1].digits == 4:
        return read_period(tokens, at, context)
    if unit == "weekend" and (weekend := period(unit, 0, context)) is not None:
        return weekend, at + 1
    if unit not in ("month", "quarter", "year") or tokens[at + 1].edge != "end":
        return None
    current = period(unit, 0, context)
    edge = None if current is None else edge_of("end", current)
    return None if edge is None else (edge, at + 2)


def _read_edge(tokens: Tokens, at: int, edge: str, context: Context) -> Read | None:
    after = at + 1 + (tokens[at + 1].text == "of")
    plain_day = tokens[after].unit == "day" and tokens[after + 1].text not in ("after", "before")
    if plain_day or tokens[after].text == "business":
        return None  # a time of day, read as such
    found = read_day(tokens, after, context)
    weekday = tokens[after].weekday
    if found is None and weekday is not None:
        found = next_weekday(weekday, context, today_counts=True), after + 1
    found = found or read_period(tokens, after, context)
    if found is None or found[0].at is not None:
        return None
    whole = edge_of(edge, found[0])
    return None if whole is None else (whole, found[1])
