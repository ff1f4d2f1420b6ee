"""Read the planner's items due today for a snapshot.

Errors of the planner become notes, so they do not stop the snapshot.
"""

from collections.abc import Sequence

from msgspec import Struct

from almanac.families.memory.snapshot.budget import Candidate
from almanac.families.memory.snapshot.rows import due_candidate
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.factory import open_planner
from almanac.families.planner.overview.overview import DayItem, due
from almanac.kernel.caller import Caller
from almanac.kernel.clock import Clock
from almanac.kernel.errors import AlmanacError
from almanac.kernel.owners import may_see
from almanac.platform.services import Services

_NO_ZONE = "TIMEZONE_NOT_CONFIGURED"


class Today(Struct, frozen=True):
    """The items due today. Candidates from the index `overdue` on are overdue.

    `date` and `timezone` are None if the planner could not be read."""

    date: str | None = None
    timezone: str | None = None
    candidates: tuple[Candidate, ...] = ()
    overdue: int = 0
    notes: tuple[str, ...] = ()


def today(services: Services, caller: Caller, clock: Clock, timezone: str | None) -> Today:
    """Return today's items that the caller's key may see, in `timezone` or else the caller's zone.

    This reads only stored items and calls no calendar provider."""
    if not may_see(caller.families, "events"):
        return Today()
    try:
        planner = open_planner(services, caller, clock, ask_providers=False).in_zone(timezone)
        return _read_day(planner, sees_cards=may_see(caller.families, "cards"))
    except AlmanacError as problem:
        if problem.code == _NO_ZONE:
            return Today(notes=("due_today needs timezone.",))
        return Today(notes=("The planner could not be read: see daily_overview.",))


def _read_day(planner: Planner, *, sees_cards: bool) -> Today:
    day = planner.today()
    items, past, more, agendas = due(planner, day, 1)
    notes = [*(["There is more due: see daily_overview."] if more else [])]
    if agendas.stale:
        notes.append("Some calendars were last read a while ago.")
    now, late = (
        [one for one in _without_done(some) if sees_cards or one.source == "calendar"] for some in (items, past)
    )
    return Today(
        day.isoformat(),
        planner.zone.key,
        tuple(due_candidate(item, day.isoformat()) for item in (*now, *late)),
        len(now),
        tuple(notes),
    )


def _without_done(items: Sequence[DayItem]) -> list[DayItem]:
    """Leave finished tasks and cards out."""
    return [item for item in items if item.type == "event" or item.status != "done"]
