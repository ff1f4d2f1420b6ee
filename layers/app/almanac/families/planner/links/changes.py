"""Changes to links as parts of a write. Each link is stored at both ends, with a head at each that detects
conflicts."""

from collections.abc import Sequence

from msgspec.structs import replace

from almanac.families.calendar.entries.records import POINTERS
from almanac.families.planner.core.item_kinds import CARD, NOTE, ItemKind
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import LINK_HEADS, LINKS, Link, LinkHead, Relation, Side
from almanac.families.planner.core.unfinished_work import UnfinishedWork, work_changes
from almanac.families.planner.events.native import find_event
from almanac.families.planner.links.linked_events import rename_event_links
from almanac.kernel.errors import LimitExceeded, NotFound
from almanac.platform.store.conditions import Absent, Equals
from almanac.platform.store.keys import Key
from almanac.platform.store.port import Change, Check
from almanac.platform.store.records import replace as versioned

MAX_LINKS = 500
"""Maximum links of one item."""
_MOST_BLOCKERS = 100
"""Maximum blockers stored in the head of an item, where reading them needs no query for each."""
LINKS_AT_ONCE = 15
"""Deletions in one write. Each takes up to five changes."""


class LinkChanges:
    """Additions and removals of links. A head is read before its links, so that the write fails if they changed
    since."""

    def __init__(self, planner: Planner) -> None:
        self._planner = planner
        self._rows = planner.rows(LINKS)
        self._heads = planner.rows(LINK_HEADS)
        self._read: dict[str, LinkHead | None] = {}
        self._touched: dict[str, int] = {}
        self._blocks: dict[str, dict[str, bool]] = {}
        self._watched: set[str] = set()
        self._dropped: set[str] = set()
        self.left: list[UnfinishedWork] = []
        self._removals = 0
        self._deleted_before: set[str] = set()
        self._ends: dict[Key, Change] = {}
        self._required: dict[Key, Change] = {}
        self._owners: dict[str, dict[str, str | None]] = {}

    def watch(self, item: str) -> None:
        """Make the write fail where links of the item change from now on."""
        self._head(item)
        self._watched.add(item)

    def add(self, source: str, source_type: ItemKind, relation: Relation, target: str, target_type: ItemKind) -> Link:
        """Add a link. Raises NotFound for an event that does not exist."""
        for item, kind in ((source, source_type), (target, target_type)):
            if kind in ("event", "task") and not item.startswith(CARD):
                self._require_event(item)
        return self._put(source, source_type, relation, target, target_type)

    def _put(self, source: str, source_type: ItemKind, relation: Relation, target: str, target_type: ItemKind) -> Link:
        self._count(source, 1)
        self._count(target, 1)
        out = Link(
            item=source,
            side="out",
            relation=relation,
            other=target,
            item_type=source_type,
            other_type=target_type,
            created_at=self._planner.now_ms(),
            created_by=self._planner.actor,
        )
        for one in (out, _reverse(out)):
            put = self._rows.put(one)
            self._ends[put.key] = put
        self._note_blocks(out, stands=True)
        return out

    def relink(self, item: str, kind: ItemKind, old: Sequence[str], new: Sequence[str]) -> None:
        """Make a card or note reference the events `new` instead of `old`. Raises NotFound for an unknown event."""
        for event in old:
            if event not in new and (link := self._rows.get(item, "out", "references", event)) is not None:
                self.remove(link)
        for event in new:
            if event not in old:
                self.add(item, kind, "references", event, "event")

    def remove(self, link: Link) -> None:
        """Remove a link, as seen from either end."""
        self._count(link.item, -1)
        self._count(link.other, -1)
        for one in (link, _reverse(link)):
            delete = self._rows.delete(one.item, one.side, one.relation, one.other)
            self._ends[delete.key] = delete
        self._note_blocks(link, stands=False)

    def _note_blocks(self, link: Link, *, stands: bool) -> None:
        if link.relation == "blocks":
            blocker, blocked = (link.item, link.other) if link.side == "out" else (link.other, link.item)
            self._blocks.setdefault(blocked, {})[blocker] = stands

    def drop(self, item: str) -> None:
        """Remove all links of an item that this write deletes, and its id from event links. Links that do not fit into
        the write are left for later steps. Meanwhile readers hide links to deleted items."""
        room = LINKS_AT_ONCE - self._removals
        self._head(item)
        links = self._rows.query(item, limit=room + 1).records
        if len(links) <= room:
            self._remove_all(links)
            self._dropped.add(item)
        else:
            self.left.append(UnfinishedWork(item=item, task="links"))
            self._touched.setdefault(item, 0)

    def count(self, item: str) -> int:
        """Return the number of links of an item."""
        head = self._head(item)
        return head.links if head is not None else 0

    def drop_some(self, links: Sequence[Link]) -> None:
        """Remove at most 15 links of deleted items."""
        for item in dict.fromkeys(link.item for link in links):
            self._deleted_before.add(item)
        self._remove_all(links)

    def rename(self, link: Link, item: str) -> None:
        """Rename the end at `link.item` to `item`."""
        self.remove(link)
        ends = (item, link.item_type, link.other, link.other_type)
        source, source_type, target, target_type = ends if link.side == "out" else (*ends[2:], *ends[:2])
        self._put(source, source_type, link.relation, target, target_type)
        self._rename_event_link(link, item)

    def rename_all(self, links: Sequence[Link], items: Sequence[str]) -> None:
        """Rename ends at deleted items. If links become equal, keep one."""
        renamed: set[tuple[object, ...]] = set()
        for link, item in zip(links, items, strict=True):
            self._deleted_before.add(link.item)
            key = (item, link.side, link.relation, link.other)
            if key in renamed or item == link.other or self._exists(*key):
                self.remove(link)
                self._rename_event_link(link, None)
            else:
                self.rename(link, item)
                renamed.add(key)

    def _exists(self, item: str, side: Side, relation: Relation, other: str) -> bool:
        """Return whether the link is stored and this write does not remove it."""
        key = (item, side, relation, other)
        return self._rows.get(*key) is not None and self._rows.key(*key) not in self._ends

    def changes(self) -> list[Change]:
        touched = self._touched.keys() - self._dropped
        watched = self._watched - touched - self._dropped
        changes = list(self._ends.values())
        changes += self._required.values()
        changes += [self._update_head(item, self._touched[item]) for item in sorted(touched)]
        changes += [self._check_head(item) for item in sorted(watched)]
        changes += [self._delete_head(item) for item in sorted(self._dropped)]
        for work in self.left:
            changes += work_changes(self._planner, work)
        for owner, events in self._owners.items():
            if owner not in self._dropped:
                changes += rename_event_links(self._planner, owner, events)
        return changes

    def _require_event(self, event_id: str) -> None:
        agenda, found = find_event(self._planner, event_id)
        if agenda.located_id_of(found.id) != event_id:
            raise NotFound(f'Event not found: "{event_id[:80]}".', f"Its id is {agenda.located_id_of(found.id)}.")
        key = self._planner.rows(POINTERS).key(agenda.calendar.id, found.pointer.id)
        self._required[key] = Check(key, Equals("state", "stands"))

    def _remove_all(self, links: Sequence[Link]) -> None:
        self._removals += len(links)
        for link in links:
            self.remove(link)
            self._rename_event_link(link, None)

    def _rename_event_link(self, link: Link, renamed: str | None) -> None:
        """Rename an event link of a card or note, or remove it where `renamed` is None."""
        if link.side == "in" and link.relation == "references" and link.other.startswith((CARD, NOTE)):
            self._owners.setdefault(link.other, {})[link.item] = renamed

    def _head(self, item: str) -> LinkHead | None:
        if item not in self._read:
            self._read[item] = self._heads.get(item)
        return self._read[item]

    def _count(self, item: str, by: int) -> None:
        head = self._head(item)
        links = (head.links if head is not None else 0) + self._touched.get(item, 0) + by
        if by > 0 and links > MAX_LINKS:
            raise LimitExceeded(
                f"The item {item[:80]} has {MAX_LINKS} links, the most that one may have.",
                "Remove some with items_unlink.",
            )
        self._touched[item] = self._touched.get(item, 0) + by

    def _update_head(self, item: str, by: int) -> Change:
        head = self._read[item]
        if head is None:
            return self._heads.insert(LinkHead(item=item, links=by, blockers=self._blockers(item, ())))
        if item in self._deleted_before and head.links + by <= 0:
            return self._delete_head(item)
        blockers = self._blockers(item, blockers_of(self._planner, head))
        return versioned(self._heads, replace(head, links=head.links + by, blockers=blockers))

    def _blockers(self, item: str, stored: Sequence[str]) -> tuple[str, ...] | None:
        """Return the blockers of the item after this write; None if there are too many for its head."""
        blockers = dict.fromkeys(stored, True) | self._blocks.get(item, {})
        standing = tuple(sorted(one for one, stands in blockers.items() if stands))
        return standing if len(standing) <= _MOST_BLOCKERS else None

    def _check_head(self, item: str) -> Change:
        head = self._read[item]
        return Check(self._heads.key(item), Absent() if head is None else Equals("version", head.version))

    def _delete_head(self, item: str) -> Change:
        head = self._read[item]
        if head is None:
            return self._check_head(item)
        return self._heads.delete(item, condition=Equals("version", head.version))


def blockers_of(planner: Planner, head: LinkHead) -> Sequence[str]:
    """Return the ids of items with a `blocks` link to the item of a head."""
    if head.blockers is not None:
        return head.blockers
    links = planner.rows(LINKS).query(head.item, "in", "blocks", limit=MAX_LINKS).records
    return [link.other for link in links]


def _reverse(link: Link) -> Link:
    return replace(
        link,
        item=link.other,
        side="in" if link.side == "out" else "out",
        other=link.item,
        item_type=link.other_type,
        other_type=link.item_type,
    )
