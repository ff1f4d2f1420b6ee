"""Spans of facts in plain words."""

from datetime import UTC, datetime, time, tzinfo

from almanac.families.knowledge.core.timeline import HoldingInterval
from almanac.kernel.instants import instant_at
from almanac.search.analysis.dates import MONTHS

_MIDNIGHT = time()


def span_text(holding: HoldingInterval, zone: tzinfo) -> str:
    """Return a span as "from 2024-03-01 on", or "from 2024-03-01 until 2025-05-01 09:30"."""
    beginning = f"from {date_text(holding.start, zone)}"
    return f"{beginning} on" if holding.end is None else f"{beginning} until {date_text(holding.end, zone)}"


def span_in_words(holding: HoldingInterval, zone: tzinfo) -> str:
    """Return a span as "from March 2024 on", or "from 3 March 2024 until May 2025". The first day of a month is written
    as the month."""
    beginning = f"from {_in_words(holding.start, zone)}"
    return f"{beginning} on" if holding.end is None else f"{beginning} until {_in_words(holding.end, zone)}"


def common_span(one: HoldingInterval, other: HoldingInterval) -> HoldingInterval:
    """Return the span in which both hold; they must overlap."""
    ends = [each.end for each in (one, other) if each.end is not None]
    return HoldingInterval(max(one.start, other.start), min(ends) if ends else None)


def date_text(instant: int, zone: tzinfo) -> str:
    """Return the local date, with the time unless it is midnight."""
    local = _local(instant, zone)
    day = local.date().isoformat()
    return day if local.time() == _MIDNIGHT else f"{day} {local:%H:%M}"


def _in_words(instant: int, zone: tzinfo) -> str:
    local = _local(instant, zone)
    day = f"{MONTHS[local.month - 1]} {local.year}"
    if local.time() == _MIDNIGHT and local.day == 1:
        return day
    day = f"{local.day} {day}"
    return day if local.time() == _MIDNIGHT else f"{day} at {local:%H:%M}"


def _local(instant: int, zone: tzinfo) -> datetime:
    at = instant_at(instant)
    try:
        return at.astimezone(zone)
    except OverflowError:
        # The first and last days of the calendar cannot be converted to every zone.
        return at.astimezone(UTC)
