"""Conversion of a wall time to its instants: one, none (a gap) or two (an overlap).

By default Almanac resolves an overlap to the earlier instant and a gap to the first valid time after it. The caller can
choose another policy, and the result always tells when a policy decided.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

from almanac.families.time.core.zones import first_change
from almanac.kernel.errors import InvalidInput

AmbiguousPolicy = Literal["earlier", "later", "reject"]
InvalidPolicy = Literal["next_valid_time", "previous_valid_time", "reject"]


@dataclass(frozen=True, slots=True)
class Valid:
    """Wall time that happens once."""

    instant: datetime


@dataclass(frozen=True, slots=True)
class Overlap:
    """Wall time that happens twice, because clocks were set back over it."""

    earlier: datetime
    later: datetime


@dataclass(frozen=True, slots=True)
class Gap:
    """Wall time that never happens: clocks were set forward over it at `transition` (UTC) by `length`."""

    transition: datetime
    length: timedelta
    last_before: datetime
    """Naive wall time one second before the gap."""
    first_after: datetime
    """Naive wall time at which the gap ends."""


Dst = Literal["none", "gap", "overlap"]


@dataclass(frozen=True, slots=True)
class WallTimeResolution:
    """Instant (UTC) of a wall time, and whether a policy had to decide about a gap or an overlap."""

    instant: datetime
    dst: Dst = "none"


def examine(local: datetime, zone: ZoneInfo) -> Valid | Gap | Overlap:
    """Return the instants of a naive wall time in `zone`, exact to the second for gaps and overlaps of any length."""
    first = local.replace(tzinfo=zone, fold=0).astimezone(UTC)
    second = local.replace(tzinfo=zone, fold=1).astimezone(UTC)
    if first == second:
        return Valid(first)
    if first < second:
        return Overlap(first, second)
    # In a gap fold=0 uses the offset from before (a later instant) and fold=1 the one from after: the change lies
    # between.
    transition = first_change(second.replace(microsecond=0), first.replace(microsecond=0), zone)
    last = (transition - timedelta(seconds=1)).astimezone(zone).replace(tzinfo=None)
    after = transition.astimezone(zone).replace(tzinfo=None)
    return Gap(transition, first - second, last, after)


def resolve(
    local: datetime,
    zone: ZoneInfo,
    ambiguous: AmbiguousPolicy = "earlier",
    invalid: InvalidPolicy = "next_valid_time",
) -> WallTimeResolution:
    """Return the instant of a naive wall time under the given policies.

    Raises InvalidInput with code DST_OVERLAP or DST_GAP if the policy is "reject".
    """
    match examine(local, zone):
        case Valid(instant):
            return WallTimeResolution(instant)
        case Overlap(earlier, later):
            if ambiguous == "reject":
                raise InvalidInput(
                    f"{local.isoformat()} happens twice in {zone.key}: the clocks are set back over it.",
                    'Ask the user which one, then pass ambiguous_policy "earlier" or "later".',
                    code="DST_OVERLAP",
                )
            return WallTimeResolution(earlier if ambiguous == "earlier" else later, "overlap")
        case Gap() as gap:
            if invalid == "reject":
                raise InvalidInput(
                    f"{local.isoformat()} does not exist in {zone.key}: the clocks go from "
                    f"{gap.last_before.isoformat()} straight to {gap.first_after.isoformat()}.",
                    'Ask the user for another time, or pass invalid_policy "next_valid_time" or "previous_valid_time".',
                    code="DST_GAP",
                )
            before = gap.transition - timedelta(seconds=1)
            return WallTimeResolution(gap.transition if invalid == "next_valid_time" else before, "gap")
