"""Instants as they are stored and sent: milliseconds since 1970."""

from datetime import UTC, datetime, timedelta

from almanac.kernel.clock import Clock

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST, _LAST = -62_135_596_800_000, 253_402_300_799_999
_MILLISECOND = timedelta(milliseconds=1)


def milliseconds(instant: datetime) -> int:
    """An aware datetime as whole milliseconds since 1970."""
    return (instant - _EPOCH) // _MILLISECOND


def now_ms(clock: Clock) -> int:
    return milliseconds(clock.now())


def instant_at(milliseconds_since_1970: int) -> datetime:
    """The aware datetime in UTC."""
    return _EPOCH + milliseconds_since_1970 * _MILLISECOND


def iso(instant: int | None) -> str | None:
    """`2026-11-21T10:00:00Z`, whole seconds; the number itself outside the years 1 to 9999."""
    if instant is None:
        return None
    if not _FIRST <= instant <= _LAST:
        return f"{instant} ms"
    return instant_at(instant).replace(microsecond=0).isoformat().replace("+00:00", "Z")
