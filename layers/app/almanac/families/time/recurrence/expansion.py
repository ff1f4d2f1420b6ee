"""Expansion of a rule with its start and zone into instances."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, time, timedelta
from itertools import chain
from operator import itemgetter
from typing import NamedTuple
from zoneinfo import ZoneInfo

from almanac.families.time.core.wall_time import Dst, resolve
from almanac.families.time.recurrence.budget import Budget
from almanac.families.time.recurrence.candidates import candidates
from almanac.families.time.recurrence.clock_grid import UNIT_SECONDS, is_finer_than_day
from almanac.families.time.recurrence.gregorian import LAST_ORDINAL
from almanac.families.time.recurrence.instance_count import count_before
from almanac.families.time.recurrence.line import DAY, line_instant, line_second, line_time
from almanac.families.time.recurrence.moments import GapPolicy, Moment, moments, read_wall_time
from almanac.families.time.recurrence.rule import Rule
from almanac.kernel.errors import InvalidInput

_instant = itemgetter(0)
# The largest clock change on record is a day; two days also leave room at the ends of the calendar.
_FIRST_DAY, _LAST_DAY = 3, LAST_ORDINAL - 2
_FIRST, _LAST = datetime.fromordinal(_FIRST_DAY), datetime.fromordinal(_LAST_DAY)


class Occurrence(NamedTuple):
    """Instance of a rule: the naive local time in the zone, the instant (UTC), and the effect of a clock change.

    `dst` is "gap" for an instance shifted out of a gap, and "overlap" for a wall time that happens twice.
    """

    local: datetime
    instant: datetime
    dst: Dst = "none"


class SkippedInstance(NamedTuple):
    """Instance that does not happen, because its wall time does not exist."""

    local: datetime
    reason: str


class Expansion(NamedTuple):
    """Instances in order, skipped instances, and whether more instances follow in the window."""

    occurrences: list[Occurrence]
    skipped: list[SkippedInstance]
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
    """Return the instances of `rule` from `dtstart` (naive wall time in `zone`, whole seconds), at most `limit` of
    them.

    `after` and `before` are aware instants; the window includes `after` and excludes `before`. COUNT and UNTIL apply
    from `dtstart` on, wherever the window lies. `dtstart` is an instance only if it matches the rule. `exdates` are
    removed after counting, and `rdates` are added. Both are wall times in `zone` if naive and instants if aware,
    compared to the second. A naive date in a gap is read with the offset from before the gap.

    Raises InvalidInput: path `dtstart`, `after`, `before`, `exdates[n]` or `rdates[n]` for a datetime of the wrong
    kind; path `rrule`, code RRULE_TOO_LONG, if the expansion would take too many steps.
    """
    _check_times(dtstart, {"after": after, "before": before}, {"exdates": exdates, "rdates": rdates})
    return _collect(_moments_within(rule, dtstart, zone, after, before, exdates, rdates, gap_policy), zone, limit)


def starts_within(
    rule: Rule,
    dtstart: datetime,
    zone: ZoneInfo,
    *,
    after: datetime,
    before: datetime,
    exdates: Sequence[datetime] = (),
    rdates: Sequence[datetime] = (),
) -> list[tuple[int, int]]:
    """Return only the instant and the wall time of each instance of `expand`, both as seconds on the line."""
    _check_times(dtstart, {"after": after, "before": before}, {"exdates": exdates, "rdates": rdates})
    found = _moments_within(rule, dtstart, zone, after, before, exdates, rdates, "skip")
    return list({moment[0]: moment[:2] for moments in found for moment in moments if moment[3]}.values())


def _moments_within(
    rule: Rule,
    dtstart: datetime,
    zone: ZoneInfo,
    after: datetime | None,
    before: datetime | None,
    exdates: Sequence[datetime],
    rdates: Sequence[datetime],
    gap_policy: GapPolicy,
) -> Iterator[Sequence[Moment]]:
    """Yield lists of the moments in the window, in order, including those that do not exist."""
    window = None if after is None else _second_from(after), None if before is None else _second_from(before)
    batches = _cut_to_window(_rule_moments(rule, dtstart, zone, after, gap_policy, Budget()), *window)
    if added := sorted(_read_dates(rdates, zone, *window)):
        batches = _merge(batches, added)
    excluded = {moment[0] for moment in _read_dates(exdates, zone, *window)}
    return ([one for one in batch if one[0] not in excluded] for batch in batches) if excluded else batches


def _collect(batches: Iterator[Sequence[Moment]], zone: ZoneInfo, limit: int | None) -> Expansion:
    occurrences: list[Occurrence] = []
    skipped: list[SkippedInstance] = []
    skipped_before_last = 0
    last: int | None = None
    for instant, local, dst, exists in chain.from_iterable(batches):
        if not exists:
            wall = line_time(local)
            skipped.append(SkippedInstance(wall, f"{wall.isoformat()} does not exist in {zone.key}."))
            continue
        if instant == last:
            continue
        if limit is not None and len(occurrences) >= limit:
            return Expansion(occurrences, skipped[:skipped_before_last], truncated=True)
        occurrences.append(Occurrence(line_time(local), line_instant(instant), dst))
        last, skipped_before_last = instant, len(skipped)
    return Expansion(occurrences, skipped, truncated=False)


def _rule_moments(
    rule: Rule, dtstart: datetime, zone: ZoneInfo, after: datetime | None, gap_policy: GapPolicy, budget: Budget
) -> Iterator[Sequence[Moment]]:
    """Yield the rule's own moments in order, up to COUNT or UNTIL. They begin near `after`, unless COUNT
    prevents it."""
    start, left = line_second(dtstart), rule.count
    if after is not None:
        earliest = line_second(_earliest_wall_time(after, zone))
        count_passed = 0 if left is None else count_before(rule, dtstart, zone, earliest, gap_policy, budget)
        if count_passed is not None and earliest > start:
            start, left = earliest, left and left - count_passed
    if left is not None and left <= 0:
        return
    step = UNIT_SECONDS[rule.freq] * rule.interval if is_finer_than_day(rule) else None
    until = _last_instant(rule, zone)
    for batch in moments(candidates(rule, dtstart, start, budget), zone, gap_policy, step, budget):
        if until is not None and batch and batch[-1][0] > until:
            yield batch[: bisect_right(batch, until, key=_instant)]
            return
        if left is not None:
            existing = [place for place, moment in enumerate(batch) if moment[3]]
            if len(existing) >= left:
                yield batch[: existing[left - 1] + 1]
                return
            left -= len(existing)
        yield batch


def _merge(rule_moments: Iterable[Sequence[Moment]], added: Sequence[Moment]) -> Iterator[Sequence[Moment]]:
    """Merge both in order. Of equal moments the one from the rule comes first."""
    for batch in rule_moments:
        if batch and added and added[0][0] <= batch[-1][0]:
            until = bisect_right(added, batch[-1][0], key=_instant)
            yield sorted([*batch, *added[:until]], key=_instant)
            added = added[until:]
        else:
            yield batch
    yield added


def _cut_to_window(
    batches: Iterable[Sequence[Moment]], after: int | None, before: int | None
) -> Iterator[Sequence[Moment]]:
    for batch in batches:
        if before is not None and batch and batch[-1][0] >= before:
            yield batch[bisect_left(batch, after or 0, key=_instant) : bisect_left(batch, before, key=_instant)]
            return
        if after is not None and batch and batch[0][0] < after:
            yield batch[bisect_left(batch, after, key=_instant) :]
        else:
            yield batch


def _read_dates(dates: Sequence[datetime], zone: ZoneInfo, after: int | None, before: int | None) -> list[Moment]:
    """Return the added or excluded dates that lie in the window.

    The caller named them explicitly, so a date in a gap is read by RFC 5545 3.3.5 instead of ignored by 3.3.10.
    """
    # Most dates lie far from the window, and their day alone shows it.
    first = 0 if after is None else after // DAY - 2
    last = LAST_ORDINAL if before is None else before // DAY + 2
    near = [_read_date(date, zone) for date in dates if first <= date.toordinal() <= last]
    return [one for one in near if (after is None or one[0] >= after) and (before is None or one[0] < before)]


def _read_date(date: datetime, zone: ZoneInfo) -> Moment:
    if date.tzinfo is None:
        return read_wall_time(line_second(date), zone, "shift")[0]
    return line_second(date.astimezone(UTC)), line_second(date.astimezone(zone)), "none", True


def _second_from(bound: datetime) -> int:
    """Return the first whole second at or after an instant."""
    return line_second(bound.astimezone(UTC)) + (bound.microsecond > 0)


def _last_instant(rule: Rule, zone: ZoneInfo) -> int | None:
    """Return UNTIL as an inclusive instant.

    A repeated wall time includes both of its instants. A wall time in a gap ends before the gap.
    """
    until = rule.until
    if until is None:
        return None
    local = until if isinstance(until, datetime) else datetime.combine(until, time(23, 59, 59))
    if local.tzinfo is not None:
        return line_second(local.astimezone(UTC))
    return line_second(resolve(min(max(local, _FIRST), _LAST), zone, "later", "previous_valid_time").instant)


def _earliest_wall_time(instant: datetime, zone: ZoneInfo) -> datetime:
    """Return a wall time before which no instant at or after `instant` lies, whatever the clocks do around it."""
    utc = min(max(instant.astimezone(UTC).replace(tzinfo=None), _FIRST), _LAST).replace(microsecond=0)
    now = lowest = _offset(utc, zone)
    for direction in (-1, 1):
        change = now - _offset(utc + direction * timedelta(days=1), zone)
        # A lower offset nearby matters only if the clocks change within the hours that they skip or repeat.
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
    for name, bound in bounds.items():
        if bound is not None and bound.tzinfo is None:
            raise InvalidInput(f"{name} has no offset.", "Write e.g. 2026-03-01T00:00:00Z.", path=name)
    bounds_by_name = {"dtstart": [dtstart]} | {name: [bound] for name, bound in bounds.items() if bound is not None}
    for name, values in (bounds_by_name | dates).items():
        for index, date in enumerate(values):
            if not _FIRST_DAY <= date.toordinal() <= _LAST_DAY:
                path = f"{name}[{index}]" if name in dates else name
                hint = "Use a date from 0001-01-03 to 9999-12-28."
                raise InvalidInput(f"{path} is at the edge of the supported calendar.", hint, path=path)
