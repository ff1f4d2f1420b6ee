"""Layer 1: a bounded set of working memories per session. Each lapses by itself, and the oldest make room for new
ones."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace as altered

from almanac.families.context.storage.records import WORKING_SETS, WorkingEntry, WorkingSet, set_name
from almanac.families.memory.core.memory import MemoryProject, digest_of
from almanac.families.memory.core.records import MEMORIES, Memory, is_remembered
from almanac.families.memory.memories.digests import digest_of_memory
from almanac.families.memory.memories.expiry import drop_changes
from almanac.families.memory.memories.write_plan import MemoryDraft, extend_life, redaction_rows
from almanac.platform.store.port import Change
from almanac.platform.store.records import replace

MOST = 100
"""Maximum number of working memories of one session."""
_MARK_CHARACTERS = 16


class WorkingMemory(Struct, frozen=True):
    """A working memory. `is_new` is false if the session already had the same one."""

    memory: Memory
    is_new: bool


def keep(project: MemoryProject, draft: MemoryDraft, slot: str | None) -> WorkingMemory:
    """Add a working memory to its session. With a `slot`, it replaces the one there. Without one, an equal memory is
    kept instead, with the later of the two expiry times."""

    def attempt() -> WorkingMemory:
        kept, changes = _plan(project, draft, slot)
        if changes:
            project.store.write(changes)
        return kept

    return project.retry_on_conflict(attempt)


def newest(project: MemoryProject, session: str | None, limit: int) -> list[Memory]:
    """Return up to `limit` working memories of a session and of calls without one, the newest first."""
    names = dict.fromkeys([set_name(session), set_name(None)])
    found = project.rows(WORKING_SETS).get_many([(name,) for name in names])
    now = project.now()
    entries = [entry for each in found if each is not None for entry in each.entries if entry.lapses_at > now]
    # Ids start with the time of recording.
    ids = sorted((entry.id for entry in entries), reverse=True)
    return list(islice(_working_memories(project, ids, limit), limit))


def _working_memories(project: MemoryProject, ids: Sequence[str], at_once: int) -> Iterator[Memory]:
    """Yield the memories that are still in layer 1. They are read a few at a time, because most still are."""
    now = project.now()
    for start in range(0, len(ids), at_once):
        some = ids[start : start + at_once]
        records = project.rows(MEMORIES).by_id(some)
        yield from (records[one] for one in some if one in records and _is_working(records[one], now))


def _plan(project: MemoryProject, draft: MemoryDraft, slot: str | None) -> tuple[WorkingMemory, list[Change]]:
    memory, now = draft.memory, project.now()
    name, mark = set_name(memory.session), _mark_of(memory, slot)
    found = project.rows(WORKING_SETS).get(name)
    entries = [entry for entry in found.entries if entry.lapses_at > now] if found else []
    records = project.rows(MEMORIES).by_id(entry.id for entry in _entries_to_drop(entries, mark))
    standing = {one: record for one, record in records.items() if _is_working(record, now)}
    same = None if slot is not None else _same(entries, mark, standing, memory)
    if same is not None:
        return _extend(project, found, entries, same, memory)
    left = [entry for entry in entries if entry not in _entries_to_drop(entries, mark)]
    left.append(WorkingEntry(memory.id, mark, memory.lapses_at or now))
    changes = [
        *project.put(memory, is_new=True),
        _set_change(project, found, name, left),
        *redaction_rows(project, memory, draft.findings),
    ]
    for each in standing.values():
        changes += drop_changes(project, each)
    return WorkingMemory(memory, is_new=True), changes


def _entries_to_drop(entries: Sequence[WorkingEntry], mark: str) -> list[WorkingEntry]:
    """Return the entries that make room for a new one with this mark."""
    others = [entry for entry in entries if entry.mark != mark]
    return [entry for entry in entries if entry.mark == mark] + others[: max(0, len(others) + 1 - MOST)]


def _same(entries: Sequence[WorkingEntry], mark: str, standing: Mapping[str, Memory], memory: Memory) -> Memory | None:
    digest = digest_of_memory(memory)
    marked = (standing.get(entry.id) for entry in entries if entry.mark == mark)
    return next((each for each in marked if each is not None and digest_of_memory(each) == digest), None)


def _extend(
    project: MemoryProject,
    found: WorkingSet | None,
    entries: Sequence[WorkingEntry],
    same: Memory,
    memory: Memory,
) -> tuple[WorkingMemory, list[Change]]:
    lasting, changes = extend_life(project, same, memory.lapses_at)
    longer = lasting.lapses_at
    if changes and found is not None and longer is not None:
        left = [altered(entry, lapses_at=longer) if entry.id == same.id else entry for entry in entries]
        changes.append(_set_change(project, found, found.name, left))
    return WorkingMemory(lasting, is_new=False), changes


def _set_change(project: MemoryProject, found: WorkingSet | None, name: str, entries: Sequence[WorkingEntry]) -> Change:
    rows, expires_at = project.rows(WORKING_SETS), max(entry.lapses_at for entry in entries)
    if found is None:
        return rows.insert(WorkingSet(name=name, entries=tuple(entries), expires_at=expires_at))
    return replace(rows, altered(found, entries=tuple(entries), expires_at=expires_at))


def _mark_of(memory: Memory, slot: str | None) -> str:
    marked = digest_of_memory(memory) if slot is None else digest_of("slot", slot)
    return marked[:_MARK_CHARACTERS]


def _is_working(memory: Memory, now: int) -> bool:
    return memory.kind == "working" and is_remembered(memory, now)
