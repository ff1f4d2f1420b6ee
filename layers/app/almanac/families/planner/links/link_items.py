"""Linking and unlinking of two items."""

from almanac.families.planner.core.item_kinds import CARD, LOG, NOTE, ItemKind
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import BLOCKS_HEADS, LINKS, BlocksHead, Link, Relation
from almanac.families.planner.links.blockers import refuse_cycle
from almanac.families.planner.links.changes import LinkChanges
from almanac.families.planner.links.items import find_item, find_items
from almanac.families.planner.links.linked_events import add_event_link, rename_event_links
from almanac.kernel.errors import InvalidInput, NotFound
from almanac.platform.store.port import Change
from almanac.platform.store.records import replace as versioned


def link_items(
    planner: Planner, source: str, source_type: ItemKind, target: str, target_type: ItemKind, relation: Relation
) -> tuple[Link, bool]:
    """Link two items. Return the link, and whether it is new. Raises NotFound, and Conflict for a cycle."""

    def attempt() -> tuple[Link, bool]:
        head = planner.rows(BLOCKS_HEADS).get() if relation == "blocks" else None
        one, other = find_item(planner, source, source_type), find_item(planner, target, target_type)
        if one.id == other.id:
            raise InvalidInput("An item cannot be linked to itself.", "Give two different items.", path="toItemId")
        existing = planner.rows(LINKS).get(one.id, "out", relation, other.id)
        if existing is not None:
            return existing, False
        links = LinkChanges(planner)
        link = links.add(one.id, source_type, relation, other.id, target_type)
        changes = links.changes()
        # Events bring checks of their own.
        changes += [item.check for item in (one, other) if item.check is not None]
        if relation == "blocks":
            refuse_cycle(planner, one.id, other.id)
            changes.append(_raise_head(planner, head))
        if relation == "references" and _has_event_links(one.id) and _is_event(other.id):
            owner = add_event_link(planner, one.id, other.id)
            changes = [change for change in changes if change.key not in {each.key for each in owner}] + owner
        changes += planner.emit("item_linked", source_type, one.id, _payload(link, one.title, other.title))
        planner.store.write(changes)
        return link, True

    return planner.retry_on_conflict(attempt)


def unlink_items(planner: Planner, source: str, target: str, relation: Relation) -> None:
    """Remove a link. Raises NotFound if there is none."""

    def attempt() -> None:
        link = planner.rows(LINKS).get(source, "out", relation, target) if source and target else None
        if link is None:
            raise NotFound(
                f'There is no {relation} link from "{source[:80]}" to "{target[:80]}".',
                "items_list_links lists the links of an item; check the direction and relationType.",
            )
        links = LinkChanges(planner)
        links.remove(link)
        changes = links.changes()
        if relation == "references" and _has_event_links(source):
            changes += rename_event_links(planner, source, {target: None})
        items = find_items(planner, [source, target])
        titles = (items[one].title if one in items else None for one in (source, target))
        changes += planner.emit("item_unlinked", link.item_type, source, _payload(link, *titles))
        planner.store.write(changes)

    planner.retry_on_conflict(attempt)


def _payload(link: Link, title: str | None, other_title: str | None) -> dict[str, str | None]:
    return {
        "title": title,
        "to_item_id": link.other,
        "to_item_type": link.other_type,
        "to_title": other_title,
        "relation_type": link.relation,
    }


def _raise_head(planner: Planner, head: BlocksHead | None) -> Change:
    """Return the change that makes the second of two concurrent blocks links retry, so that no cycle closes
    unnoticed."""
    rows = planner.rows(BLOCKS_HEADS)
    return rows.insert(BlocksHead()) if head is None else versioned(rows, head)


def _is_event(item: str) -> bool:
    return not item.startswith((CARD, NOTE, LOG))


def _has_event_links(item: str) -> bool:
    return item.startswith((CARD, NOTE))
