"""Links made and removed one by one."""

from almanac.families.planner.core.item_kinds import CARD, LOG, NOTE, ItemKind
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import BLOCKS_HEADS, LINKS, BlocksHead, Link, Relation
from almanac.families.planner.links.blockers import refuse_cycle
from almanac.families.planner.links.changes import LinkChanges
from almanac.families.planner.links.items import find_item, known_items
from almanac.families.planner.links.linked_events import with_event, with_other_events
from almanac.kernel.errors import InvalidInput, NotFound
from almanac.platform.store.conditions import Absent, Equals
from almanac.platform.store.port import Change, ConditionFailed


def link_items(
    planner: Planner, source: str, source_type: ItemKind, target: str, target_type: ItemKind, relation: Relation
) -> tuple[Link, bool]:
    """The link, and whether it is new. Raises NotFound for an item that is not there, Conflict for a circle."""
    rows = LINKS.within(planner.store, planner.scope)
    for _ in planner.patience("the item"):
        head = BLOCKS_HEADS.within(planner.store, planner.scope).get() if relation == "blocks" else None
        one, other = find_item(planner, source, source_type), find_item(planner, target, target_type)
        if one.id == other.id:
            raise InvalidInput("An item cannot be linked to itself.", "Give two different items.", path="toItemId")
        known = rows.get(one.id, "out", relation, other.id)
        if known is not None:
            return known, False
        links = LinkChanges(planner)
        made = links.add(one.id, source_type, relation, other.id, target_type)
        changes = links.changes()
        # Events bring checks of their own.
        changes += [item.check for item in (one, other) if item.check is not None]
        if relation == "blocks":
            refuse_cycle(planner, one.id, other.id)
            changes.append(_fenced(planner, head))
        if relation == "references" and _keeps_events(one.id) and _is_event(other.id):
            owner = with_event(planner, one.id, other.id)
            changes = [change for change in changes if change.key not in {each.key for each in owner}] + owner
        payload = {
            "title": one.title,
            "to_item_id": other.id,
            "to_item_type": target_type,
            "to_title": other.title,
            "relation_type": relation,
        }
        changes += planner.tell("item_linked", source_type, one.id, payload)
        try:
            planner.store.write(changes)
        except ConditionFailed:
            continue
        return made, True
    raise AssertionError("patience ends by raising")


def unlink_items(planner: Planner, source: str, target: str, relation: Relation) -> None:
    """Raises NotFound where there is no such link."""
    rows = LINKS.within(planner.store, planner.scope)
    for _ in planner.patience("the item"):
        link = rows.get(source, "out", relation, target) if source and target else None
        if link is None:
            raise NotFound(
                f'There is no {relation} link from "{source[:80]}" to "{target[:80]}".',
                "items_list_links lists the links of an item; check the direction and relationType.",
            )
        links = LinkChanges(planner)
        links.remove(link)
        changes = links.changes()
        if relation == "references" and _keeps_events(source):
            changes += with_other_events(planner, source, {target: None})
        known = known_items(planner, [source, target])
        payload = {
            "title": known[source].title if source in known else None,
            "to_item_id": target,
            "to_item_type": link.other_type,
            "to_title": known[target].title if target in known else None,
            "relation_type": relation,
        }
        changes += planner.tell("item_unlinked", link.item_type, source, payload)
        try:
            planner.store.write(changes)
        except ConditionFailed:
            continue
        return
    raise AssertionError("patience ends by raising")


def _fenced(planner: Planner, head: BlocksHead | None) -> Change:
    """Of two links of the relation blocks that are made at once, the second one is made on a fresh reading."""
    rows = BLOCKS_HEADS.within(planner.store, planner.scope)
    if head is None:
        return rows.put(BlocksHead(), Absent())
    return rows.put(BlocksHead(version=head.version + 1), Equals("version", head.version))


def _is_event(item: str) -> bool:
    return not item.startswith((CARD, NOTE, LOG))


def _keeps_events(item: str) -> bool:
    return item.startswith((CARD, NOTE))
