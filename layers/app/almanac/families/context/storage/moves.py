"""Writes of an edited memory, in its layer or a higher one. Each is one atomic write, so a crash neither loses nor
doubles a memory. The id stays, so references remain valid."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace as altered

from almanac.content.redaction import SecretFinding
from almanac.families.context.core.context import Context, LayerMemory
from almanac.families.context.core.types import WORKING, Layer
from almanac.families.memory.core.event_kinds import MEMORY_PINNED
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import Memory, Step, with_step
from almanac.families.memory.edges.relocation import relocation_changes
from almanac.families.memory.edges.sources import source_changes
from almanac.families.memory.memories.digests import digest_change, digest_of_memory, digest_removal, find_existing
from almanac.families.memory.memories.event_payloads import readable_payload
from almanac.families.memory.memories.expiry import drop_changes
from almanac.families.memory.memories.salience import FIRST
from almanac.families.memory.memories.versions import change_note, same_texts, with_earlier
from almanac.families.memory.memories.write_plan import extend_life, redaction_rows
from almanac.kernel.events import Event
from almanac.platform.store.port import MAX_CHANGES, Change


class MoveResult(Struct, frozen=True):
    """A memory after an edit or move, and its `layer`. `former` is the layer it left; None if it stayed. `merged`: the
    layer already had a memory that says the same, which is `memory`."""

    memory: Memory
    layer: Layer
    former: Layer | None = None
    merged: bool = False


def stay(held: LayerMemory, new: Memory, findings: Sequence[SecretFinding]) -> MoveResult:
    """Write the edited memory `new` in its layer. Write nothing if it is unchanged."""
    if new == held.memory:
        return MoveResult(new, held.layer)
    project, old = held.project, held.memory
    new = with_earlier(old, new, project.now())
    events = _pin_events(project, new) if new.kind == "pinned" != old.kind else []
    changes = [*project.put(new, is_new=False, events=events), *redaction_rows(project, new, findings)]
    if not same_texts(old, new):
        changes.append(change_note(project, new.id))
    if digest_of_memory(new) != digest_of_memory(old):
        changes += [*digest_removal(project, old), *_digest(project, new)]
    project.store.write(changes)
    return MoveResult(new, held.layer)


def move(
    context: Context, held: LayerMemory, new: Memory, layer: Layer, findings: Sequence[SecretFinding]
) -> MoveResult:
    """Write the edited memory into a higher layer. Raises Forbidden for layer 3 if the project does not take part in
    it."""
    target = context.project_of(layer)
    now = context.now()
    risen = with_earlier(held.memory, _promote(new, held, now, context.memory.actor), now)
    same = find_existing(target, risen).same
    if same is not None:
        return _merge(held, target, same, risen, layer)
    stays = target.scope == held.project.scope
    risen = risen if stays else altered(risen, promoted_at=now)
    if not stays and (sources := source_changes(target, risen)):
        # Write the sources first. Readers that follow them ignore the memory until it exists.
        target.store.write(sources)
    changes = target.put(risen, is_new=not stays, events=_pin_events(target, risen))
    changes += source_changes(target, risen) if stays else _leave_changes(held)
    changes += [*_digest(target, risen), *redaction_rows(target, risen, findings)]
    # Searches of the past still find it in its former layer.
    changes += [change_note(each, risen.id) for each in ((target,) if stays else (target, held.project))]
    _write_with_edges(held, target, changes, risen.id)
    return MoveResult(risen, layer, held.layer)


def _write_with_edges(held: LayerMemory, target: MemoryProject, changes: Sequence[Change], new_id: str) -> None:
    """Write a promotion and the edges that move with it. If there are many, the rest follow in further writes; until
    then they stay in the former project."""
    if target.scope == held.project.scope:
        target.store.write(changes)
        return
    written = [*changes]
    for some in relocation_changes(held.project, target, held.memory.id, new_id):
        if len(written) + len(some) > MAX_CHANGES:
            target.store.write(written)
            written = []
        written += some
    if written:
        target.store.write(written)


def _merge(held: LayerMemory, target: MemoryProject, same: Memory, risen: Memory, layer: Layer) -> MoveResult:
    lasting, changes = extend_life(target, same, risen.lapses_at)
    _write_with_edges(held, target, [*changes, *_leave_changes(held)], same.id)
    return MoveResult(lasting, layer, held.layer, merged=True)


def _promote(memory: Memory, held: LayerMemory, now: int, actor: str) -> Memory:
    """Return the memory for its new layer. A working memory starts with the salience of its new kind; the others keep
    theirs."""
    history = with_step(memory.history, Step(now, "promoted", actor))
    if held.layer != WORKING:
        return altered(memory, history=history)
    kind = "pinned" if memory.kind == "pinned" else "semantic"
    return altered(memory, kind=kind, lapses_at=None, salience=FIRST[kind], used_at=now, history=history)


def _leave_changes(held: LayerMemory) -> list[Change]:
    """Return the changes that take the memory out of its former layer."""
    bare = altered(held.memory, derived_from=())
    former = () if held.memory.kind == "working" else held.memory.derived_from
    return [
        *drop_changes(held.project, held.memory),
        *digest_removal(held.project, held.memory),
        *source_changes(held.project, bare, former),
    ]


def _digest(project: MemoryProject, memory: Memory) -> list[Change]:
    """Return the change that stores the memory's digest; none if another memory that says the same was there first."""
    standing = find_existing(project, memory)
    return [] if standing.same is not None else [digest_change(project, standing, memory.id)]


def _pin_events(project: MemoryProject, memory: Memory) -> list[Event]:
    return [project.event(MEMORY_PINNED, memory.id, readable_payload(memory), at=project.now())]
