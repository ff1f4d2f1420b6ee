"""Find the memories that a memory superseded, and the facts that it ended."""

from collections.abc import Sequence

from msgspec import Struct

from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES, is_readable
from almanac.families.memory.edges.records import EDGES
from almanac.kernel.owners import may_see

MOST = 50
_EDGES_READ = 200


class SupersededItems(Struct, frozen=True):
    """Ids of superseded memories and ended facts, at most 50 each. `more`: there may be others."""

    memories: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    more: bool = False

    def __bool__(self) -> bool:
        return bool(self.memories or self.facts)

    def notes(self, name: str, *, may_restore: bool, may_connect: bool) -> tuple[str, ...]:
        """Return notes for a caller that forgets the memory `name`: which items stay hidden, how to restore them."""
        return tuple(self._sentences(name, may_restore=may_restore, may_connect=may_connect)) if self else ()

    def _sentences(self, name: str, *, may_restore: bool, may_connect: bool) -> Sequence[str]:
        sentences: list[str] = []
        if self.memories:
            back = (
                " forget_memory with restore=true and the id of one brings it back."
                if may_restore
                else " A key with the family memory can restore them."
            )
            sentences.append(
                f"{name} had superseded {', '.join(self.memories[:3])}{_others(self.memories)}, still hidden.{back}"
            )
        if self.facts:
            back = f" create_edge {name} supersedes <fact>, with remove=true, takes that back." if may_connect else ""
            sentences.append(f"{name} had ended {', '.join(self.facts[:3])}{_others(self.facts)}, still ended.{back}")
        return sentences


def _others(ids: Sequence[str]) -> str:
    return f" and {len(ids) - 3} more" if len(ids) > 3 else ""


def find_superseded(project: MemoryProject, memory_id: str) -> SupersededItems:
    """Return the memories and facts that the memory's edges hide and the caller may see.

    Originals of a summary are not included, because they come back by themselves."""
    memories: dict[str, None] = {}
    facts: dict[str, None] = {}
    more, now = False, project.now()
    for place in project.searched_projects:
        edges = place.rows(EDGES).query(memory_id, "supersedes", limit=_EDGES_READ)
        more = more or edges.cursor is not None
        if may_see(project.families, "memories"):
            targets = [edge.dst for edge in edges.records if edge.dst_kind != "fact"]
            for home in project.reach:
                memories_here = home.rows(MEMORIES).by_id(targets).values()
                hidden = (
                    memory.id
                    for memory in memories_here
                    if memory.superseded_by == memory_id and is_readable(memory, now)
                )
                memories |= dict.fromkeys(hidden)
        if may_see(project.families, "facts"):
            ended = (edge for edge in edges.records if edge.dst_kind == "fact" and edge.effects and edge.effects.closed)
            facts |= dict.fromkeys(edge.dst for edge in ended)
    more = more or max(len(memories), len(facts)) > MOST
    return SupersededItems(tuple(memories)[:MOST], tuple(facts)[:MOST], more)
