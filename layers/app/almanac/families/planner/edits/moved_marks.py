"""Marks of what the calendar's own tools move: the day of a task that is open, and what an instance is."""

from contextlib import suppress

from almanac.families.planner.core.planner import Planner
from almanac.families.planner.edits.changes import EventChanges, commit
from almanac.kernel.errors import NotFound


def keep_mark(planner: Planner, calendar: str, event_id: str) -> None:
    """Brings the mark of an event in line with the event as it stands. An instance that now stands by itself is what
    its series is, task or event, done or not."""
    with suppress(NotFound):
        commit(planner, lambda changes: _keep(changes, event_id), calendar)


def _keep(changes: EventChanges, event_id: str) -> None:
    agenda = changes.agenda
    found = agenda.find(event_id)
    mark = agenda.stored_mark(found.event.id)
    if mark is None and found.is_exception and found.series is not None:
        mark = agenda.stored_mark(found.series.id)
    if mark is not None:
        changes.mark(found.event, mark)
