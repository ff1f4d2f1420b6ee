"""Clock changes of a VTIMEZONE component, computed by our own recurrence code with its limits."""

# icalendar is typed loosely: components hold anything.
# pyright: reportUnknownMemberType=false

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace as replaced
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, NamedTuple, cast

from icalendar import Component

from almanac.families.calendar.ical.library import BROKEN
from almanac.families.calendar.ical.values import values_of
from almanac.families.time.core.own_zones import CLOSEST_CHANGES, FARTHEST_OFFSET
from almanac.families.time.core.zones import UTC_ZONE
from almanac.families.time.recurrence import Rule, expand, parse_rule
from almanac.kernel.errors import InvalidInput

FIRST_YEAR, LAST_YEAR = 1900, 2037
"""Years for which clock changes are computed; a regular rule continues after them."""
MOST_OBSERVANCES = 400
_MOST_ONSETS = 3_000
_SECOND = timedelta(seconds=1)


class Onset(NamedTuple):
    """Clock change at `instant`, in seconds since 1970.

    `local` is its wall time in the offset `before`. `after` is the offset from then on; both are in seconds.
    """

    instant: int
    local: datetime
    before: int
    after: int


class ZoneRules(NamedTuple):
    """Initial offset, and the changes after it. `whole`: no rule was left out."""

    base: int
    onsets: Sequence[Onset]
    whole: bool


def read_zone_rules(rules: Component) -> ZoneRules:
    """Return the clock changes of a VTIMEZONE in the years 1900 to 2037. Raises InvalidInput if it has no readable
    rule."""
    onsets: list[Onset] = []
    whole = len(rules.subcomponents) <= MOST_OBSERVANCES
    for observance in rules.subcomponents[:MOST_OBSERVANCES]:
        try:
            onsets += _onsets(observance, _MOST_ONSETS - len(onsets))
        except InvalidInput:
            whole = False
    if not onsets:
        raise InvalidInput("A VTIMEZONE cannot be read.", "Write its observances as RFC 5545 says.")
    onsets.sort()
    first = [one for one in onsets if one.local.year < FIRST_YEAR]
    base = first[-1].after if first else onsets[0].before
    return ZoneRules(base, _changes(base, onsets[len(first) :]), whole and len(onsets) < _MOST_ONSETS)


def _changes(base: int, onsets: Iterable[Onset]) -> list[Onset]:
    """Return the changes that have an effect. Of several within a week only the last counts, as no zone changes so
    often."""
    changes: list[Onset] = []
    for onset in onsets:
        while changes and onset.instant - changes[-1].instant < CLOSEST_CHANGES:
            changes.pop()
        before = changes[-1].after if changes else base
        if onset.after != before:
            changes.append(onset._replace(before=before, local=_wall(onset.instant + before)))
    return changes


def _onsets(observance: Component, most: int) -> Iterator[Onset]:
    held: Any = observance
    try:
        start = _local(held["DTSTART"].dt)
        before, after = (cast(timedelta, held[name].td) // _SECOND for name in ("TZOFFSETFROM", "TZOFFSETTO"))
        added = [_local(each.dt) for value in values_of(observance, "RDATE") for each in value.dts]
        texts = [cast(bytes, value.to_ical()).decode() for value in values_of(observance, "RRULE")]
    except BROKEN as problem:
        raise InvalidInput("A VTIMEZONE cannot be read.", "Write its observances as RFC 5545 says.") from problem
    if max(abs(before), abs(after)) > FARTHEST_OFFSET:
        raise InvalidInput("A VTIMEZONE has an offset of more than 16 hours.", "Write its offsets as RFC 5545 says.")
    starts = [start, *added]
    for text in texts:
        starts += _by_rule(parse_rule(text), start, before, most)
    for local in starts[: max(0, most)]:
        if local.year <= LAST_YEAR:
            yield Onset(_second(local) - before, local, before, after)


def _by_rule(rule: Rule, start: datetime, before: int, most: int) -> list[datetime]:
    if rule.freq != "YEARLY":
        raise InvalidInput("A VTIMEZONE has a rule that is not yearly.", "Clocks change by yearly rules or by dates.")
    if isinstance(rule.until, datetime) and rule.until.tzinfo is not None:
        # Onsets are wall times in the offset from before, and are expanded as if that were UTC.
        rule = replaced(rule, until=rule.until + timedelta(seconds=before))
    after, last = datetime(FIRST_YEAR - 1, 1, 1, tzinfo=UTC), datetime(LAST_YEAR + 1, 1, 1, tzinfo=UTC)
    occurrences = expand(rule, start, UTC_ZONE, after=after, before=last, limit=max(1, most)).occurrences
    return [occurrence.local for occurrence in occurrences]


def _second(local: datetime) -> int:
    return (local - _EPOCH) // _SECOND


def _wall(second: int) -> datetime:
    return _EPOCH + timedelta(seconds=second)


def _local(moment: Any) -> datetime:
    if isinstance(moment, datetime):
        return moment.replace(tzinfo=None, microsecond=0)
    if isinstance(moment, date):
        return datetime.combine(moment, time())
    raise TypeError


_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - on the line of wall times
