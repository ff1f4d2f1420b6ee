"""Import of turns and memories from a file."""
# ruff: noqa: PLC0415 - reading files, and trial runs, need no memory

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec import Struct

from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import Clock
from almanac.kernel.errors import AlmanacError
from almanac.platform.store.port import Store

if TYPE_CHECKING:
    from almanac.families.memory.core.memory import MemoryProject
    from almanac.families.memory.turns.plan import RecordedTurn

MOST_AT_ONCE = 100
CONTENT_BYTES = 64 * 1024
"""Largest content of one turn, in bytes."""


class TurnToImport(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A turn to import, with the fields of record_turn.

    `occurred_at` is in milliseconds since 1970. `client_turn_id` is derived from the turn's name in its source, so that
    importing it again finds it.
    """

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
    """A permanent memory of another program. Every session sees a `pinned` one first.

    It is valid until `expires_at`, in milliseconds since 1970.
    """

    content: str
    pinned: bool = False
    expires_at: int | None = None
    tags: tuple[str, ...] = ()
    metadata: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])


ToImport = TurnToImport | MemoryToImport


class Outcome(Struct, frozen=True):
    """Outcome for one turn or memory. `known` means that it was recorded before.

    `message` is the reason of `refused`, which is an error, or of `left_out`, which is deliberate.
    """

    status: Literal["recorded", "known", "refused", "left_out"]
    message: str = ""


RecordTurns = Callable[[Sequence[ToImport]], list[Outcome]]
"""Records at most MOST_AT_ONCE turns or memories and returns the outcome of each, in their order."""


FORGOTTEN_HERE = "forgotten here; --bring-back takes them"


def import_turns_into(store: Store, scope: Scope, actor: str, clock: Clock, *, bring_back: bool = False) -> RecordTurns:
    """Return a function that records turns and memories as `actor`.

    It works like the tools record_turns, extract_semantic and pin_memory, so secrets are removed first. A memory that
    exists in the same words is not stored again. Forgotten turns and memories stay forgotten, unless `bring_back` is
    set. Memories that an actor rewrote stay as they are.
    """
    from almanac.composition.services import services_for
    from almanac.families.memory.core.memory import open_memory

    memory = open_memory(services_for(store, clock), Caller(scope, actor, key_id="import"), clock)
    return _MemoryImport(memory, bring_back=bring_back)


class _MemoryImport:
    def __init__(self, memory: "MemoryProject", *, bring_back: bool) -> None:
        self._memory = memory
        self._brings_back = bring_back

    def __call__(self, items: Sequence[ToImport]) -> list[Outcome]:
        from almanac.families.memory.turns.batch import Defaults, record_batch

        turns = [one for one in items if isinstance(one, TurnToImport)]
        gone = set[str]() if self._brings_back else self._dismissed_ids(turns)
        batch = [msgspec.to_builtins(turn) for turn in turns if turn.client_turn_id not in gone]
        results = iter(record_batch(self._memory, batch, Defaults()) if batch else ())
        return [self._outcome(one, gone, results) for one in items]

    def _outcome(
        self, one: ToImport, gone: Collection[str], results: "Iterator[RecordedTurn | AlmanacError]"
    ) -> Outcome:
        if isinstance(one, MemoryToImport):
            return self._record_memory(one)
        return Outcome("left_out", FORGOTTEN_HERE) if one.client_turn_id in gone else self._turn_outcome(next(results))

    def _dismissed_ids(self, turns: Sequence[TurnToImport]) -> set[str]:
        """Return the ids of turns that the actor forgot and that can no longer be restored."""
        from almanac.families.memory.memories.digests import dismissal_of_turn
        from almanac.families.memory.memories.records import DISMISSALS

        ids = [turn.client_turn_id for turn in turns if turn.client_turn_id]
        names = {id_: dismissal_of_turn(self._memory.actor, id_) for id_ in ids}
        found = self._memory.rows(DISMISSALS).by_id(names.values())
        return {one for one, name in names.items() if name in found}

    def _turn_outcome(self, result: "RecordedTurn | AlmanacError") -> Outcome:
        if isinstance(result, AlmanacError):
            return Outcome("refused", result.message)
        if result.forgotten:
            return self._bring_back(result.turn_id)
        return Outcome("known" if result.deduped else "recorded")

    def _record_memory(self, one: MemoryToImport) -> Outcome:
        from almanac.families.memory.memories.digests import IMPORTED
        from almanac.families.memory.memories.new_memory import MIN_TTL_MS, new_memory
        from almanac.families.memory.memories.write_plan import write_memory

        kind, left = "pinned" if one.pinned else "semantic", None
        if one.expires_at is not None and (left := one.expires_at - self._memory.now()) < MIN_TTL_MS:
            return Outcome("left_out", "expired there")
        try:
            memory = new_memory(
                kind, one.content, tags=list(one.tags), metadata=one.metadata, tool=IMPORTED, ttl_ms=left
            )
            made = write_memory(self._memory, memory, unless_dismissed=True)
            if made.dismissed is not None and made.dismissed.why == "forgotten":
                if self._brings_back and made.dismissed.restorable is None:
                    made = write_memory(self._memory, memory)
                else:
                    return self._bring_back(made.dismissed.restorable or "")
        except AlmanacError as refused:
            if refused.retryable:
                raise
            return Outcome("refused", refused.message)
        return Outcome("recorded" if made.is_new else "known")

    def _bring_back(self, forgotten_id: str) -> Outcome:
        from almanac.families.memory.memories.forget_and_restore import restore

        if not self._brings_back:
            return Outcome("left_out", FORGOTTEN_HERE)
        restore(self._memory, forgotten_id)
        return Outcome("recorded")
