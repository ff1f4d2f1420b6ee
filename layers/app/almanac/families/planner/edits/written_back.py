"""What of an edit is a change: a field that is written as it is shown to this caller leaves the event as it is."""

from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from almanac.families.calendar.model.events import Event, When
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.edits.edits import Wanted
from almanac.families.planner.edits.timing import is_shown, timing
from almanac.families.planner.events.recurrence import Recurrence, says_the_same
from almanac.families.planner.events.rows import EventRow

_TEXTS = ("title", "description", "location", "type", "status", "duration_minutes")


def effective_edit(wanted: Wanted, row: EventRow, start: When, series: Event | None, planner: Planner) -> Wanted:
    """`wanted` without what `row` shows already; `start` is that of the row, `series` what it is an instance of."""
    left: dict[str, Any] = {name: None for name in _TEXTS if getattr(wanted, name) == getattr(row, name)}
    if is_shown(timing(wanted.date, wanted.time, planner), start, planner.zone):
        left |= {"date": None, "time": None}
    if wanted.attendees is not None and list(wanted.attendees) == row.attendees:
        left["attendees"] = None
    recurrence = wanted.recurrence
    ends_nothing = recurrence is None and row.recurrence is None
    if ends_nothing or (isinstance(recurrence, Recurrence) and series and says_the_same(recurrence, series, planner)):
        left["recurrence"] = UNSET
    changed = replace(wanted, **left)
    # Whether it is busy follows its type and its time, so it counts beside a change of those.
    alone = replace(changed, busy=None).is_empty or row.recurrence_exception
    return replace(changed, busy=None) if alone and wanted.busy == row.busy else changed
