"""The result of an edit: the row of the event after it."""

from datetime import time

from msgspec import Struct

from almanac.families.calendar.entries.event_lookup import LocatedEvent
from almanac.families.calendar.model.events import AllDay, Event, When
from almanac.families.calendar.model.instance_ids import slot_at
from almanac.families.calendar.model.instances import interval_of
from almanac.families.calendar.model.overrides import move_to
from almanac.families.planner.core.records import Mark
from almanac.families.planner.events.native import Agenda
from almanac.families.planner.events.rows import EventRow, event_row, single_row
from almanac.families.planner.events.series import live_instances
from almanac.families.time.core.wall_time import Dst, resolve


class EditAnswer(Struct, frozen=True):
    """The edited event. `entry` is the id of the calendar entry. `dst`: the requested time does not exist on that day
    (gap) or occurs twice (overlap). `taken`: another event has taken the time of a reopened task."""

    row: EventRow
    entry: str
    start: int
    end: int
    dst: Dst
    taken: bool = False


def edit_answer(
    agenda: Agenda, event: Event, mark: Mark, *, slot: When | None = None, clock: time | None = None
) -> EditAnswer:
    """Return the result of an edit. `slot` is the instance of a series; `clock` is the requested time of a single
    event."""
    if event.is_series:
        slot = first_remaining(agenda, event) if slot is None else slot
        start, end = interval_of(move_to(event, slot.day if isinstance(slot, AllDay) else slot), agenda.zone)
        row = event_row(agenda, event, mark, start, end, slot=slot)
        return EditAnswer(row, agenda.located_id_of(event.id), start, end, _dst(slot, None, agenda))
    start, end = interval_of(event, agenda.zone)
    row = single_row(agenda, event, mark)
    return EditAnswer(row, agenda.located_id_of(event.id), start, end, _dst(event.start, clock, agenda))


def unchanged_answer(agenda: Agenda, found: LocatedEvent) -> EditAnswer:
    """Return the result of an edit that changes nothing."""
    mark = agenda.mark(found.event.id)
    if found.series is not None and not found.is_exception:
        return edit_answer(agenda, found.series, mark, slot=found.slot)
    return edit_answer(agenda, found.event, mark)


def _dst(start: When, clock: time | None, agenda: Agenda) -> Dst:
    if isinstance(start, AllDay):
        return "none"
    zone = agenda.planner.zone
    local = start.instant.astimezone(zone)
    if clock is not None and clock != local.time():
        return "gap"
    return resolve(local.replace(tzinfo=None, fold=0), zone).dst if not local.fold else "none"


def first_remaining(agenda: Agenda, series: Event) -> When:
    first = next(live_instances(series, (), agenda.zone), None)
    return slot_at(series, first.start, agenda.zone) if first is not None else series.start
