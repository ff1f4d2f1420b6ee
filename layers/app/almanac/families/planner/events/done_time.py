"""Tasks that are done give their time back; reopened, they take it again."""

from msgspec.structs import replace

from almanac.families.calendar.model.events import Event
from almanac.families.planner.core.records import Mark


def with_time_freed(event: Event, mark: Mark, busy: bool | None) -> tuple[Event, Mark]:
    """The event and its mark as they are to be, `mark` having its new status. What a caller says of `busy` counts."""
    if busy is not None:
        return event, replace(mark, freed=False)
    is_done = mark.type == "task" and mark.status == "done"
    if is_done and not event.transparent:
        return replace(event, transparent=True), replace(mark, freed=True)
    if mark.freed and not is_done:
        return replace(event, transparent=False), replace(mark, freed=False)
    return event, mark


def still_freed(event: Event, mark: Mark) -> tuple[Event, Mark]:
    """A reopened task whose time somebody else has taken meanwhile."""
    return replace(event, transparent=True), replace(mark, freed=True)
