"""Edits of a memory: its text, weight, pin and layer."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace as altered

from almanac.content.redaction import SecretFinding, redact
from almanac.families.context.core.context import Context, LayerMemory
from almanac.families.context.core.types import WORKING, Layer
from almanac.families.context.storage.metadata import parse_metadata
from almanac.families.context.storage.moves import MoveResult, move, stay
from almanac.families.context.storage.store_memory import CONTENT_LIMIT
from almanac.families.memory.core.records import Memory, Step, is_superseded, with_step
from almanac.families.memory.memories.new_memory import check_metadata, check_texts, clean_tags, redact_fields
from almanac.kernel.errors import InvalidInput
from almanac.platform.store.values import check_attributes


class Edit(Struct, frozen=True, kw_only=True):
    """The requested changes of a memory; None leaves a field as it is. `metadata` are merged with the existing ones,
    `tags` replace them."""

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


def edit(context: Context, memory_id: str, changes: Edit) -> MoveResult:
    """Write the edited memory in one step and return it with its layer.

    Raises NotFound, and InvalidInput for edits that are not allowed: of a working memory other than its promotion, of a
    superseded memory, and to a lower layer.
    """
    if not changes.says_something and changes.layer is None:
        raise InvalidInput(
            "There is nothing to change.", "Give content, metadata, tags, weight, pinned or targetLayer."
        )
    check_texts(changes.content, changes.metadata, limit=CONTENT_LIMIT)
    check_attributes({"tags": list(changes.tags or ())})

    def attempt() -> MoveResult:
        held = context.find(memory_id)
        _check(held, changes)
        new, findings = _apply(held.memory, changes, context.now(), context.memory.actor)
        if changes.layer is None or changes.layer == held.layer:
            return stay(held, new, findings)
        return move(context, held, new, changes.layer, findings)

    return context.memory.retry_on_conflict(attempt)


def _check(held: LayerMemory, edit: Edit) -> None:
    if is_superseded(held.memory):
        raise InvalidInput(
            f"{held.memory.id} was replaced by {held.memory.superseded_by}.",
            "Update that one, or call forget_memory with restore=true for this one first.",
            path="memoryId",
        )
    if edit.layer is not None and edit.layer < held.layer:
        raise InvalidInput(
            f"{held.memory.id} is in layer {held.layer} already: targetLayer can only raise a memory.",
            "Store it in the lower layer with context_store, then delete this one.",
            path="targetLayer",
        )
    if held.layer == WORKING and (edit.layer is None or edit.layer == WORKING):
        raise InvalidInput(
            f"{held.memory.id} is a working memory: it expires by itself and cannot be updated.",
            "Store a new one with context_store, or promote this one: give targetLayer=2 with the changes.",
            path="memoryId",
        )


def _apply(memory: Memory, edit: Edit, now: int, actor: str) -> tuple[Memory, tuple[SecretFinding, ...]]:
    """Return the edited, redacted memory and the removed secrets. Return the stored memory itself if nothing
    changes."""
    edited = _apply_texts(memory, edit)
    clean_fields = redact_fields(edited.content, edited.tags, edited.metadata)
    redacted = tuple(dict.fromkeys([*memory.redacted, *clean_fields.kinds]))
    new = altered(
        edited, content=clean_fields.content, tags=clean_fields.tags, metadata=clean_fields.metadata, redacted=redacted
    )
    new = _apply_pin(new, edit.pinned, now)
    if new == memory:
        return memory, ()
    what = "edited" if new.content == memory.content else "rewritten"
    return altered(new, history=with_step(memory.history, Step(now, what, actor))), clean_fields.findings


def _apply_texts(memory: Memory, edit: Edit) -> Memory:
    """Return the memory with the edited texts. Tags and weight are stored twice for memories of context: as fields and
    in metadata."""
    fields = parse_metadata(edit.metadata or {})
    new = altered(memory, content=memory.content if edit.content is None else edit.content)
    metadata = {**memory.metadata, **(edit.metadata or {})}
    tags = edit.tags
    if tags is None and "tags" in (edit.metadata or {}):
        tags = fields.tags
    if tags is not None:
        new = altered(new, tags=clean_tags(tags))
        metadata |= {"tags": list(tags)} if edit.tags is not None and memory.type is not None else {}
    weight = fields.weight if edit.weight is None else edit.weight
    if weight is not None:
        new = altered(new, weight=weight)
        metadata |= {"weight": weight} if edit.weight is not None and memory.type is not None else {}
    if "projectPath" in (edit.metadata or {}):
        new = altered(new, place=redact(fields.place).text if fields.place else None)
    check_metadata(metadata)
    return altered(new, metadata=metadata)


def _apply_pin(memory: Memory, pinned: bool | None, now: int) -> Memory:
    """Return the memory with its new pin. An unpinned memory starts to decay now."""
    if pinned is None or pinned == (memory.kind == "pinned"):
        return memory
    return altered(memory, kind="pinned") if pinned else altered(memory, kind="semantic", used_at=now)
