"""Compute the salience of memories, from 0 to 1. It halves every 30 days without use, and each use raises it.

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
_LATEST_ZONE_MS = DAY_MS // 2
"""Time after the end of a day in UTC at which it ends in the last time zone, twelve hours behind."""
_CLOCK_TIME = re.compile(r"(?<=\d)[Tt](?=\d\d:?\d\d)")
_MOST_MS = 253_402_000_000_000


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
    """Return the end, in every time zone, of the last day that the text or metadata name, in ms since 1970.

    None if they name no day. A day without a year is the next such day after the memory was recorded."""
    day = instant_at(memory.at).date()
    ends = [end for day_name in dates_in(_words_of(memory)) if (end := _end_of(day_name, day)) is not None]
    return max([*ends, *_instants_in(memory.metadata)], default=None)


def decay(salience: float, passed_ms: int) -> float:
    """Return the salience after `passed_ms` milliseconds without a use."""
    return min(1.0, max(0.0, salience)) * 0.5 ** (max(0, passed_ms) / HALF_LIFE_MS)


def _salience(memory: Memory, now: int) -> float:
    if memory.kind == "pinned":
        return 1.0
    ends = last_day_ends(memory)
    if ends is not None and now < ends:
        return 1.0
    if ends is not None and ends > memory.used_at:
        return decay(1.0, now - ends)
    return decay(memory.salience, now - memory.used_at)


def _words_of(memory: Memory) -> str:
    metadata = json.dumps(memory.metadata, ensure_ascii=False) if memory.metadata else ""
    return _CLOCK_TIME.sub(" ", f"{memory.content[:_READ_CHARACTERS]}\n{metadata[:_READ_CHARACTERS]}")


def _end_of(date_words: NamedDate, recorded_on: date) -> int | None:
    if date_words.month is None or date_words.day is None:
        return None
    years = (
        (date_words.year,) if date_words.year else range(recorded_on.year, recorded_on.year + 9)
    )  # February 29 comes within eight years
    days = (day for year in years if (day := _day(year, date_words.month, date_words.day)) is not None)
    day = next((each for each in days if date_words.year or each >= recorded_on), None)
    if day is None:
        return None
    return milliseconds(datetime(day.year, day.month, day.day, tzinfo=UTC)) + DAY_MS + _LATEST_ZONE_MS


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _instants_in(metadata: Mapping[str, Any]) -> Iterator[int]:
    """Yield the numbers under keys such as due_at, which are instants."""
    for name, value in metadata.items():
        if name.endswith("_at") and isinstance(value, int | float) and not isinstance(value, bool):
            if 0 < value < _MOST_MS:
                yield int(value)
        elif isinstance(value, Mapping):
            yield from _instants_in(cast("Mapping[str, Any]", value))
