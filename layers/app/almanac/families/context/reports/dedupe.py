"""Counting of repeated reports on one memory, instead of storing a second memory."""

from msgspec import Struct
from msgspec.structs import replace as altered

from almanac.content.redaction import redact
from almanac.families.context.core.context import Context, layer_of
from almanac.families.context.core.types import Layer
from almanac.families.context.reports.capture import Capture
from almanac.families.context.reports.records import BEFORE, REMEMBERED_MS, ReportedBefore
from almanac.families.context.storage.store_memory import StoreRequest, memory_to_create, store
from almanac.families.memory.core.memory import MemoryProject, digest_of
from almanac.families.memory.core.records import Memory, is_remembered
from almanac.families.memory.memories.digests import digest_removal
from almanac.families.memory.memories.new_memory import NewMemory
from almanac.families.memory.memories.salience import after_use
from almanac.families.memory.memories.write_plan import plan_memory
from almanac.platform.store.conditions import Absent, Equals

TIMES, LAST = "occurrences", "lastSeen"


class ReportedMemory(Struct, frozen=True):
    """A memory of a report. `times` counts the reports, this one included."""

    memory: Memory
    layer: Layer
    times: int = 1


def keep(context: Context, capture: Capture) -> ReportedMemory:
    """Store a captured memory, or count a repetition of an existing one."""
    request = capture.request
    if capture.same is None or request.layer is None:
        stored = store(context, request)
        return ReportedMemory(stored.memory, stored.layer)
    project, digest = context.project_of(request.layer), _digest_of(request, capture.same)
    new_memory = memory_to_create(request, request.layer)

    def attempt() -> ReportedMemory:
        before = project.rows(BEFORE).get(digest)
        counted = _count(context, before.memory) if before is not None else None
        return counted or _store_new(context, project, new_memory, digest, before)

    return project.retry_on_conflict(attempt)


def _store_new(
    context: Context, project: MemoryProject, new_memory: NewMemory, digest: str, before: ReportedBefore | None
) -> ReportedMemory:
    """Store the memory and its digest in one write. So two concurrent reports make only one memory."""
    making = plan_memory(project, new_memory)
    row = ReportedBefore(digest=digest, memory=making.memory.id, expires_at=project.now() + REMEMBERED_MS)
    condition = Absent() if before is None else Equals("memory", before.memory)
    project.store.write([*making.changes, project.rows(BEFORE).put(row, condition)])
    stored = ReportedMemory(making.memory, layer_of(project, making.memory))
    return stored if making.is_new else _count(context, making.memory.id) or stored


def times_of(memory: Memory) -> int:
    times = memory.metadata.get(TIMES)
    return times if isinstance(times, int) else 1


def _digest_of(request: StoreRequest, same: str) -> str:
    # Digest the redacted text, because secrets could be guessed from a digest of the whole.
    return digest_of(request.type, redact(same).text)


def _count(context: Context, memory_id: str) -> ReportedMemory | None:
    """Count one more report on the memory, in whatever layer it is now. Return None if it is no longer visible, so that
    a new one is stored."""

    def attempt() -> ReportedMemory | None:
        held, now = context.find_many([memory_id]).get(memory_id), context.now()
        if held is None or not is_remembered(held.memory, now):
            return None
        memory = held.memory
        after = after_use(memory, now)
        counted = altered(
            memory,
            metadata={**memory.metadata, TIMES: times_of(memory) + 1, LAST: now},
            salience=after.salience,
            used_at=after.used_at,
        )
        # The metadata change, so the former digest must not lead to it.
        changes = [*held.project.put(counted, is_new=False), *digest_removal(held.project, memory)]
        held.project.store.write(changes)
        return ReportedMemory(counted, held.layer, times_of(counted))

    return context.memory.retry_on_conflict(attempt)
