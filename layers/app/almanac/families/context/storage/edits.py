"""Edits of a memory: its text, its weight, and its layer."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace as altered

from almanac.content.redaction import SecretFinding, redact
from almanac.families.context.core.context import Context, LayerMemory
from almanac.families.context.core.types import WORKING, Layer
from almanac.families.context.storage.metadata import described
from almanac.families.context.storage.moves import MoveResult, move, stay
from almanac.families.context.storage.store_memory import CONTENT_LIMIT
from almanac.families.memory.core.records import Memory, Step, is_superseded, with_step
from almanac.families.memory.memories.new_memory import check_metadata, check_texts, cleaned_tags, redact_fields
from almanac.kernel.errors import InvalidInput
from almanac.platform.store.values import checked


class Edit(Struct, frozen=True, kw_only=True):
    """The requested changes of a memory; None leaves a field as it is. `metadata` are merged into those it has, `tags`
    replace those it has."""

    content: str | None = None
    metadata: Mapping[str, Any] | None = None
    tags: tuple[str, ...] | None = None
    weight: float | None = None
    pinned: bool | None = None
    layer: Layer | None = None

    @property
    def says_something(self) -> bool:
        """Return whether the edit changes more than the layer."""
        return any(each is not None for each in (self.content, self.metadata, self.tags, self.weight, self.pinned))


def edit(context: Context, memory_id: str, wanted: Edit) -> MoveResult:
    """The memory as it is then, written in one step, and where it is. Raises NotFound, and InvalidInput for what cannot
    be edited so: working memories but for a promotion, what something newer holds in place of, a way down."""
    if not wanted.says_something and wanted.layer is None:
        raise InvalidInput(
            "There is nothing to change.", "Give content, metadata, tags, weight, pinned or targetLayer."
        )
    check_texts(wanted.content, wanted.metadata, limit=CONTENT_LIMIT)
    checked({"tags": list(wanted.tags or ())})

    def attempt() -> MoveResult:
        held = context.find(memory_id)
        _check(held, wanted)
        new, findings = _edited(held.memory, wanted, context.now(), context.memory.actor)
        if wanted.layer is None or wanted.layer == held.layer:
            return stay(held, new, findings)
        return move(context, held, new, wanted.layer, findings)

    return context.memory.retrying(attempt)


def _check(held: LayerMemory, wanted: Edit) -> None:
    if is_superseded(held.memory):
        raise InvalidInput(
            f"{held.memory.id} was replaced by {held.memory.superseded_by}.",
            "Update that one, or call forget_memory with restore=true for this one first.",
            path="memoryId",
        )
    if wanted.layer is not None and wanted.layer < held.layer:
        raise InvalidInput(
            f"{held.memory.id} is in layer {held.layer} already: targetLayer can only raise a memory.",
            "Store it in the lower layer with context_store, then delete this one.",
            path="targetLayer",
        )
    if held.layer == WORKING and (wanted.layer is None or wanted.layer == WORKING):
        raise InvalidInput(
            f"{held.memory.id} is a working memory: it expires by itself and cannot be updated.",
            "Store a new one with context_store, or promote this one: give targetLayer=2 with the changes.",
            path="memoryId",
        )


def _edited(memory: Memory, wanted: Edit, now: int, actor: str) -> tuple[Memory, tuple[SecretFinding, ...]]:
    """The memory as it is wanted, without secrets, and what was taken out; the one that came where nothing changes."""
    said = _said(memory, wanted)
    kept = redact_fields(said.content, said.tags, said.metadata)
    redacted = tuple(dict.fromkeys([*memory.redacted, *kept.kinds]))
    new = altered(said, content=kept.content, tags=kept.tags, metadata=kept.metadata, redacted=redacted)
    new = _pinned(new, wanted.pinned, now)
    if new == memory:
        return memory, ()
    what = "edited" if new.content == memory.content else "rewritten"
    return altered(new, history=with_step(memory.history, Step(now, what, actor))), kept.findings


def _said(memory: Memory, wanted: Edit) -> Memory:
    """Tags and weight are told twice of what context stored: by themselves, and in metadata."""
    given = described(wanted.metadata or {})
    new = altered(memory, content=memory.content if wanted.content is None else wanted.content)
    metadata = {**memory.metadata, **(wanted.metadata or {})}
    tags = wanted.tags
    if tags is None and "tags" in (wanted.metadata or {}):
        tags = given.tags
    if tags is not None:
        new = altered(new, tags=cleaned_tags(tags))
        metadata |= {"tags": list(tags)} if wanted.tags is not None and memory.type is not None else {}
    weight = given.weight if wanted.weight is None else wanted.weight
    if weight is not None:
        new = altered(new, weight=weight)
        metadata |= {"weight": weight} if wanted.weight is not None and memory.type is not None else {}
    if "projectPath" in (wanted.metadata or {}):
        new = altered(new, place=redact(given.place).text if given.place else None)
    check_metadata(metadata)
    return altered(new, metadata=metadata)


def _pinned(memory: Memory, pinned: bool | None, now: int) -> Memory:
    """Return the memory with its new pin; an unpinned one begins to fade now."""
    if pinned is None or pinned == (memory.kind == "pinned"):
        return memory
    return altered(memory, kind="pinned") if pinned else altered(memory, kind="semantic", used_at=now)
