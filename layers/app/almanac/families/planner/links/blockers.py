"""Blockers of an item: open items with a `blocks` link to it."""

from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import LINKS
from almanac.families.planner.links.changes import MAX_LINKS
from almanac.families.planner.links.items import Item, known_items
from almanac.kernel.errors import Conflict, LimitExceeded

_MAX_STEPS = 1000


def open_blockers(planner: Planner, item_id: str) -> list[Item]:
    """The open blockers of an item. Notes and journal entries block nothing."""
    links = planner.rows(LINKS).query(item_id, "in", "blocks", limit=MAX_LINKS).records
    items = known_items(planner, [link.other for link in links])
    return [item for item in items.values() if item.done is False]


def refuse_cycle(planner: Planner, source: str, target: str) -> None:
    """Raise Conflict where `target` already blocks `source`, directly or not."""
    rows = planner.rows(LINKS)
    seen, waiting = {target}, [target]
    while waiting:
        item = waiting.pop()
        if item == source:
            raise Conflict(
                "The two items would block each other: neither could ever be done.",
                "items_list_links lists the blocks links; remove one of them first.",
                code="blocks_cycle",
            )
        if len(seen) > _MAX_STEPS:
            raise LimitExceeded(
                f"More than {_MAX_STEPS} items block each other in one chain.", "Remove links that no longer matter."
            )
        for link in rows.query(item, "out", "blocks", limit=MAX_LINKS).records:
            if link.other not in seen:
                seen.add(link.other)
                waiting.append(link.other)
