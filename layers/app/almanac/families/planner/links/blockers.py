"""Open items with a `blocks` link to an item, and those that it blocks."""

from collections.abc import Callable, Mapping, Sequence

from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import LINK_HEADS, LINKS
from almanac.families.planner.links.changes import MAX_LINKS, blockers_of
from almanac.families.planner.links.items import Item, find_items
from almanac.kernel.errors import Conflict, LimitExceeded

_MAX_STEPS = 1000


def open_blockers(planner: Planner, item_id: str) -> list[Item]:
    """Return the open blockers of an item. Notes and journal entries block nothing."""
    return open_blockers_of(planner, [item_id]).get(item_id, [])


def open_blockers_of(
    planner: Planner, item_ids: Sequence[str], known: Callable[[str], Item | None] = lambda _: None
) -> dict[str, list[Item]]:
    """Return the open blockers of each item that has some, read together. `known` returns items that were already
    read."""
    heads = planner.rows(LINK_HEADS).by_id(item_ids)
    blockers = {one: blockers_of(planner, head) for one, head in heads.items() if head.links}
    items = {other: known(other) for other in {one for some in blockers.values() for one in some}}
    found = find_items(planner, [one for one, item in items.items() if item is None])
    there = found | {one: item for one, item in items.items() if item is not None}
    is_open = {one: [there[other] for other in some if _is_open(there, other)] for one, some in blockers.items()}
    return {one: some for one, some in is_open.items() if some}


def open_blocked(planner: Planner, item_id: str) -> list[Item]:
    """Return the open items that an item blocks."""
    links = planner.rows(LINKS).query(item_id, "out", "blocks", limit=MAX_LINKS).records
    items = find_items(planner, [link.other for link in links])
    return [items[link.other] for link in links if _is_open(items, link.other)]


def _is_open(items: Mapping[str, Item], item_id: str) -> bool:
    return item_id in items and items[item_id].done is False


def refuse_cycle(planner: Planner, source: str, target: str) -> None:
    """Raise Conflict if `target` already blocks `source`, directly or not."""
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
