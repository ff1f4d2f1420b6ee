"""Default limits of the tenants of a tier."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from almanac.identity.records import TIERS


class TierLimits(Struct, frozen=True):
    """Requests per minute of a tenant, counted roughly, and its simultaneous expensive calls. None means unlimited."""

    per_minute: int | None = None
    calls_at_once: int | None = None


UNLIMITED = TierLimits()


def tier_limits(per_minute: Sequence[int], calls_at_once: Sequence[int]) -> Mapping[str, TierLimits]:
    """Return the limits by tier, from one number for each of TIERS in that order; 0 means unlimited."""
    return {
        tier: TierLimits(rate or None, calls or None)
        for tier, rate, calls in zip(TIERS, per_minute, calls_at_once, strict=True)
    }
