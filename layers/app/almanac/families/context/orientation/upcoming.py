"""Stored calendar events of the next hours, without a call to a provider."""

from datetime import datetime

from msgspec import Struct, UnsetType

from almanac.families.planner.events.agendas import open_agendas
from almanac.families.planner.events.pages import list_upcoming_rows
from almanac.families.planner.events.rows import EventRow
from almanac.families.planner.factory import open_planner
from almanac.kernel.caller import Caller
from almanac.kernel.clock import Clock
from almanac.kernel.instants import milliseconds
from almanac.platform.services import Services

HOURS = 12
SHOWN = 5
_WITHIN_MS = HOURS * 3_600_000
_CHARACTERS = 200


class UpcomingEvent(Struct, frozen=True, rename="camel", kw_only=True, omit_defaults=True):
    """`start` and `end` are ISO 8601 text with offset. `in_ms`: milliseconds until it begins, 0 or fewer if it is under
    way. `notes` name parts of the title that look like instructions. `held_until`: this is no event but a slot held
    until then."""

    id: str
    title: str
    type: str
    start: str
    end: str
    in_ms: int
    all_day: bool = False
    notes: tuple[str, ...] = ()
    held_until: str | None = None


class UpcomingEvents(Struct, frozen=True):
    """Events ordered by start. `more`: there are others."""

    events: tuple[UpcomingEvent, ...] = ()
    more: bool = False
    is_stale: bool = False


def list_upcoming(services: Services, caller: Caller, clock: Clock, timezone: str) -> UpcomingEvents:
    """Return current and upcoming events, open tasks and held slots of the next 12 hours, in `timezone`."""
    planner = open_planner(services, caller, clock, ask_providers=False).in_zone(timezone)
    agendas = open_agendas(planner)
    rows = list_upcoming_rows(agendas, _WITHIN_MS, SHOWN + 1)
    now = planner.now_ms()
    return UpcomingEvents(tuple(_event(row, now) for row in rows[:SHOWN]), len(rows) > SHOWN, bool(agendas.stale))


def _event(row: EventRow, now: int) -> UpcomingEvent:
    notes = row.text_notes
    return UpcomingEvent(
        id=row.id,
        title=" ".join(row.title.split())[:_CHARACTERS],
        type=row.type,
        start=row.start,
        end=row.end,
        in_ms=milliseconds(datetime.fromisoformat(row.start)) - now,
        all_day=row.time is None,
        notes=() if isinstance(notes, UnsetType) else tuple(notes),
        held_until=None if isinstance(row.held_until, UnsetType) else row.held_until,
    )
