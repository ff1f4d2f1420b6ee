"""Ends of edges: lookup of things by id in memory, knowledge and the planner."""

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

from almanac.content import clean
from almanac.families.knowledge.core.knowledge import Knowledge, PlannerOpener
from almanac.families.knowledge.core.names import name_key, tidy_name
from almanac.families.knowledge.core.records import FACTS, PLACES, SUBJECTS, Fact
from almanac.families.memory.core.records import MEMORIES, TURNS, Memory, Turn, is_readable
from almanac.families.memory.edges.records import EDGES, Edge, EdgeKind
from almanac.families.memory.edges.sources import data_of, kind_of, may_be_id, records_of
from almanac.families.planner.links.items import find_items
from almanac.kernel.errors import InvalidInput, NotFound
from almanac.kernel.owners import Data, left_out_by_key, may_see
from almanac.platform.store.conditions import Equals, Present
from almanac.platform.store.port import Change, Check

What = Literal[
    "turn",
    "pinned",
    "semantic",
    "working",
    "consolidated",
    "reflection",
    "fact",
    "event",
    "task",
    "note",
    "log",
    "subject",
]
SUBJECT = "subject:"
_DATA: tuple[Data, ...] = ("turns", "memories", "facts", "events", "cards", "notes", "journal")
MAX_ID = 300
"""Maximum characters of an id. Subject names have up to 256, and event ids of other calendars are longer than ours."""


class End(Struct, frozen=True):
    """A thing at the end of an edge. `id` is the one stored in edges. `title` is its full text. `record` is its record
    in memory or knowledge; None for planner items. `shared`: it is a memory that the tenant's projects share."""

    id: str
    what: What
    title: str
    record: Turn | Memory | Fact | None = None
    shared: bool = False


def canonical(end_id: str) -> str:
    """Return the id under which edges store an end. Equal names have the same id. Raises InvalidInput for a blank
    one."""
    stripped = end_id.strip()
    name = tidy_name(stripped.removeprefix(SUBJECT))
    if not name:
        raise InvalidInput("One end of the edge is blank.", "Give the id of a thing, or subject: and a name.")
    return subject_id(name) if stripped.startswith(SUBJECT) else stripped


def display_id(end_id: str, end: End | None) -> str:
    """Return the id as results show it and callers can send it back: a subject's full name, without invisible
    characters."""
    if not end_id.startswith(SUBJECT):
        return end_id
    return SUBJECT + clean(end.title if end else end_id.removeprefix(SUBJECT)).text


def subject_id(name: str) -> str:
    """Return the id of an end that is a subject of facts."""
    return SUBJECT + name_key(tidy_name(name))


class Ends:
    """Lookup of edges and their ends in one project and in the shared one.

    A new edge is stored in the project of both its ends. It stays there when one of them is promoted, and moves with
    the second. Callers that see both ends therefore find it.
    """

    def __init__(self, knowledge: Knowledge, planner: PlannerOpener) -> None:
        self.knowledge = knowledge
        self._planner = planner

    def find(self, ids: Iterable[str]) -> dict[str, End]:
        """Return the things that exist, including forgotten ones, by their canonical ids."""
        different = set(ids)
        subjects = {one for one in different if one.startswith(SUBJECT)}
        found = self._subjects(subjects)
        others = different - subjects
        for home in self.knowledge.reach:
            known = records_of(home.memory, sorted(others - found.keys()))
            shared = home.memory.is_shared
            found |= {one: End(one, kind_of(record), record.content, record, shared) for one, record in known.items()}
        facts = self._facts(others - found.keys())
        found |= {one: End(one, "fact", f"{fact.subject} {fact.predicate} {fact.object}", fact) for one, fact in facts}
        return found | self._items(others - found.keys())

    def get_existing(self, end_id: str, path: str) -> End:
        """Return the end with this canonical id. Raises NotFound if it is unknown or forgotten. `path` names the
        argument in errors."""
        end = self.find([end_id]).get(end_id)
        if end is None or not self.may_see(end.what, end.id):
            raise NotFound(
                f"{path}: there is nothing with the id {end_id[:80]!r} in this project.",
                "Use the id of a turn, memory, fact, note, journal entry, event, task or card, or subject: and a name "
                f"that facts have.{self._missing_families()}",
            )
        if isinstance(end.record, Turn | Memory) and not is_readable(end.record, self.knowledge.now()):
            raise NotFound(
                f"{path}: {end_id} was forgotten.", "forget_memory with restore=true brings it back within 30 days."
            )
        if end.what == "working":
            raise InvalidInput(
                f"{path}: {end_id} is a working memory: it expires by itself.",
                "Keep it first: context_update with targetLayer 2, or pin_memory.",
                path=path,
            )
        return end

    def home_of(self, end: End) -> Knowledge:
        """Return the project that stores the thing."""
        return self.knowledge.reach[-1] if end.shared else self.knowledge

    def home_of_new(self, src: End, dst: End) -> Knowledge:
        """Return where a new edge between the two is stored. Raises InvalidInput if only one of them is shared, since
        users of the shared one do not see the other."""
        if src.shared == dst.shared:
            return self.home_of(src)
        shared, other = (src, dst) if src.shared else (dst, src)
        raise InvalidInput(
            f"{shared.id} is a memory that the tenant's projects share, {other.id[:80]} is not.",
            "Connect two things of this project, or two shared ones, so that whoever sees one end sees the other.",
        )

    def find_edge(self, src: str, kind: EdgeKind, dst: str) -> "tuple[Knowledge, Edge] | None":
        """Return the stored edge and its project; None if there is none."""
        for home in self.knowledge.reach:
            edge = home.rows(EDGES).get(src, kind, dst)
            if edge is not None:
                return home, edge
        return None

    def may_see(self, what: str, end_id: str) -> bool:
        """Return whether the caller's key includes the family of this end, even if the thing is gone."""
        return may_see(self.knowledge.memory.families, data_of(what, end_id))

    def check_seen(self, edge: Edge) -> None:
        """Raise NotFound for an edge if the key may not see both ends."""
        if not self.may_see(edge.src_kind, edge.src) or not self.may_see(edge.dst_kind, edge.dst):
            raise NotFound(
                f"The API key may not see both ends of the edge {edge.src[:80]} {edge.kind} {edge.dst[:80]}.",
                self._missing_families().strip(),
            )

    def _missing_families(self) -> str:
        left_out = left_out_by_key(self.knowledge.memory.families, _DATA)
        return "".join(f" {note}" for note in left_out)

    def unchanged_checks(self, end: End) -> list[Change]:
        """Return checks that make a write fail if the end changed since it was read. There are none for planner items,
        which may disappear at any time and leave their edges."""
        home = self.home_of(end)
        match end.record:
            case Turn(version=version):
                return [Check(home.rows(TURNS).key(end.id), Equals("version", version))]
            case Memory(version=version):
                return [Check(home.rows(MEMORIES).key(end.id), Equals("version", version))]
            case Fact():
                return [Check(home.rows(PLACES).key(end.id), Present())]
            case None:
                return []

    def _subjects(self, ids: Iterable[str]) -> dict[str, End]:
        keys = [id_.removeprefix(SUBJECT) for id_ in ids]
        names = self.knowledge.rows(SUBJECTS).by_id(keys)
        return {SUBJECT + key: End(SUBJECT + key, "subject", one.subject) for key, one in names.items()}

    def _facts(self, ids: Iterable[str]) -> list[tuple[str, Fact]]:
        places = self.knowledge.rows(PLACES).by_id(sorted(id_ for id_ in ids if may_be_id(id_))).values()
        keys = [(place.subject_key, place.predicate_key, place.valid_from, place.id) for place in places]
        facts = self.knowledge.rows(FACTS).get_many(keys)
        return [(fact.id, fact) for fact in facts if fact is not None]

    def _items(self, ids: Iterable[str]) -> dict[str, End]:
        different = sorted(ids)
        try:
            items = find_items(self._planner.open(), different)
        except InvalidInput:
            # Ignore ids that cannot belong to an event. The others are found without them.
            if len(different) < 2:
                return {}
            return {one: end for each in different for one, end in self._items([each]).items()}
        return {one: End(one, item.type, item.title) for one, item in items.items()}
