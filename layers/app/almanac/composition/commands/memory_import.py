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


class Outcome(Struct, frozen=True):
    """`known`: it was recorded before. `refused` because of `message`."""

    status: Literal["recorded", "known", "refused"]
    message: str = ""


RecordTurns = Callable[[Sequence[TurnToImport]], list[Outcome]]
"""Records at most MOST_AT_ONCE turns and says what became of each, in their order."""


def import_turns_into(store: Store, scope: Scope, actor: str, clock: Clock) -> RecordTurns:
    """Records turns as `actor` would by record_turns: secrets are taken out first."""
    from almanac.composition.services import services_for
    from almanac.families.memory.core.memory import open_memory
    from almanac.families.memory.turns.batch import Defaults, record_batch

    memory = open_memory(services_for(store, clock), Caller(scope, actor, key_id="import"), clock)

    def record(turns: Sequence[TurnToImport]) -> list[Outcome]:
        given = [msgspec.to_builtins(turn) for turn in turns]
        return [_outcome(result) for result in record_batch(memory, given, Defaults())]

    return record


def _outcome(result: Any) -> Outcome:
    if not isinstance(result, AlmanacError):
        return Outcome("known" if result.deduped else "recorded")
    return Outcome("refused", result.message)
