"""What an edit answers: the row of what was named, as it is then."""

from datetime import time

from msgspec import Struct

from almanac.families.calendar.events import AllDay, Event, When
from almanac.families.calendar.instances import interval_of
from almanac.families.planner.agenda import Agenda
from almanac.families.planner.event_rows import EventRow, told, told_alone
from almanac.families.planner.records import Mark
from almanac.families.planner.series import live, moved_to, slot_at
from almanac.families.time.wall_time import Dst, resolve
from almanac.families.time.zones import find_zone


class Edited(Struct, frozen=True):
    """The row of what was named, as it is now. `filed` is the id of its entry in the calendar. `dst`: the time that was
    said does not exist on that day (gap), or comes twice (overlap)."""

    row: EventRow
    filed: str
    start: int
    end: int
    dst: Dst


def edited(agenda: Agenda, event: Event, mark: Mark, *, slot: When | None = None, clock: time | None = None) -> Edited:
    """`slot` is the instance that was named, of a series; `clock` the time that was to be, of what happens once."""
    if event.is_series:
        slot = _first_left(agenda, event) if slot is None else slot
        start, end = interval_of(moved_to(event, slot.day if isinstance(slot, AllDay) else slot), agenda.zone)
        row = told(agenda, event, mark, start, end, slot=slot)
        return Edited(row, event.id, start, end, _dst(slot, None))
    start, end = interval_of(event, agenda.zone)
    return Edited(told_alone(agenda, event, mark), event.id, start, end, _dst(event.start, clock))


def _dst(start: When, clock: time | None) -> Dst:
    if isinstance(start, AllDay):
        return "none"
    if clock is not None and clock != start.local.time():
        return "gap"
    return resolve(start.local, find_zone(start.zone)).dst if not start.fold else "none"


def _first_left(agenda: Agenda, series: Event) -> When:
    first = next(live(series, (), agenda.zone), None)
    return slot_at(series, first.start, agenda.zone) if first is not None else series.start
