"""Steps of unfinished work; see `core/unfinished_work.py`."""

from collections.abc import Callable

from almanac.families.planner.boards.done_columns import update_open_cards
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import LINKS
from almanac.families.planner.core.unfinished_work import Task, UnfinishedWork, delete_work
from almanac.families.planner.edits.changes import commit
from almanac.families.planner.edits.series_rest import move_some, remove_some
from almanac.families.planner.links.changes import LINKS_AT_ONCE, LinkChanges
from almanac.families.planner.links.items import find_items
from almanac.families.planner.notes.deletion import lift_some, remove_below
from almanac.families.planner.unfinished_work.linked_events import follow_some


def step(planner: Planner, work: UnfinishedWork) -> bool:
    """Run one step. Return whether more remains."""
    return _STEPS[work.task](planner, work)


def _links(planner: Planner, work: UnfinishedWork) -> bool:
    def attempt() -> bool:
        links = planner.rows(LINKS).query(work.item, limit=LINKS_AT_ONCE).records
        # An item that was imported again under its old id keeps its links.
        if not links or work.item in find_items(planner, [work.item]):
            planner.store.write([delete_work(planner, work)])
            return False
        changes = LinkChanges(planner)
        changes.drop_some(links)
        planner.store.write(changes.changes())
        return True

    return planner.retry_on_conflict(attempt)


_STEPS: dict[Task, Callable[[Planner, UnfinishedWork], bool]] = {
    "links": _links,
    "instances": lambda planner, work: commit(planner, lambda changes: remove_some(changes, work), work.calendar),
    "series": lambda planner, work: commit(planner, lambda changes: move_some(changes, work), work.calendar),
    "below": remove_below,
    "lift": lift_some,
    "column": update_open_cards,
    "follow": follow_some,
}
