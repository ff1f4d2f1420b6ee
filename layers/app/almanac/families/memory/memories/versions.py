"""Earlier versions of memories, kept with the memory for as long as it is kept.

They lie in the memory's own record, so they move, are exported, and end with it: of what was forgotten nothing is left
behind. `memory_changes` names the memories that are not any more what they were.
"""

import msgspec
from msgspec import Struct
from msgspec.structs import replace as altered

from almanac.families.memory.core.history import had_other_text, was_shown, worded_at
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES, Earlier, Memory
from almanac.families.memory.memories.records import CHANGES, MemoryChange
from almanac.platform.store.port import Change

MOST = 10
MOST_BYTES = 32 * 1024
KEPT_MS = 366 * 86_400_000
MOST_CHANGED = 300
_LOOKED_AT = 200
_TEXTS = ("kind", "content", "tags", "metadata", "type", "weight", "place")


class LostVersion(Struct, frozen=True):
    """The memory said something else then, which is not kept."""

    id: str


class ChangedMemories(Struct, frozen=True):
    """Memories that are not any more what they were, each with the project that keeps it. `cut`: there are more than
    were looked at."""

    memories: tuple[tuple[Memory, MemoryProject], ...]
    cut: bool


def with_earlier(old: Memory, new: Memory, now: int) -> Memory:
    """`new`, which is written in place of `old` now, with what `old` was: the last 10 versions of a year, of 32 KB in
    all."""
    if same_texts(old, new):
        return new
    kept = [each for each in old.earlier if each.until > now - KEPT_MS]
    # A promotion may have made another kind of it.
    since = max(worded_at(old), old.earlier[-1].until if old.earlier else 0)
    if since < now:
        kept.append(Earlier(since=since, until=now, **{name: getattr(old, name) for name in _TEXTS}))
    kept = kept[-MOST:]
    while sum(len(msgspec.json.encode(each)) for each in kept) > MOST_BYTES:
        kept.pop(0)
    return altered(new, earlier=tuple(kept))


def same_texts(one: Memory, other: Memory) -> bool:
    return all(getattr(one, name) == getattr(other, name) for name in _TEXTS)


def changed_now(project: MemoryProject, memory_id: str) -> Change:
    """The change that notes when a memory got another text, or was hidden or shown. Write it together with that
    change."""
    now = project.now()
    return project.rows(CHANGES).put(MemoryChange(until=now, memory=memory_id, expires_at=now + KEPT_MS))


def changed_since(project: MemoryProject, as_of: int) -> ChangedMemories:
    """The memories of the project that changed after `as_of`, except deleted ones; some may have been promoted since.
    Of memories superseded before changes were noted, only the newest are found."""
    rows = project.rows(CHANGES).query(since=as_of + 1, limit=MOST_CHANGED + 1).records
    left = list(dict.fromkeys(row.memory for row in rows[:MOST_CHANGED]))
    found: list[tuple[Memory, MemoryProject]] = []
    for place in project.reach:
        memories = place.rows(MEMORIES).by_id(left)
        found += [(memory, place) for memory in memories.values()]
        left = [one for one in left if one not in memories]
    known = {memory.id for memory, _ in found}
    for kind in ("semantic", "pinned"):
        of_then = project.rows(MEMORIES).query(kind, index="gsi1", until=as_of + 1, reverse=True, limit=_LOOKED_AT)
        hidden = (one for one in of_then.records if (one.superseded_at or 0) > as_of and one.id not in known)
        found += [(memory, project) for memory in hidden]
    return ChangedMemories(tuple(found), len(rows) > MOST_CHANGED)


def was_then(project: MemoryProject, memory: Memory, as_of: int) -> Memory | LostVersion | None:
    """Return a memory as the project knew it at an instant; None if it was not recorded there, or was hidden."""
    if not was_shown(memory, as_of) or (project.is_shared and as_of < (memory.promoted_at or 0)):
        return None
    for each in memory.earlier:
        if each.since <= as_of < each.until:
            texts = {name: getattr(each, name) for name in _TEXTS}
            return altered(memory, **texts, superseded_at=None, superseded_by=None)
    if had_other_text(memory, as_of):
        return LostVersion(memory.id)
    return altered(memory, superseded_at=None, superseded_by=None)
