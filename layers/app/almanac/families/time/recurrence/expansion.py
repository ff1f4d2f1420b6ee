"""A rule, its start and its zone expanded into instances."""

import heapq
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from almanac.families.time.recurrence.budget import Budget
from almanac.families.time.recurrence.candidates import candidates, line_second
from almanac.families.time.recurrence.clock_grid import UNIT_SECONDS, is_finer_than_day
from almanac.families.time.recurrence.counting import count_before
from almanac.families.time.recurrence.gregorian import LAST_ORDINAL
from almanac.families.time.recurrence.moments import GapPolicy, Moment, moments, read_wall_time
from almanac.families.time.recurrence.rule import Rule
from almanac.families.time.wall_time import Dst, resolve
from almanac.kernel.errors import InvalidInput

# The largest clock change on record is a day; two leave room at the ends of the calendar too.
_MARGIN = timedelta(days=2)
_FIRST, _LAST = datetime.fromordinal(1) + _MARGIN, datetime.fromordinal(LAST_ORDINAL) - _MARGIN


class Occurrence(NamedTuple):
    """One instance: what clocks in the zone show (naive), the instant (UTC), and what the clock change did to it:
    "gap" for an instance shifted out of one, "overlap" for a wall time that happens twice."""

    local: datetime
    instant: datetime
    dst: Dst = "none"


class Skipped(NamedTuple):
    """An instance left out because its wall time does not exist."""

    local: datetime
    reason: str


class Expansion(NamedTuple):
    """Instances in order, those left out, and whether more instances follow the last one in the window."""

    occurrences: list[Occurrence]
    skipped: list[Skipped]
    truncated: bool


def expand(
    rule: Rule,
    dtstart: datetime,
    zone: ZoneInfo,
    *,
    limit: int | None = None,
    after: datetime | None = None,
    before: datetime | None = None,
    exdates: Sequence[datetime] = (),
    rdates: Sequence[datetime] = (),
    gap_policy: GapPolicy = "skip",
) -> Expansion:
    """The instances of `rule` from `dtstart` (naive wall time in `zone`, whole seconds), at most `limit` of them.

    `after` and `before` are aware instants; the window holds `after` and not `before`. COUNT and UNTIL hold from
    `dtstart` on, wherever the window lies. A `dtstart` that the rule does not name is no instance. `exdates` are
    taken out after counting, `rdates` are added; both are wall times in `zone` if naive, instants if aware, and one
    given for a wall time in a gap means that time by the offset of before.

    Raises InvalidInput: path `dtstart`, `after`, `before`, `exdates[n]` or `rdates[n]` for a datetime of the wrong
    kind; path `rrule`, code RRULE_TOO_LONG, where the answer would take too many steps.
    """
    _check_times(dtstart, {"after": after, "before": before}, {"exdates": exdates, "rdates": rdates})
    budget = Budget()
    named = _named_by_rule(rule, dtstart, zone, after, gap_policy, budget)
    added = sorted(_given(date, zone) for date in rdates)
    everything = heapq.merge(named, added, key=_instant) if added else named
    excluded = {_given(date, zone).instant for date in exdates}
    window = _within(everything, after, before)
    return _collect((moment for moment in window if moment.instant not in excluded), zone, limit)


def _collect(found: Iterator[Moment], zone: ZoneInfo, limit: int | None) -> Expansion:
    occurrences: list[Occurrence] = []
    skipped: list[Skipped] = []
    skipped_before_last = 0
    for moment in found:
        if not moment.exists:
            skipped.append(Skipped(moment.local, f"{moment.local.isoformat()} does not exist in {zone.key}."))
            continue
        if occurrences and occurrences[-1].instant == moment.instant:
            continue
        if limit is not None and len(occurrences) >= limit:
            return Expansion(occurrences, skipped[:skipped_before_last], truncated=True)
        occurrences.append(Occurrence(moment.local, moment.instant, moment.dst))
        skipped_before_last = len(skipped)
    return Expansion(occurrences, skipped, truncated=False)


def _named_by_rule(
    rule: Rule, dtstart: datetime, zone: ZoneInfo, after: datetime | None, gap_policy: GapPolicy, budget: Budget
) -> Iterator[Moment]:
    """The rule's own moments in order, cut by COUNT or UNTIL. They begin near `after`, unless COUNT forbids it."""
    start, left = line_second(dtstart), rule.count
    if after is not None:
        wanted = line_second(_earliest_wall_time(after, zone))
        passed = 0 if left is None else count_before(rule, dtstart, zone, wanted, gap_policy, budget)
        if passed is not None and wanted > start:
            start, left = wanted, left and left - passed
    if left is not None and left <= 0:
        return
    step = timedelta(seconds=UNIT_SECONDS[rule.freq] * rule.interval) if is_finer_than_day(rule) else None
    until = _last_instant(rule, zone)
    for moment in moments(candidates(rule, dtstart, start, budget), zone, gap_policy, step, budget):
        if until is not None and moment.instant > until:
            return
        yield moment
        if left is not None and moment.exists:
            left -= 1
            if left == 0:
                return


def _within(found: Iterator[Moment], after: datetime | None, before: datetime | None) -> Iterator[Moment]:
    for moment in found:
        if before is not None and moment.instant >= before:
            return
        if after is None or moment.instant >= after:
            yield moment


def _instant(moment: Moment) -> datetime:
    return moment.instant


def _given(date: datetime, zone: ZoneInfo) -> Moment:
    """An added or excluded date. It was named outright, so in a gap it is read by 3.3.5, not ignored by 3.3.10."""
    if date.tzinfo is None:
        return read_wall_time(date, zone, "shift")[0]
    instant = date.astimezone(UTC)
    return Moment(instant, instant.astimezone(zone).replace(tzinfo=None, fold=0))


def _last_instant(rule: Rule, zone: ZoneInfo) -> datetime | None:
    """UNTIL as an instant, inclusive: a repeated wall time counts both times, one in a gap ends before the gap."""
    until = rule.until
    if until is None:
        return None
    local = until if isinstance(until, datetime) else datetime.combine(until, time(23, 59, 59))
    if local.tzinfo is not None:
        return local
    return resolve(min(max(local, _FIRST), _LAST), zone, "later", "previous_valid_time").instant


def _earliest_wall_time(instant: datetime, zone: ZoneInfo) -> datetime:
    """No wall time before this one means an instant at or after `instant`, whatever the clocks do around it."""
    utc = min(max(instant.astimezone(UTC).replace(tzinfo=None), _FIRST), _LAST).replace(microsecond=0)
    now = lowest = _offset(utc, zone)
    for direction in (-1, 1):
        change = now - _offset(utc + direction * timedelta(days=1), zone)
        # A lower offset nearby matters only if the clocks change within the hours that they repeat or leave out.
        if change > timedelta(0):
            lowest = min(lowest, _offset(utc + direction * change, zone))
    return utc + lowest


def _offset(utc: datetime, zone: ZoneInfo) -> timedelta:
    return utc.replace(tzinfo=UTC).astimezone(zone).utcoffset() or timedelta(0)


def _check_times(dtstart: datetime, bounds: dict[str, datetime | None], dates: dict[str, Sequence[datetime]]) -> None:
    if dtstart.tzinfo is not None or dtstart.microsecond:
        raise InvalidInput(
            "dtstart is a local time without offset, in whole seconds.",
            "Write e.g. 2026-03-01T09:00:00 and name the time zone.",
            path="dtstart",
        )
    named = [("dtstart", dtstart)]
    for name, bound in bounds.items():
        if bound is not None and bound.tzinfo is None:
            raise InvalidInput(f"{name} has no offset.", "Write e.g. 2026-03-01T00:00:00Z.", path=name)
        named += [(name, bound)] if bound is not None else []
    named += [(f"{name}[{index}]", date) for name, given in dates.items() for index, date in enumerate(given)]
    for name, date in named:
        if not _FIRST <= date.replace(tzinfo=None) <= _LAST:
            raise InvalidInput(
                f"{name} lies at the edge of the calendar.",
                "Use a date from 0001-01-03 to 9999-12-28.",
                path=name,
            )
