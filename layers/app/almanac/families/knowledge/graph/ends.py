"""The ends of edges: what stands under an id, be it kept by memory, by knowledge or by the planner."""

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

from almanac.content import clean
from almanac.families.knowledge.core.knowledge import Knowledge, PlannerOpener
from almanac.families.knowledge.core.names import name_key, tidied
from almanac.families.knowledge.core.records import FACTS, PLACES, SUBJECTS, Fact
from almanac.families.memory.core.records import MEMORIES, TURNS, Memory, Turn, is_readable
from almanac.families.memory.edges.records import EDGES, Edge, EdgeKind
from almanac.families.memory.edges.sources import data_of, kind_of, may_be_id, records_of
from almanac.families.planner.links.items import known_items
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
"""Characters: names of facts have up to 256, and ids of events elsewhere are longer than ours."""


class End(Struct, frozen=True):
    """`id` as it is stored in edges. `title` is a text of its own, whole. `record`: what memory or knowledge keeps
    of it. `shared`: it is among the memories that projects share."""

    id: str
    what: What
    title: str
    record: Turn | Memory | Fact | None = None
    shared: bool = False


def canonical(end_id: str) -> str:
    """The id under which edges know it: names that are the same have one. Raises InvalidInput for a blank one."""
    stripped = end_id.strip()
    name = tidied(stripped.removeprefix(SUBJECT))
    if not name:
        raise InvalidInput("One end of the edge is blank.", "Give the id of a thing, or subject: and a name.")
    return subject_id(name) if stripped.startswith(SUBJECT) else stripped


def shown_id(end_id: str, end: End | None) -> str:
    """The id as answers show it, which can be sent back: the whole name of a subject, without invisible characters."""
    if not end_id.startswith(SUBJECT):
        return end_id
    return SUBJECT + clean(end.title if end else end_id.removeprefix(SUBJECT)).text


def subject_id(name: str) -> str:
    """The end that stands for a name of facts."""
    return SUBJECT + name_key(tidied(name))


class Ends:
    """Finds edges and their ends in one project, and among the memories that it shares.

    A new edge is kept where both of its ends are. It stays there when one of them is promoted, and goes with the
    second: whoever sees both ends finds it.
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

    def existing(self, end_id: str, path: str) -> End:
        """The end with this canonical id. Raises NotFound for an unknown and for a forgotten one; `path` names the
        argument."""
        end = self.find([end_id]).get(end_id)
        if end is None or not self.may_see(end.what, end.id):
            raise NotFound(
                f"{path}: there is nothing with the id {end_id[:80]!r} in this project.",
                "Use the id of a turn, memory, fact, note, journal entry, event, task or card, or subject: and a name "
                f"that facts have.{self._lacking()}",
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
        """Return where the thing is stored."""
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

    def standing(self, src: str, kind: EdgeKind, dst: str) -> "tuple[Knowledge, Edge] | None":
        """The edge, and where it is kept; None where there is none."""
        for home in self.knowledge.reach:
            edge = home.rows(EDGES).get(src, kind, dst)
            if edge is not None:
                return home, edge
        return None

    def may_see(self, what: str, end_id: str) -> bool:
        """Tell whether the caller's key has a family that owns this end, or what was there."""
        return may_see(self.knowledge.memory.families, data_of(what, end_id))

    def check_seen(self, edge: Edge) -> None:
        """Raises NotFound for an edge of which the key may not see both ends."""
        if not self.may_see(edge.src_kind, edge.src) or not self.may_see(edge.dst_kind, edge.dst):
            raise NotFound(
                f"The API key may not see both ends of the edge {edge.src[:80]} {edge.kind} {edge.dst[:80]}.",
                self._lacking().strip(),
            )

    def _lacking(self) -> str:
        left_out = left_out_by_key(self.knowledge.memory.families, _DATA)
        return "".join(f" {note}" for note in left_out)

    def as_read(self, end: End) -> list[Change]:
        """Return the checks that make a write fail if the end changed since it was read; none for items of the planner,
        which may go at any time and leave their edges."""
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
        keys = [one.removeprefix(SUBJECT) for one in ids]
        names = self.knowledge.rows(SUBJECTS).by_id(keys)
        return {SUBJECT + key: End(SUBJECT + key, "subject", one.subject) for key, one in names.items()}

    def _facts(self, ids: Iterable[str]) -> list[tuple[str, Fact]]:
        places = self.knowledge.rows(PLACES).by_id(sorted(one for one in ids if may_be_id(one))).values()
        keys = [(one.subject_key, one.predicate_key, one.valid_from, one.id) for one in places]
        facts = self.knowledge.rows(FACTS).get_many(keys)
        return [(fact.id, fact) for fact in facts if fact is not None]

    def _items(self, ids: Iterable[str]) -> dict[str, End]:
        different = sorted(ids)
        try:
            items = known_items(self._planner.open(), different)
        except InvalidInput:
            # A text that can be no id of an event: the others are found without it.
            if len(different) < 2:
                return {}
            return {one: end for each in different for one, end in self._items([each]).items()}
        return {one: End(one, item.type, item.title) for one, item in items.items()}
