"""Conversion of a rule's wall times to instants in a zone, with gaps, overlaps, and the rhythm of rules finer than a
day."""

from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal
from zoneinfo import ZoneInfo

from almanac.families.time.core.wall_time import Dst
from almanac.families.time.recurrence.budget import Budget
from almanac.families.time.recurrence.clock_changes import NO_TIME, offset_at, plain_time
from almanac.families.time.recurrence.line import DAY, line_instant, line_second, line_time

GapPolicy = Literal["skip", "shift"]
Moment = tuple[int, int, Dst, bool]
"""An instant and its wall time (both on the line), the effect of a clock change, and whether the instance exists.

A wall time in a gap has the instant that the offset from before the gap gives (RFC 5545 3.3.5), and the policy
decides whether it exists. A plain tuple, because every instance needs one."""

_NEAR = 32 * DAY
"""Wall times further apart are converted singly: finding a year's clock changes costs as much as two dozen of them."""


def read_wall_time(second: int, zone: ZoneInfo, gap_policy: GapPolicy) -> tuple[Moment, int]:
    """Return the first instant with that wall time in `zone`, and after how many seconds the clocks repeat it
    (or 0)."""
    local = line_time(second)
    before, after = offset_at(zone, local), offset_at(zone, local.replace(fold=1))
    instant = second - before
    if before == after:
        return (instant, second, "none", True), 0
    if before > after:
        return (instant, second, "overlap", True), before - after
    if gap_policy == "skip":
        return (instant, second, "gap", False), 0
    shown = line_second(line_instant(instant).astimezone(zone))
    return (instant, shown, "gap", True), 0


def moments(
    batches: Iterable[Sequence[int]], zone: ZoneInfo, gap_policy: GapPolicy, step: int | None, budget: Budget
) -> Iterator[Sequence[Moment]]:
    """Convert ascending wall times to moments in the order of their instants, in lists.

    `step` is the distance in seconds of a rule finer than a day. Such a rule keeps its rhythm through a clock change
    that is a whole number of steps: the repeated hour has its instances twice, and a missing wall time that would fall
    onto the next instance is dropped. Otherwise the wall clock decides, as for every coarser frequency.
    """
    waiting: deque[Moment] = deque()
    plain, last = NO_TIME, -_NEAR
    for seconds in batches:
        budget.spend(len(seconds))
        at = 0
        while at < len(seconds):
            second = seconds[at]
            if not plain.begin <= second < plain.end:
                plain = plain_time(zone, second) if second - last < _NEAR else NO_TIME
            until = at if waiting else bisect_left(seconds, plain.end, at)
            if until > at:
                yield [(one - plain.offset, one, "none", True) for one in seconds[at:until]]
            else:
                yield _in_turn(*read_wall_time(second, zone, gap_policy), step, waiting)
                until = at + 1
            at, last = until, seconds[until - 1]
    yield tuple(waiting)


def _in_turn(moment: Moment, repeats_after: int, step: int | None, waiting: deque[Moment]) -> list[Moment]:
    """Return the moments that come next for certain, with this one unless it has to wait for others."""
    instant, local, dst, exists = moment
    if dst == "gap":
        waiting.append(moment)
        return []
    next_moments: list[Moment] = []
    while waiting and waiting[0][0] < instant:
        next_moments.append(waiting.popleft())
    while waiting and waiting[0][0] == instant:
        shadowed = waiting.popleft()
        if step is None and not shadowed[3]:
            next_moments.append(shadowed)
    if step is not None and repeats_after and repeats_after % step == 0:
        waiting.append((instant + repeats_after, local, dst, exists))
    return [*next_moments, moment]
