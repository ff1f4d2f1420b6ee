"""Instants as the store keeps them: milliseconds since 1970."""

from datetime import UTC, datetime, timedelta

from almanac.kernel.clock import Clock

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def milliseconds(instant: datetime) -> int:
    return (instant - _EPOCH) // _MILLISECOND


def now(clock: Clock) -> int:
    return milliseconds(clock.now())


def iso(instant: int | None) -> str | None:
    """`2026-11-21T10:00:00Z`, whole seconds."""
    if instant is None:
        return None
    return (_EPOCH + instant * _MILLISECOND).replace(microsecond=0).isoformat().replace("+00:00", "Z")
