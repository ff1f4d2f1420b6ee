"""Doing what changes left to be done: a little at once by whoever made the change, the rest by a reaction."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeVar

from almanac.families.planner.done_columns import mark_some
from almanac.families.planner.event_changes import BeingChanged, EventChanges, edit
from almanac.families.planner.following import follow_some
from almanac.families.planner.items import known_items
from almanac.families.planner.link_changes import LINKS_AT_ONCE, LinkChanges
from almanac.families.planner.note_burials import lift_some, remove_below
from almanac.families.planner.planner import Planner
from almanac.families.planner.records import LINKS
from almanac.families.planner.series_rest import move_some, remove_some
from almanac.families.planner.trying import settled
from almanac.families.planner.unfinished import Task, Unfinished, finished, work_on
from almanac.kernel.errors import AlmanacError

A = TypeVar("A")

STEPS_AT_ONCE = 25
_STEPS_BEFORE_ANOTHER = 2000


def carry_on(planner: Planner, item: str, task: Task, steps: int = STEPS_AT_ONCE) -> bool:
    """Some steps of what is left to do; whether there is more."""
    for _ in range(steps):
        work = work_on(planner, item, task)
        if work is None or not _STEPS[task](planner, work):
            return False
    return True


def carry_on_now(planner: Planner, works: Sequence[Unfinished]) -> None:
    """What can be done at once. The change itself stands: what does not work out now is for the reaction."""
    with suppress(AlmanacError):
        for work in works:
            carry_on(planner, work.item, work.task)


def edit_to_the_end(planner: Planner, attempt: Callable[[EventChanges], A], calendar: str) -> A:
    """As `edit`, with what it leaves to be done begun, and with what an earlier one left done before."""
    made: list[EventChanges] = []

    def noted(changes: EventChanges) -> A:
        made[:] = [changes]
        return attempt(changes)

    try:
        answer = edit(planner, noted, calendar)
    except BeingChanged as waiting:
        for work in waiting.works:
            carry_on(planner, work.item, work.task, _STEPS_BEFORE_ANOTHER)
        answer = edit(planner, noted, calendar)
    carry_on_now(planner, [*made[0].left, *made[0].links.left])
    return answer


def _links(planner: Planner, work: Unfinished) -> bool:
    def attempt() -> bool:
        links = LINKS.within(planner.store, planner.scope).query(work.item, limit=LINKS_AT_ONCE).records
        # What was read in again under its old id keeps what links to it.
        if not links or work.item in known_items(planner, [work.item]):
            planner.store.write([finished(planner, work)])
            return False
        changes = LinkChanges(planner)
        changes.drop_some(links)
        planner.store.write(changes.changes())
        return True

    return settled(planner, attempt)


_STEPS: dict[Task, Callable[[Planner, Unfinished], bool]] = {
    "links": _links,
    "instances": lambda planner, work: edit(planner, lambda changes: remove_some(changes, work), work.calendar),
    "series": lambda planner, work: edit(planner, lambda changes: move_some(changes, work), work.calendar),
    "below": remove_below,
    "lift": lift_some,
    "column": mark_some,
    "follow": follow_some,
}
