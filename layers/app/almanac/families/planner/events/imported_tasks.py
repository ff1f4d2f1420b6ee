"""To-dos of imported calendars as tasks."""

from collections.abc import Sequence

from msgspec.structs import replace

from almanac.families.calendar.model.events import Event
from almanac.families.calendar.model.instance_ids import slot_day
from almanac.families.calendar.model.located_ids import make_located_id
from almanac.families.planner.core.records import MARKS, ItemStatus, Mark
from almanac.kernel.caller import Scope
from almanac.platform.store.port import Change, Store


class ImportedTasks:
    """Implementation of `Tasks` for one calendar."""

    def __init__(self, store: Store, scope: Scope, calendar: str) -> None:
        self._calendar = calendar
        self._marks = MARKS.within(store, scope)

    def changes_for(self, event: Event) -> Sequence[Change]:
        """Return the changes that store a task. A task that was ticked off in Almanac stays done, whatever the file
        says."""
        name = make_located_id(self._calendar, event.id)
        known = self._marks.get(name)
        done = (event.todo is not None and event.todo.is_done) or (known is not None and known.status == "done")
        status: ItemStatus = "done" if done else "pending"
        day = slot_day(event.start).isoformat() if not done and not event.is_series else None
        return [self._marks.put(Mark(id=name, type="task", status=status, open_day=day))]

    def with_state(self, event: Event) -> Event:
        mark = self._marks.get(make_located_id(self._calendar, event.id))
        if event.todo is None or mark is None or (mark.status == "done") == event.todo.is_done:
            return event
        if mark.status == "done":
            return replace(event, todo=replace(event.todo, status="completed"))
        return replace(event, todo=replace(event.todo, status="needs-action", completed=None, percent=None))
