"""From wall times to instants in a zone: gaps, overlaps, and the rhythm of rules finer than a day."""

from collections import deque
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Literal, NamedTuple
from zoneinfo import ZoneInfo

from almanac.families.time.recurrence.budget import Budget
from almanac.families.time.recurrence.candidates import line_time
from almanac.families.time.wall_time import Dst

GapPolicy = Literal["skip", "shift"]
_ZERO = timedelta(0)
_DAY_ONE = datetime.fromordinal(1)
_DAY_ONE_UTC = _DAY_ONE.replace(tzinfo=UTC)


class Moment(NamedTuple):
    """A wall time that a rule names, and the instant it means. Where it does not exist the instant is as if the
    offset of before the gap still held (RFC 5545 3.3.5), and `exists` says whether the policy lets it stand."""

    instant: datetime
    local: datetime
    dst: Dst = "none"
    exists: bool = True


def read_wall_time(local: datetime, zone: ZoneInfo, gap_policy: GapPolicy) -> tuple[Moment, timedelta]:
    """The first instant at which clocks in `zone` show `local`, and how much later they show it again (or zero)."""
    before = zone.utcoffset(local) or _ZERO
    after = zone.utcoffset(local.replace(fold=1)) or _ZERO
    # Sums, because `replace` costs three times as much, and this runs for every instance.
    instant = _DAY_ONE_UTC + (local - _DAY_ONE - before)
    if before == after:
        return Moment(instant, local), _ZERO
    if before > after:
        return Moment(instant, local, "overlap"), before - after
    if gap_policy == "skip":
        return Moment(instant, local, "gap", exists=False), _ZERO
    return Moment(instant, instant.astimezone(zone).replace(tzinfo=None), "gap"), _ZERO


def moments(
    seconds: Iterable[int], zone: ZoneInfo, gap_policy: GapPolicy, step: timedelta | None, budget: Budget
) -> Iterator[Moment]:
    """Ascending wall times as moments in the order of their instants.

    `step` is the distance of a rule finer than a day. Such a rule keeps its rhythm through a clock change that is a
    whole number of steps: the repeated hour has its instances twice, and a missing wall time that would fall onto the
    next instance is none. Otherwise the wall clock rules, as it does for every coarser frequency.
    """
    waiting: deque[Moment] = deque()
    for second in seconds:
        budget.spend()
        moment, repeats_after = read_wall_time(line_time(second), zone, gap_policy)
        if moment.dst == "gap":
            waiting.append(moment)
            continue
        while waiting and waiting[0].instant < moment.instant:
            yield waiting.popleft()
        while waiting and waiting[0].instant == moment.instant:
            shadowed = waiting.popleft()
            if step is None and not shadowed.exists:
                yield shadowed
        if step is not None and repeats_after and repeats_after % step == _ZERO:
            waiting.append(moment._replace(instant=moment.instant + repeats_after))
        yield moment
    yield from waiting
