"""The memories behind a summary: hidden while it exists, and restored when it is deleted.

Each write handles a part of them and can be repeated, so another process can finish interrupted work.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES, Memory, is_remembered
from almanac.families.memory.edges.records import SOURCES, MemorySource
from almanac.families.memory.memories.supersession import supersede, unsupersede
from almanac.platform.store.conditions import Equals
from almanac.platform.store.port import Change, Check

ORIGINALS = "originalIds"
"""Metadata key under which a summary names its originals."""
_AT_ONCE = 19
"""Originals per write. Each needs five changes, and one more is needed for the write."""


def count_originals(project: MemoryProject, summary: Memory) -> int:
    """Return how many memories a summary replaces."""
    found = project.rows(MEMORIES).by_id(_originals_of(summary)).values()
    return sum(memory.superseded_by == summary.id for memory in found)


def restore_originals(project: MemoryProject, summary: Memory) -> int:
    """Restore the memories that a deleted summary replaced, and return how many. Forget the summary first, since
    otherwise it replaces them again. Memories that something else superseded since stay hidden."""

    def changes(memory: Memory) -> list[Change]:
        return unsupersede(project, memory, None, None) if memory.superseded_by == summary.id else []

    return sum(_each_part(project, _originals_of(summary), changes))


def supersede_originals(project: MemoryProject, summary: Memory, *, anew: bool = False) -> int:
    """Replace the originals by the summary, and return how many. Forgotten or pinned originals stay as they are, and so
    do all if the summary was forgotten. Originals that were restored from it stay too, unless `anew` is true."""

    def changes(memory: Memory) -> list[Change]:
        if memory.kind == "pinned" or not is_remembered(memory, project.now()):
            return []
        if not anew and _was_taken_by(summary, memory):
            return []
        found_from = project.rows(SOURCES).put(MemorySource(source=memory.id, memory=summary.id))
        return [*supersede(project, memory, summary.id, None), found_from]

    return sum(_each_part(project, summary.derived_from, changes, summary.id))


def _originals_of(summary: Memory) -> list[str]:
    """Return the ids of the summary's originals, even if only its metadata name them."""
    named = summary.metadata.get(ORIGINALS)
    told = [each for each in cast("list[Any]", named) if isinstance(each, str)] if isinstance(named, list) else []
    return list(dict.fromkeys([*summary.derived_from, *told]))


def _was_taken_by(summary: Memory, memory: Memory) -> bool:
    return any(step.what == "superseded" and step.at >= summary.recorded_at for step in memory.history)


def holds(project: MemoryProject, summary_id: str) -> Memory | None:
    """Return the summary if it is remembered."""
    summary = project.rows(MEMORIES).get(summary_id)
    return summary if summary is not None and is_remembered(summary, project.now()) else None


def _each_part(
    project: MemoryProject,
    ids: Sequence[str],
    changes_of: Callable[[Memory], list[Change]],
    holder: str | None = None,
) -> Iterator[int]:
    """Yield how many memories of each part were changed; none once the summary `holder` is forgotten."""
    rows = project.rows(MEMORIES)
    checks = [Check(rows.key(holder), Equals("forgotten_at", None))] if holder is not None else []
    for start in range(0, len(ids), _AT_ONCE):
        part = ids[start : start + _AT_ONCE]

        def attempt(part: Sequence[str] = part) -> int:
            if holder is not None and holds(project, holder) is None:
                return 0
            found = rows.by_id(part).values()
            changes = [some for memory in found if (some := changes_of(memory))]
            if changes:
                project.store.write([*checks, *(each for some in changes for each in some)])
            return len(changes)

        yield project.retry_on_conflict(attempt)
