"""Blockers of an item: open items with a `blocks` link to it."""

from collections.abc import Mapping, Sequence

from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import LINK_HEADS, LINKS
from almanac.families.planner.links.changes import MAX_LINKS
from almanac.families.planner.links.items import Item, known_items
from almanac.kernel.errors import Conflict, LimitExceeded

_MAX_STEPS = 1000


def open_blockers(planner: Planner, item_id: str) -> list[Item]:
    """The open blockers of an item. Notes and journal entries block nothing."""
    return open_blockers_of(planner, [item_id]).get(item_id, [])


def open_blockers_of(planner: Planner, item_ids: Sequence[str]) -> dict[str, list[Item]]:
    """The open blockers of each item that has some, read together."""
    heads = planner.rows(LINK_HEADS).by_id(item_ids)
    rows, blockers = planner.rows(LINKS), dict[str, list[str]]()
    for item_id in item_ids:
        if item_id in heads:
            links = rows.query(item_id, "in", "blocks", limit=MAX_LINKS).records
            blockers[item_id] = [link.other for link in links]
    items = known_items(planner, {one for others in blockers.values() for one in others})
    is_open = {one: [items[other] for other in others if _is_open(items, other)] for one, others in blockers.items()}
    return {one: others for one, others in is_open.items() if others}


def _is_open(items: Mapping[str, Item], item_id: str) -> bool:
    return item_id in items and items[item_id].done is False


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
