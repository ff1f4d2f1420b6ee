"""Changes to links, as parts of a write: each link at both of its ends, with the heads that fence them."""

from collections.abc import Sequence

from msgspec.structs import replace

from almanac.families.calendar.entries.records import POINTERS
from almanac.families.planner.core.item_kinds import CARD, NOTE, ItemKind
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import LINK_HEADS, LINKS, Link, LinkHead, Relation, Side
from almanac.families.planner.core.unfinished import Unfinished, work_changes
from almanac.families.planner.events.native import find_event
from almanac.families.planner.links.linked_events import with_other_events
from almanac.kernel.errors import LimitExceeded, NotFound
from almanac.platform.store.conditions import Absent, Equals
from almanac.platform.store.keys import Key
from almanac.platform.store.port import Change, Check
from almanac.platform.store.records import replace as versioned

MAX_LINKS = 500
"""Of one item."""
LINKS_AT_ONCE = 15
"""Of items that go, in one write: each takes up to five changes."""


class LinkChanges:
    """Adds and removes links; a head is read before its links, so that `changes` fails where they changed since."""

    def __init__(self, planner: Planner) -> None:
        self._planner = planner
        self._rows = planner.rows(LINKS)
        self._heads = planner.rows(LINK_HEADS)
        self._read: dict[str, LinkHead | None] = {}
        self._touched: dict[str, int] = {}
        self._watched: set[str] = set()
        self._dropped: set[str] = set()
        self.left: list[Unfinished] = []
        self._let = 0
        self._gone_already: set[str] = set()
        self._ends: dict[Key, Change] = {}
        self._required: dict[Key, Change] = {}
        self._owners: dict[str, dict[str, str | None]] = {}

    def watch(self, item: str) -> None:
        """The write fails where links of the item change from now on."""
        self._head(item)
        self._watched.add(item)

    def add(self, source: str, source_type: ItemKind, relation: Relation, target: str, target_type: ItemKind) -> Link:
        """A new link from `source` to `target`. Raises NotFound where an end of it is an event that does not stand."""
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
        for one in (out, _seen_from_other_end(out)):
            put = self._rows.put(one)
            self._ends[put.key] = put
        return out

    def remove(self, link: Link) -> None:
        """A link as seen from either end is gone."""
        self._count(link.item, -1)
        self._count(link.other, -1)
        for one in (link, _seen_from_other_end(link)):
            delete = self._rows.delete(one.item, one.side, one.relation, one.other)
            self._ends[delete.key] = delete

    def drop(self, item: str) -> None:
        """Every link of an item that goes with this write; what names it as an event link no longer does.

        More than fit into the write go after it: nobody is shown links to what is gone.
        """
        room = LINKS_AT_ONCE - self._let
        links = self._some_of(item, room + 1)
        if len(links) <= room:
            self._let_go(links)
            self._dropped.add(item)
        else:
            self.left.append(Unfinished(item=item, task="links"))
            self._touched.setdefault(item, 0)

    def count(self, item: str) -> int:
        """How many links it has."""
        head = self._head(item)
        return head.links if head is not None else 0

    def drop_some(self, links: Sequence[Link]) -> None:
        """Links of items that are gone already, at most 15."""
        for item in dict.fromkeys(link.item for link in links):
            self._gone_already.add(item)
        self._let_go(links)

    def rename(self, link: Link, item: str) -> None:
        """The end at `link.item` is called `item` from now on."""
        self.remove(link)
        ends = (item, link.item_type, link.other, link.other_type)
        source, source_type, target, target_type = ends if link.side == "out" else (*ends[2:], *ends[:2])
        self._put(source, source_type, link.relation, target, target_type)
        self._forget_event(link, item)

    def rename_all(self, links: Sequence[Link], items: Sequence[str]) -> None:
        """As `rename`, of items that are gone. Of links that would be one and the same, one is left."""
        made: set[tuple[object, ...]] = set()
        for link, item in zip(links, items, strict=True):
            self._gone_already.add(link.item)
            key = (item, link.side, link.relation, link.other)
            if key in made or item == link.other or self._stays(*key):
                self.remove(link)
                self._forget_event(link, None)
            else:
                self.rename(link, item)
                made.add(key)

    def _stays(self, item: str, side: Side, relation: Relation, other: str) -> bool:
        """Whether the link stands and is not taken away by this write."""
        stands = self._rows.get(item, side, relation, other) is not None
        return stands and self._rows.key(item, side, relation, other) not in self._ends

    def changes(self) -> list[Change]:
        touched = self._touched.keys() - self._dropped
        watched = self._watched - touched - self._dropped
        changes = list(self._ends.values())
        changes += self._required.values()
        changes += [self._raised(item, self._touched[item]) for item in sorted(touched)]
        changes += [self._unchanged(item) for item in sorted(watched)]
        changes += [self._gone(item) for item in sorted(self._dropped)]
        for work in self.left:
            changes += work_changes(self._planner, work)
        for owner, events in self._owners.items():
            if owner not in self._dropped:
                changes += with_other_events(self._planner, owner, events)
        return changes

    def _require_event(self, event_id: str) -> None:
        agenda, found = find_event(self._planner, event_id)
        if agenda.named(found.id) != event_id:
            raise NotFound(f'Event not found: "{event_id[:80]}".', f"Its id is {agenda.named(found.id)}.")
        key = self._planner.rows(POINTERS).key(agenda.calendar.id, found.pointer.id)
        self._required[key] = Check(key, Equals("state", "stands"))

    def _let_go(self, links: Sequence[Link]) -> None:
        self._let += len(links)
        for link in links:
            self.remove(link)
            self._forget_event(link, None)

    def _forget_event(self, link: Link, renamed: str | None) -> None:
        """A card or a note that keeps the item of the link among its events knows it by another name, or not at all."""
        if link.side == "in" and link.relation == "references" and link.other.startswith((CARD, NOTE)):
            self._owners.setdefault(link.other, {})[link.item] = renamed

    def _some_of(self, item: str, limit: int) -> Sequence[Link]:
        self._head(item)
        return self._rows.query(item, limit=limit).records

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

    def _raised(self, item: str, by: int) -> Change:
        head = self._read[item]
        if head is None:
            return self._heads.insert(LinkHead(item=item, links=by))
        if item in self._gone_already and head.links + by <= 0:
            return self._gone(item)
        return versioned(self._heads, replace(head, links=head.links + by))

    def _unchanged(self, item: str) -> Change:
        head = self._read[item]
        return Check(self._heads.key(item), Absent() if head is None else Equals("version", head.version))

    def _gone(self, item: str) -> Change:
        head = self._read[item]
        if head is None:
            return self._unchanged(item)
        return self._heads.delete(item, condition=Equals("version", head.version))


def _seen_from_other_end(link: Link) -> Link:
    return replace(
        link,
        item=link.other,
        side="in" if link.side == "out" else "out",
        other=link.item,
        item_type=link.other_type,
        other_type=link.item_type,
    )
