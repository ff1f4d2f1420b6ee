"""Salience of memories, 0 to 1. It halves every 30 days without use, and each use raises it.

Pinned memories do not decay. A memory that names a future day does not decay before that day is over.
"""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime
from typing import Any, cast

from msgspec import Struct

from almanac.families.memory.core.records import Memory, MemoryKind
from almanac.kernel.instants import instant_at, milliseconds
from almanac.search.analysis.dates import DAY_MS, NamedDate, dates_in

HALF_LIFE_MS = 30 * DAY_MS
RAISE = 0.25
"""Fraction of the distance to 1 that each use adds."""

FIRST: Mapping[MemoryKind, float] = {
    "pinned": 1.0,
    "semantic": 0.7,
    "working": 0.5,
    "consolidated": 0.5,
    "reflection": 0.6,
}
"""Salience of a new memory."""

_READ_CHARACTERS = 16_000
_BEHIND_UTC_MS = DAY_MS // 2
"""A day ends last in zones twelve hours behind UTC."""
_CLOCK_TIME = re.compile(r"(?<=\d)[Tt](?=\d\d:?\d\d)")
_LATEST = 253_402_000_000_000


class MemoryUse(Struct, frozen=True):
    """The salience of a memory after a use."""

    salience: float
    used_at: int


def salience_at(memory: Memory, now: int) -> float:
    """Return the salience at `now`, rounded to three digits."""
    return round(_salience(memory, now), 3)


def after_use(memory: Memory, at: int) -> MemoryUse:
    """Return the salience and the time of last use after one more use. Uses may arrive out of order."""
    latest = max(at, memory.used_at)
    before = _salience(memory, latest)
    return MemoryUse(before + (1 - before) * RAISE, latest)


def last_day_ends(memory: Memory) -> int | None:
    """Return when the last day named in the text or metadata is over in every zone, in ms since 1970; None if they name
    none. A day without a year is the next one after the memory was recorded."""
    day = instant_at(memory.at).date()
    ends = [end for named in dates_in(_words_of(memory)) if (end := _end_of(named, day)) is not None]
    return max([*ends, *_instants_in(memory.metadata)], default=None)


def decayed_salience(salience: float, passed_ms: int) -> float:
    """Return the salience after `passed_ms` milliseconds without a use."""
    return min(1.0, max(0.0, salience)) * 0.5 ** (max(0, passed_ms) / HALF_LIFE_MS)


def _salience(memory: Memory, now: int) -> float:
    if memory.kind == "pinned":
        return 1.0
    ends = last_day_ends(memory)
    if ends is not None and now < ends:
        return 1.0
    if ends is not None and ends > memory.used_at:
        return decayed_salience(1.0, now - ends)
    return decayed_salience(memory.salience, now - memory.used_at)


def _words_of(memory: Memory) -> str:
    metadata = json.dumps(memory.metadata, ensure_ascii=False) if memory.metadata else ""
    return _CLOCK_TIME.sub(" ", f"{memory.content[:_READ_CHARACTERS]}\n{metadata[:_READ_CHARACTERS]}")


def _end_of(named: NamedDate, told: date) -> int | None:
    if named.month is None or named.day is None:
        return None
    years = (named.year,) if named.year else range(told.year, told.year + 9)  # February 29 comes within eight years
    days = (day for year in years if (day := _day(year, named.month, named.day)) is not None)
    day = next((each for each in days if named.year or each >= told), None)
    if day is None:
        return None
    return milliseconds(datetime(day.year, day.month, day.day, tzinfo=UTC)) + DAY_MS + _BEHIND_UTC_MS


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _instants_in(metadata: Mapping[str, Any]) -> Iterator[int]:
    """Yield the numbers under keys such as due_at, which are instants."""
    for name, value in metadata.items():
        if name.endswith("_at") and isinstance(value, int | float) and not isinstance(value, bool):
            if 0 < value < _LATEST:
                yield int(value)
        elif isinstance(value, Mapping):
            yield from _instants_in(cast("Mapping[str, Any]", value))
