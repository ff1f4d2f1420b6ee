"""Turns that a file brings, and the memory that records them."""
# ruff: noqa: PLC0415 - reading files, and trying what would be imported, need no memory

from collections.abc import Callable, Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct

from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import Clock
from almanac.kernel.errors import AlmanacError
from almanac.platform.store.port import Store

MOST_AT_ONCE = 100
CONTENT_BYTES = 64 * 1024
"""What the content of one turn may have."""


class TurnToImport(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The fields of record_turn. `occurred_at` is in milliseconds since 1970; `client_turn_id` is made of what names
    the turn where it comes from, so that importing it again finds it."""

    content: str
    role: Literal["user", "assistant", "tool", "system", "agent", "event"] = "event"
    session_id: str | None = None
    client_turn_id: str | None = None
    occurred_at: int | None = None
    tool: str | None = None
    speaker: str | None = None
    tags: tuple[str, ...] = ()
    metadata: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])


class MemoryToImport(Struct, frozen=True, kw_only=True):
    """A memory that another program kept for good. Every session sees a `pinned` one first. It holds until
    `expires_at`, in milliseconds since 1970."""

    content: str
    pinned: bool = False
    expires_at: int | None = None
    tags: tuple[str, ...] = ()
    metadata: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])


ToImport = TurnToImport | MemoryToImport


class Outcome(Struct, frozen=True):
    """`known`: it was recorded before. `refused` because of `message`, `left_out` on purpose because of it."""

    status: Literal["recorded", "known", "refused", "left_out"]
    message: str = ""


RecordTurns = Callable[[Sequence[ToImport]], list[Outcome]]
"""Records at most MOST_AT_ONCE turns or memories and says what became of each, in their order."""


def import_turns_into(store: Store, scope: Scope, actor: str, clock: Clock) -> RecordTurns:
    """Record turns as `actor` would by record_turns, and memories as by extract_semantic and pin_memory: secrets are
    taken out first. A memory that is there already, in the same words, stays the only one."""
    from almanac.composition.services import services_for
    from almanac.families.memory.core.memory import open_memory
    from almanac.families.memory.memories.making import make
    from almanac.families.memory.memories.wanted import MIN_TTL_MS, wanted
    from almanac.families.memory.turns.batch import Defaults, record_batch

    memory = open_memory(services_for(store, clock), Caller(scope, actor, key_id="import"), clock)

    def remember(one: MemoryToImport) -> Outcome:
        kind, left = "pinned" if one.pinned else "semantic", None
        if one.expires_at is not None and (left := one.expires_at - memory.now()) < MIN_TTL_MS:
            return Outcome("left_out", "expired there")
        try:
            asked = wanted(kind, one.content, tags=list(one.tags), metadata=one.metadata, tool="import", ttl_ms=left)
            return Outcome("recorded" if make(memory, asked).is_new else "known")
        except AlmanacError as refused:
            if refused.retryable:
                raise
            return Outcome("refused", refused.message)

    def record(items: Sequence[ToImport]) -> list[Outcome]:
        given = [msgspec.to_builtins(turn) for turn in items if isinstance(turn, TurnToImport)]
        turns = iter(record_batch(memory, given, Defaults()) if given else ())
        return [remember(one) if isinstance(one, MemoryToImport) else _outcome(next(turns)) for one in items]

    return record


def _outcome(result: Any) -> Outcome:
    if not isinstance(result, AlmanacError):
        return Outcome("known" if result.deduped else "recorded")
    return Outcome("refused", result.message)
