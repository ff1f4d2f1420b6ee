"""The steps that finish what a change left to be done: see `core/unfinished.py`."""

from collections.abc import Callable

from almanac.families.planner.boards.done_columns import mark_some
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import LINKS
from almanac.families.planner.core.unfinished import Task, Unfinished, finished
from almanac.families.planner.edits.changes import edit
from almanac.families.planner.edits.series_rest import move_some, remove_some
from almanac.families.planner.links.changes import LINKS_AT_ONCE, LinkChanges
from almanac.families.planner.links.items import known_items
from almanac.families.planner.notes.burials import lift_some, remove_below
from almanac.families.planner.unfinished.following import follow_some


def step(planner: Planner, work: Unfinished) -> bool:
    """One step of what is left to do; whether there is more."""
    return _STEPS[work.task](planner, work)


def _links(planner: Planner, work: Unfinished) -> bool:
    def attempt() -> bool:
        links = planner.rows(LINKS).query(work.item, limit=LINKS_AT_ONCE).records
        # What was read in again under its old id keeps what links to it.
        if not links or work.item in known_items(planner, [work.item]):
            planner.store.write([finished(planner, work)])
            return False
        changes = LinkChanges(planner)
        changes.drop_some(links)
        planner.store.write(changes.changes())
        return True

    return planner.retrying(attempt)


_STEPS: dict[Task, Callable[[Planner, Unfinished], bool]] = {
    "links": _links,
    "instances": lambda planner, work: edit(planner, lambda changes: remove_some(changes, work), work.calendar),
    "series": lambda planner, work: edit(planner, lambda changes: move_some(changes, work), work.calendar),
    "below": remove_below,
    "lift": lift_some,
    "column": mark_some,
    "follow": follow_some,
}
