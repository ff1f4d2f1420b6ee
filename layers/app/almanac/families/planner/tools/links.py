"""Tools that link items."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from almanac.families.planner.core.days import time_in_zone
from almanac.families.planner.core.item_kinds import ItemKind
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import LINKS, Relation
from almanac.families.planner.core.results import Result, planner_tool, success
from almanac.families.planner.links.items import find_item, find_items
from almanac.families.planner.links.link_items import link_items, unlink_items
from almanac.families.planner.texts.display_texts import display_text
from almanac.families.planner.tools.arguments import Zone, clamp
from almanac.kernel.errors import InvalidInput
from almanac.protocol.tool import Effect

ItemId = Annotated[str, Meta(description="Any item.", max_length=1100)]
KindOfItem = Annotated[ItemKind, Meta(description="task: a card or a task. log: a journal entry.")]
Related = Annotated[
    Relation,
    Meta(description="From first to second. Default: references."),
]


class LinkEnds(msgspec.Struct, frozen=True, rename="camel"):
    """`created` false: the link was there before."""

    from_item_id: str
    from_item_type: ItemKind
    to_item_id: str
    to_item_type: ItemKind
    relation_type: Relation
    created: bool


class UnlinkAnswer(msgspec.Struct, frozen=True, rename="camel"):
    from_item_id: str
    to_item_id: str
    relation_type: Relation
    removed: bool


class LinkRow(msgspec.Struct, frozen=True, rename="camel"):
    """`direction` out: from the requested item to the other one. `item_*` are of the other one. `text_notes`, if any:
    suspicious parts of its title."""

    direction: Literal["in", "out"]
    relation_type: Relation
    from_item_id: str
    to_item_id: str
    item_id: str
    item_type: ItemKind
    item_title: str
    item_date: str | None
    item_done: bool | None
    created_at: str
    text_notes: list[str] | UnsetType = UNSET


class LinkList(msgspec.Struct, frozen=True, rename="camel"):
    item_id: str
    links: list[LinkRow]
    count: int
    truncated: bool
    next_cursor: str | None
    untrusted: bool = True


@planner_tool(title="Link two items", effect=Effect.SETS)
def items_link(
    from_item_id: ItemId,
    from_item_type: KindOfItem,
    to_item_id: ItemId,
    to_item_type: KindOfItem,
    relation_type: Related | None = None,
    *,
    planner: Planner,
) -> Result[LinkEnds]:
    """Link two items of the planner: connect, attach or relate a note, card, task or journal entry to another, or
    record that one belongs to, depends on, blocks or is blocked by it (blocking). For memories or facts use
    create_edge.
    """
    link, created = link_items(
        planner, from_item_id, from_item_type, to_item_id, to_item_type, relation_type or "references"
    )
    return success(LinkEnds(link.item, link.item_type, link.other, link.other_type, link.relation, created))


@planner_tool(title="Unlink two items", effect=Effect.REMOVES)
def items_unlink(
    from_item_id: ItemId,
    to_item_id: ItemId,
    relation_type: Related | None = None,
    *,
    planner: Planner,
) -> Result[UnlinkAnswer]:
    """Unlink two items of the planner: cut, detach or take away the link between a note or card and another, or end a
    dependency, so that a task is no longer blocked by the other.
    """
    relation = relation_type or "references"
    unlink_items(planner, from_item_id.strip(), to_item_id.strip(), relation)
    return success(UnlinkAnswer(from_item_id.strip(), to_item_id.strip(), relation, True))


@planner_tool(title="List links of an item", effect=Effect.READS)
def items_list_links(
    item_id: ItemId,
    limit: Annotated[float | None, Meta(description="1 to 100.")] = None,
    cursor: Annotated[str | None, Meta(description="The last nextCursor.")] = None,
    timezone: Zone = None,
    *,
    planner: Planner,
) -> Result[LinkList]:
    """List what is linked, connected, attached or related to a card, note, meeting or task: the notes that belong to
    it, its dependencies, what is blocking it. For memories and facts use list_edges.
    """
    planner = planner.in_zone_if_any(timezone)
    item = find_item(planner, item_id) if item_id.strip() else None
    if item is None:
        raise InvalidInput("itemId is empty.", "Give the id of an item.", path="itemId")
    rows, following = link_rows(planner, item.id, clamp(limit, 100, 1, 100), cursor)
    return success(LinkList(item.id, rows, len(rows), following is not None, following))


def link_rows(planner: Planner, item: str, limit: int, cursor: str | None) -> tuple[list[LinkRow], str | None]:
    """Return a page of links of an item, in both directions, and the cursor of the next page."""
    page = planner.rows(LINKS).query(item, limit=limit, cursor=cursor)
    links = page.records
    known = find_items(planner, [link.other for link in links])
    rows: list[LinkRow] = []
    for link in links:
        other = known.get(link.other)
        if other is None:
            # The other item was deleted, and the link will follow.
            continue
        title, notes = display_text("title", other.title)
        source, target = (link.item, link.other) if link.side == "out" else (link.other, link.item)
        row = LinkRow(
            direction=link.side,
            relation_type=link.relation,
            from_item_id=source,
            to_item_id=target,
            item_id=link.other,
            item_type=link.other_type,
            item_title=title,
            item_date=other.date,
            item_done=other.done,
            created_at=time_in_zone(planner, link.created_at),
            text_notes=notes,
        )
        rows.append(row)
    return rows, page.cursor
