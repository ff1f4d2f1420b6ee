"""Find memories that name a path, for an agent that claims the path."""

from collections.abc import Mapping

from almanac.families.memory.core.records import MEMORIES, Memory, MemoryKind, is_remembered
from almanac.platform.declaration.path_context import LatestNotes, NoteKind, PathNote, PathQuestion

KINDS: tuple[MemoryKind, ...] = ("pinned", "semantic")
_NOTE_KINDS: Mapping[str, NoteKind] = {"decision": "decision", "constraint": "constraint"}


def about_paths(question: PathQuestion) -> LatestNotes:
    """Return the memories whose text or place names the path."""
    rows = MEMORIES.within(question.store, question.scope)
    latest = [rows.query(kind, index="gsi1", reverse=True, limit=question.most).records for kind in KINDS]
    matching = [
        memory for some in latest for memory in some if is_remembered(memory, question.now) and _names(question, memory)
    ]
    return LatestNotes([*map(_note, matching)], is_cut=any(len(some) == question.most for some in latest))


def _names(question: PathQuestion, memory: Memory) -> bool:
    return question.names(memory.content) or (memory.place is not None and question.names(memory.place))


def _note(memory: Memory) -> PathNote:
    kind: NoteKind = _NOTE_KINDS.get(memory.type or "", "memory")
    rank = 1 if kind == "memory" else 0
    return PathNote(kind=kind, id=memory.id, text=memory.content, at=memory.at, actor=memory.actor, rank=rank)
