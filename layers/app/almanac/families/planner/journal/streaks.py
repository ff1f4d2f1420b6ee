"""Days in a row with a journal entry, by the caller's days."""

from datetime import date, datetime, timedelta

from msgspec import Struct

from almanac.families.planner.core.planner import Planner
from almanac.families.planner.search.postings import ALL, day_position
from almanac.families.planner.search.walks import MAX_QUERIES, IndexReader, TermWalk

_DAY_DIGITS = 8
_LAST = 99_999_999


class Streak(Struct, frozen=True, rename="camel"):
    """Days in a row with an entry. `current` ends today, or yesterday while today is still open, else it is 0.
    `at_least`: the journal is too long to be counted to its beginning."""

    current: int
    longest: int
    last_day: str | None
    today_written: bool
    at_least: bool = False


def streak(planner: Planner) -> Streak:
    today = planner.now().astimezone(planner.zone_shown).date()
    reader = IndexReader(planner.store, planner.scope, "journal")
    walk = TermWalk(reader, ALL)
    current = longest = run = 0
    last = before = None
    position = walk.seek(day_position(today.isoformat()))
    while position is not None and reader.queries < MAX_QUERIES:
        day = _day_of(position)
        run = run + 1 if before is not None and before - day == timedelta(days=1) else 1
        last = last or day
        # The first run is the current one, where it reaches up to now.
        if (last - day).days == run - 1 and (today - last).days <= 1:
            current = run
        longest, before = max(longest, run), day
        position = walk.seek(day_position((day - timedelta(days=1)).isoformat()))
    return Streak(current, longest, last.isoformat() if last else None, last == today, position is not None)


def _day_of(position: str) -> date:
    return datetime.strptime(str(_LAST - int(position[:_DAY_DIGITS])), "%Y%m%d").date()  # noqa: DTZ007 - a day
