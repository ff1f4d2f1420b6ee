"""The offsets that a VTIMEZONE component tells, worked out with the bounds of our own recurrence code."""

# icalendar is typed loosely: components hold anything.
# pyright: reportUnknownMemberType=false

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, cast
from zoneinfo import ZoneInfo

from icalendar import Component

from almanac.families.calendar.ical.values import values_of
from almanac.families.time.recurrence import expand, parse_rule
from almanac.kernel.errors import InvalidInput

YEARS = 6
_STEP = timedelta(days=5)
_MOST_OBSERVANCES = 200
_MOST_ONSETS = 2_000
_UTC = ZoneInfo("UTC")

Onset = tuple[datetime, timedelta, timedelta]
"""A wall time by the offset of before, that offset, and the one from then on."""


def offsets_by_rules(rules: Component, first_year: int) -> Mapping[datetime, timedelta]:
    """The offset at noon of every fifth day for six years from `first_year` on; empty where the rules say nothing.

    Raises InvalidInput for rules that cannot be read, or run for too long.
    """
    observances = rules.subcomponents[:_MOST_OBSERVANCES]
    onsets = sorted(onset for each in observances for onset in _onsets(each, first_year))
    if not onsets:
        return {}
    starts = [onset[0] for onset in onsets]
    offsets: dict[datetime, timedelta] = {}
    local = datetime(first_year, 1, 1, 12)  # noqa: DTZ001 - a wall time
    while local.year < first_year + YEARS:
        place = bisect_right(starts, local)
        offsets[local] = onsets[place - 1][2] if place else onsets[0][1]
        local += _STEP
    return offsets


def _onsets(observance: Component, first_year: int) -> Iterator[Onset]:
    """From the first one to the end of the years that count."""
    held: Any = observance
    try:
        start = _local(held["DTSTART"].dt)
        before, after = (cast(timedelta, held[name].td) for name in ("TZOFFSETFROM", "TZOFFSETTO"))
        added = [_local(each.dt) for value in values_of(observance, "RDATE") for each in value.dts]
        texts = [cast(bytes, value.to_ical()).decode() for value in values_of(observance, "RRULE")]
    except (KeyError, AttributeError, TypeError, ValueError) as problem:
        raise InvalidInput("A VTIMEZONE cannot be read.", "Write its observances as RFC 5545 says.") from problem
    last = datetime(min(first_year + YEARS, 9990), 1, 1, tzinfo=UTC)
    found = [start, *added]
    for text in texts:
        rule = parse_rule(text)
        if rule.freq != "YEARLY":
            raise InvalidInput(
                "A VTIMEZONE has a rule that is not yearly.", "Clocks change by yearly rules or by dates."
            )
        occurrences = expand(rule, start, _UTC, before=last, limit=_MOST_ONSETS).occurrences
        found += [occurrence.local for occurrence in occurrences]
    for local in found:
        yield local, before, after


def _local(moment: Any) -> datetime:
    if isinstance(moment, datetime):
        return moment.replace(tzinfo=None)
    if isinstance(moment, date):
        return datetime.combine(moment, time())
    raise TypeError
