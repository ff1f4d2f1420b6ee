"""Expiry by the caller's clock: what has expired is absent, whether or not it was swept."""

from datetime import UTC, datetime, timedelta

from almanac.kernel.clock import Clock
from almanac.platform.store.port import Item

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def milliseconds(clock: Clock) -> int:
    """The current instant, in whole milliseconds since 1970."""
    return (clock.now() - _EPOCH) // _MILLISECOND


def visible(item: Item | None, now: int) -> Item | None:
    return None if item is None or (item.expires_at is not None and item.expires_at <= now) else item
