"""Conversions between datetimes and milliseconds since 1970, the form in which instants are stored and sent."""

from datetime import UTC, datetime, timedelta

from almanac.kernel.clock import Clock

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST, _LAST = -62_135_596_800_000, 253_402_300_799_999
_MILLISECOND = timedelta(milliseconds=1)


def milliseconds(instant: datetime) -> int:
    """Convert an aware datetime to whole milliseconds since 1970."""
    return (instant - _EPOCH) // _MILLISECOND


def now_ms(clock: Clock) -> int:
    return milliseconds(clock.now())


def instant_at(milliseconds_since_1970: int) -> datetime:
    """Convert milliseconds since 1970 to an aware datetime in UTC."""
    return _EPOCH + milliseconds_since_1970 * _MILLISECOND


def iso(instant: int | None) -> str | None:
    """Format an instant in whole seconds, e.g. `2026-11-21T10:00:00Z`.

    Outside the years 1 to 9999, return the number.
    """
    if instant is None:
        return None
    if not _FIRST <= instant <= _LAST:
        return f"{instant} ms"
    return instant_at(instant).replace(microsecond=0).isoformat().replace("+00:00", "Z")
