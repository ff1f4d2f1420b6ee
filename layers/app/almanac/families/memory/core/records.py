"""Stored records of memory: turns, what was remembered on purpose or made of turns, and the sessions of turns.

Instants are milliseconds since 1970. Contents, tags and metadata are stored redacted. What was forgotten stays, hidden,
until `purge_at`, so that it can be restored.

    P#<tenant>#<project>#turns              <id>           Turn
    P#<tenant>#<project>#memories           <id>           Memory
    P#<tenant>#<project>#memory_sessions    <id>           Session
    P#<tenant>#<project>#turn_digests       <digest>       TurnDigest
    P#<tenant>#<project>#turn_replays#<actor>  <client id>  TurnReplay
    P#<tenant>#<project>#turns_recent#<actor>  <session>    RecentTurns
"""

from typing import Any, Literal

import msgspec
from msgspec import Struct

from almanac.platform.store.records import Place, Record, Table, VersionedRecord

Role = Literal["user", "assistant", "tool", "system", "agent", "event"]
MemoryKind = Literal["pinned", "semantic", "working", "consolidated", "reflection"]
Kind = Literal["turn", "pinned", "semantic", "working", "consolidated", "reflection"]
Change = Literal[
    "recorded", "forgotten", "restored", "lapsed", "superseded", "redacted", "rewritten", "edited", "promoted", "faded"
]

KEPT_FORGOTTEN_MS = 30 * 86_400_000
FADES_AFTER_MS = 28 * 86_400_000
"""A younger memory of what projects share does not fade, even where nobody ever used it."""

# Names of jobs, which are stored.
LAPSED_MEMORIES = "forget-lapsed-memories"
FADED_MEMORIES = "forget-faded-memories"
DUE_SESSIONS = "summarise-sessions"

MAX_HISTORY = 50


class Step(Struct, frozen=True):
    """A change of a turn or memory, with its time and actor."""

    at: int
    what: Change
    actor: str


class Remembered(VersionedRecord, frozen=True, kw_only=True):
    """The common fields of turns and memories. `at` is when it happened, `recorded_at` when it was stored.

    `redacted` names the kinds of secrets that were taken out. `forgotten_at` hides it, `purge_at` ends it; None
    while it is remembered. `history` has its last 50 steps, the first of them included.
    """

    id: str
    content: str
    at: int
    recorded_at: int
    actor: str
    tool: str | None = None
    session: str | None = None
    tags: tuple[str, ...] = ()
    metadata: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    redacted: tuple[str, ...] = ()
    forgotten_at: int | None = None
    purge_at: int | None = None
    history: tuple[Step, ...] = ()


class Turn(Remembered, frozen=True, kw_only=True):
    """One message, call of a tool or event. `position` counts the turns of its session from 0 in the order in which
    they were recorded; None without a session. `speaker` is a person's name."""

    role: Role
    speaker: str | None = None
    position: int | None = None


class Earlier(Struct, frozen=True, omit_defaults=True):
    """An earlier version of a memory, from `since`, included, until it was rewritten at `until`."""

    since: int
    until: int
    kind: MemoryKind
    content: str
    tags: tuple[str, ...] = ()
    metadata: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    type: str | None = None
    weight: float | None = None
    place: str | None = None


class Memory(Remembered, frozen=True, kw_only=True):
    """A memory that was pinned, promoted or derived from turns. `derived_from` are ids of turns, or of memories.

    `salience`, 0 to 1, is that of `used_at`; it fades from then on, see `memories/salience.py`. `uses` counts how often
    it was recalled. `lapses_at` ends it as forgetting does. `from_at` and `to_at` are the first and the last turn that
    it was made of. From `superseded_at` on something newer, `superseded_by`, holds in its place: it leaves search and
    lists, and is read by its id. A working memory is for the moment: it lapses soon, and is then gone.

    `type`, such as decision, and `weight`, 1 to 5, are what the context tools were told of it, `place` the path inside
    the project that it is about. `earlier` is what it was before, the oldest first; see `memories/versions.py`.
    `promoted_at` is when it came to what projects share from one of them.
    """

    kind: MemoryKind
    derived_from: tuple[str, ...] = ()
    salience: float = 1.0
    used_at: int = 0
    uses: int = 0
    lapses_at: int | None = None
    from_at: int | None = None
    to_at: int | None = None
    superseded_at: int | None = None
    superseded_by: str | None = None
    type: str | None = None
    weight: float | None = None
    place: str | None = None
    earlier: tuple[Earlier, ...] = ()
    promoted_at: int | None = None


class SentTurn(Struct, frozen=True, array_like=True):
    """A turn that an actor recorded, at the time in its id; `digest` is of what makes two turns the same."""

    turn: str
    digest: str


class Session(VersionedRecord, frozen=True, kw_only=True):
    """The turns that belong together. `turns` counts them, which is the position of the next one. Those at positions
    below `summarised` are in a consolidated memory. `due_at`: from then on the others are summarised by the clock; None
    where there are none. `recent` are the last turns of each actor, in order; None where an earlier version wrote the
    record, which kept them in RecentTurns."""

    id: str
    turns: int
    first_at: int
    last_at: int
    summarised: int = 0
    due_at: int | None = None
    recent: dict[str, tuple[SentTurn, ...]] | None = None


class TurnDigest(Record, frozen=True, kw_only=True):
    """The turn of a content, as earlier versions stored it. None is written now; purging a turn deletes its own."""

    digest: str
    turn: str


class RecentTurn(Struct, frozen=True):
    """A turn that an actor recorded `at` an instant; `digest` is of what makes two turns the same."""

    digest: str
    turn: str
    at: int


class RecentTurns(VersionedRecord, frozen=True, kw_only=True):
    """The last turns that an actor recorded in no session, in order: a call that repeats them is a replay. Earlier
    versions kept those of sessions here too."""

    actor: str
    session: str
    turns: tuple[RecentTurn, ...]
    expires_at: int


class TurnReplay(Record, frozen=True, kw_only=True):
    """The turn that an actor recorded under its own id, and the digest of the request."""

    actor: str
    client_turn_id: str
    turn: str
    digest: str


TURNS = Table(
    Turn,
    "turns",
    sort=("id",),
    indexes={
        "gsi1": Place("turns_by_time", sort=("at", "id")),
        "gsi2": Place("turns_by_session", partition=("session",), sort=("position",)),
    },
    expires="purge_at",
)
MEMORIES = Table(
    Memory,
    "memories",
    sort=("id",),
    indexes={
        "gsi1": Place("memories_by_kind", partition=("kind",), sort=("at", "id")),
        "gsi2": Place("memories_by_lapse", sort=("lapses_at", "id")),
    },
    expires="purge_at",
    wakes={
        LAPSED_MEMORIES: "lapses_at",
        FADED_MEMORIES: lambda memory: memory.at + FADES_AFTER_MS if memory.kind == "semantic" else None,
    },
)
SESSIONS = Table(
    Session,
    "memory_sessions",
    sort=("id",),
    indexes={"gsi1": Place("sessions_by_due", sort=("due_at", "id"))},
    wakes={DUE_SESSIONS: "due_at"},
)
DIGESTS = Table(
    TurnDigest,
    "turn_digests",
    sort=("digest",),
    indexes={"gsi1": Place("digests_by_turn", partition=("turn",), sort=("digest",))},
)
RECENT_TURNS = Table(RecentTurns, "turns_recent", partition=("actor",), sort=("session",), expires="expires_at")
REPLAYS = Table(
    TurnReplay,
    "turn_replays",
    partition=("actor",),
    sort=("client_turn_id",),
    indexes={"gsi1": Place("replays_by_turn", partition=("turn",), sort=("digest",))},
)


def is_remembered(record: Remembered, now: int) -> bool:
    """Return whether it belongs in search and in lists."""
    return is_readable(record, now) and not is_superseded(record)


def is_readable(record: Remembered, now: int) -> bool:
    """Return whether it can be read by its id: superseded ones can, forgotten and lapsed ones cannot."""
    lapsed = isinstance(record, Memory) and record.lapses_at is not None and record.lapses_at <= now
    return record.forgotten_at is None and not lapsed


def is_superseded(record: Remembered) -> bool:
    return isinstance(record, Memory) and record.superseded_at is not None


def stepped(history: tuple[Step, ...], step: Step) -> tuple[Step, ...]:
    """`history` with one step more, its first step and the last ones."""
    longer = (*history, step)
    return longer if len(longer) <= MAX_HISTORY else (longer[0], *longer[2:])
