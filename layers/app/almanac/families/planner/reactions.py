"""Reactions of the planner to events of the calendar, and to unfinished work."""

from collections.abc import Sequence
from contextlib import suppress

from almanac.families.calendar.model.located_ids import make_located_id
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import MARKS
from almanac.families.planner.core.unfinished_work import (
    TASKS,
    UNFINISHED,
    WORK_LEFT,
    UnfinishedWork,
    find_work,
    run_steps,
    work_changes,
    work_event,
)
from almanac.families.planner.edits.changes import EventChanges, commit
from almanac.families.planner.edits.series_traces import links_to_instances, marks_of_instances
from almanac.families.planner.events.native import open_agenda
from almanac.families.planner.factory import open_planner
from almanac.families.planner.links.changes import LinkChanges
from almanac.families.planner.unfinished_work.linked_events import work_for
from almanac.kernel.caller import Caller
from almanac.kernel.clock import Clock
from almanac.kernel.errors import NotFound
from almanac.kernel.events import Event
from almanac.platform.bus.port import Reaction
from almanac.platform.services import Services
from almanac.platform.store.port import Change


def forget_booking(event: Event, services: Services) -> Sequence[Change]:
    """Delete the mark and links of a cancelled booking. For a series, delete those of its instances too."""
    calendar, booking = event.payload.get("calendar_id"), event.payload.get("event_id")
    if not isinstance(calendar, str) or not isinstance(booking, str):
        return ()
    planner, item = _planner(event, services), make_located_id(calendar, booking)
    links = LinkChanges(planner)
    links.drop(item)
    changes = [planner.rows(MARKS).delete(item), *links.changes()]
    with suppress(NotFound):
        agenda = open_agenda(planner, calendar)
        if marks_of_instances(agenda, booking, None) or links_to_instances(agenda, booking, None, limit=1):
            changes += work_changes(planner, UnfinishedWork(item=item, task="instances", calendar=calendar))
    return changes


def follow_move(event: Event, services: Services) -> Sequence[Change]:
    """Update the mark of a rescheduled booking. A new exception gets the mark of its series."""
    calendar, booking = event.payload.get("calendar_id"), event.payload.get("event_id")
    if isinstance(calendar, str) and isinstance(booking, str):
        with suppress(NotFound):
            commit(_planner(event, services), lambda changes: _update_mark(changes, booking), calendar)
    return ()


def _update_mark(changes: EventChanges, event_id: str) -> None:
    agenda = changes.agenda
    found = agenda.find(event_id)
    mark = agenda.stored_mark(found.event.id)
    if mark is None and found.is_exception and found.series is not None:
        mark = agenda.stored_mark(found.series.id)
    if mark is not None:
        changes.mark(found.event, mark)


def finish(event: Event, services: Services) -> Sequence[Change]:
    """Continue unfinished work, and publish it again if more remains."""
    item = event.payload.get("item_id")
    task = TASKS.get(str(event.payload.get("task")))
    if not isinstance(item, str) or task is None:
        return ()
    planner = _planner(event, services)
    work = find_work(planner, item, task) if run_steps(planner, item, task) else None
    return work_event(planner, work) if work is not None else ()


def follow(event: Event, services: Services) -> Sequence[Change]:
    """Update cards that reference a changed event, or are scheduled for it."""
    planner = _planner(event, services)
    work = work_for(planner, event)
    if work is None:
        return ()
    planner.store.write([planner.rows(UNFINISHED).put(work)])
    return work_event(planner, work) if run_steps(planner, work.item, work.task) else ()


def _planner(event: Event, services: Services) -> Planner:
    return open_planner(
        services, Caller(event.scope, actor=event.actor, key_id=""), services.get(Clock), ask_providers=False
    )


REACTIONS = (
    Reaction("planner.forget_booking", frozenset(["booking_cancelled"]), forget_booking),
    Reaction("planner.follow_move", frozenset(["booking_rescheduled"]), follow_move),
    Reaction("planner.follow", frozenset(["item_updated", "item_linked", "booking_rescheduled"]), follow),
    Reaction("planner.finish", frozenset([WORK_LEFT]), finish),
)
