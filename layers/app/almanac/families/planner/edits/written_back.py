"""Reduce an edit to real changes: a field written back as it is shown changes nothing."""

from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from almanac.families.calendar.model.events import Event, When
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.edits.edits import EventEdit
from almanac.families.planner.edits.timing import is_shown, timing
from almanac.families.planner.events.recurrence import Recurrence, says_the_same
from almanac.families.planner.events.rows import EventRow

_TEXTS = ("title", "description", "location", "type", "status", "duration_minutes")


def effective_edit(edit: EventEdit, row: EventRow, start: When, series: Event | None, planner: Planner) -> EventEdit:
    """`edit` without what `row` shows already; `start` is that of the row, `series` the series of the instance."""
    cleared: dict[str, Any] = {name: None for name in _TEXTS if getattr(edit, name) == getattr(row, name)}
    if is_shown(timing(edit.date, edit.time, planner), start, planner.zone):
        cleared |= {"date": None, "time": None}
    if edit.attendees is not None and list(edit.attendees) == row.attendees:
        cleared["attendees"] = None
    recurrence = edit.recurrence
    is_single = recurrence is None and row.recurrence is None
    if is_single or (isinstance(recurrence, Recurrence) and series and says_the_same(recurrence, series, planner)):
        cleared["recurrence"] = UNSET
    changed = replace(edit, **cleared)
    # A change of type or time may change whether it is busy: then `busy` counts.
    alone = replace(changed, busy=None).is_empty or row.recurrence_exception
    return replace(changed, busy=None) if alone and edit.busy == row.busy else changed
