"""Keep earlier versions of memories in the memory's own record.

The versions are moved, exported and deleted with the memory, so a deleted memory leaves nothing behind.
`memory_changes` is the index of memories that changed.
"""

import msgspec
from msgspec import Struct
from msgspec.structs import replace as altered

from almanac.families.memory.core.history import had_other_text, text_written_at, was_shown
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES, Earlier, Memory
from almanac.families.memory.memories.records import CHANGES, MemoryChange
from almanac.platform.store.port import Change

MOST = 10
MOST_BYTES = 32 * 1024
KEPT_MS = 366 * 86_400_000
MOST_CHANGED = 300
_NEWEST_READ = 200
_TEXTS = ("kind", "content", "tags", "metadata", "type", "weight", "place")


class LostVersion(Struct, frozen=True):
    """A memory whose text at that time was not kept."""

    id: str


class ChangedMemories(Struct, frozen=True):
    """Memories that changed, each with its project. `cut`: the search reached its limit."""

    memories: tuple[tuple[Memory, MemoryProject], ...]
    cut: bool


def with_earlier(old: Memory, new: Memory, now: int) -> Memory:
    """Return `new`, which replaces `old` now, with `old` among its earlier versions.

    It keeps at most 10 versions, one year and 32 KB."""
    if same_texts(old, new):
        return new
    versions = [each for each in old.earlier if each.until > now - KEPT_MS]
    # A promotion may have changed its kind.
    since = max(text_written_at(old), old.earlier[-1].until if old.earlier else 0)
    if since < now:
        versions.append(Earlier(since=since, until=now, **{name: getattr(old, name) for name in _TEXTS}))
    versions = versions[-MOST:]
    while sum(len(msgspec.json.encode(each)) for each in versions) > MOST_BYTES:
        versions.pop(0)
    return altered(new, earlier=tuple(versions))


def same_texts(memory: Memory, other: Memory) -> bool:
    return all(getattr(memory, name) == getattr(other, name) for name in _TEXTS)


def change_note(project: MemoryProject, memory_id: str) -> Change:
    """Return the change that notes that a memory was rewritten, hidden or shown now. Write both together."""
    now = project.now()
    return project.rows(CHANGES).put(MemoryChange(until=now, memory=memory_id, expires_at=now + KEPT_MS))


def find_changed(project: MemoryProject, as_of: int) -> ChangedMemories:
    """Return the project's memories that changed after `as_of`, without deleted ones.

    Some may have been promoted since. Supersessions from before this index existed are found only among the newest
    memories."""
    rows = project.rows(CHANGES).query(since=as_of + 1, limit=MOST_CHANGED + 1).records
    missing = list(dict.fromkeys(row.memory for row in rows[:MOST_CHANGED]))
    changed_memories: list[tuple[Memory, MemoryProject]] = []
    for place in project.reach:
        memories = place.rows(MEMORIES).by_id(missing)
        changed_memories += [(memory, place) for memory in memories.values()]
        missing = [memory_id for memory_id in missing if memory_id not in memories]
    ids = {memory.id for memory, _ in changed_memories}
    for kind in ("semantic", "pinned"):
        newest_then = project.rows(MEMORIES).query(
            kind, index="gsi1", until=as_of + 1, reverse=True, limit=_NEWEST_READ
        )
        hidden = (
            memory for memory in newest_then.records if (memory.superseded_at or 0) > as_of and memory.id not in ids
        )
        changed_memories += [(memory, project) for memory in hidden]
    return ChangedMemories(tuple(changed_memories), len(rows) > MOST_CHANGED)


def version_at(project: MemoryProject, memory: Memory, as_of: int) -> Memory | LostVersion | None:
    """Return a memory as it was in the project at `as_of`; None if it was not recorded yet, or was hidden."""
    if not was_shown(memory, as_of) or (project.is_shared and as_of < (memory.promoted_at or 0)):
        return None
    for each in memory.earlier:
        if each.since <= as_of < each.until:
            texts = {name: getattr(each, name) for name in _TEXTS}
            return altered(memory, **texts, superseded_at=None, superseded_by=None)
    if had_other_text(memory, as_of):
        return LostVersion(memory.id)
    return altered(memory, superseded_at=None, superseded_by=None)
