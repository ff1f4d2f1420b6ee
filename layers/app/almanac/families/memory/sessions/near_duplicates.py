"""Which memories say nearly the same as a new summary. They are reported, never merged."""

from almanac.families.memory.core.likeness import NEARLY_SAME, alike, shingles_of
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import Memory, MemoryKind
from almanac.families.memory.sessions.known_text import newest

COMPARED = 200
REPORTED = 20
_KINDS: tuple[MemoryKind, ...] = ("pinned", "semantic", "consolidated")


def near_duplicates(project: MemoryProject, memory: Memory) -> list[tuple[str, str]]:
    """Pairs of its id and that of another, the most alike first; of the newest 200 memories of the project."""
    others = [one for kind in _KINDS for one in newest(project, kind, COMPARED) if one.id != memory.id]
    others.sort(key=lambda one: one.at, reverse=True)
    shingles = shingles_of(memory.content)
    found = [(alike(shingles, shingles_of(one.content)), one.id) for one in others[:COMPARED]]
    found.sort(key=lambda one: (-one[0], one[1]))
    return [(memory.id, other) for likeness, other in found[:REPORTED] if likeness >= NEARLY_SAME]
