"""Stored records of memory: turns, memories, and the sessions that turns belong to.

Instants are milliseconds since 1970. Contents, tags and metadata are stored redacted. A forgotten record stays hidden
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
AGENT_ROLES: tuple[Role, ...] = ("assistant", "agent")
SPEAKING_ROLES: tuple[Role, ...] = ("user", *AGENT_ROLES)
"""Roles of those who talk, rather than programs and settings."""
MemoryKind = Literal["pinned", "semantic", "working", "consolidated", "reflection"]
Kind = Literal["turn", "pinned", "semantic", "working", "consolidated", "reflection"]
Change = Literal[
    "recorded", "forgotten", "restored", "lapsed", "superseded", "redacted", "rewritten", "edited", "promoted", "faded"
]

KEPT_FORGOTTEN_MS = 30 * 86_400_000
FADES_AFTER_MS = 28 * 86_400_000
"""Minimum age at which an unused memory of the shared project may fade."""

# Names of jobs. The store has them, so they must not change.
LAPSED_MEMORIES = "forget-lapsed-memories"
FADED_MEMORIES = "forget-faded-memories"
DUE_SESSIONS = "summarise-sessions"

MAX_HISTORY = 50


class Step(Struct, frozen=True):
    """One change of a turn or memory, with its time and actor."""

    at: int
    what: Change
    actor: str


class Remembered(VersionedRecord, frozen=True, kw_only=True):
    """Common fields of turns and memories. `at` is when it happened, `recorded_at` when it was stored. `redacted` names
    the kinds of secrets that were removed. A forgotten record has `forgotten_at`, and is deleted at `purge_at`.
    `history` has the first step and the last 49."""

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
    """One message, tool call or event. `position` counts the turns of its session from 0 in the order of recording; it
    is None without a session. `speaker` is a person's name."""

    role: Role
    speaker: str | None = None
    position: int | None = None


class Earlier(Struct, frozen=True, omit_defaults=True):
    """An earlier version of a memory, valid from `since` (included) until it was rewritten at `until`."""

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
    """A memory that was pinned, promoted or derived from turns.

    `derived_from` has ids of turns or memories. `salience`, 0 to 1, is the value at `used_at` and decays from then on;
    see `memories/salience.py`. `uses` counts recalls. The memory is forgotten at `lapses_at`. `from_at` and `to_at` are
    the times of its first and last source turn. A superseded memory has `superseded_at` and the id of its replacement,
    `superseded_by`: it leaves search and lists, but can still be read by its id. A working memory is short-lived: it is
    deleted when it lapses.

    `type`, such as decision, `weight`, 1 to 5, and `place`, a path inside the project, come from the context tools.
    `earlier` has earlier versions, the oldest first; see `memories/versions.py`. `promoted_at` is when it moved from a
    project to the memory that projects share.
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
    """A turn that an actor recorded, at the time in its id. Two turns with the same `digest` are the same turn."""

    turn: str
    digest: str


class Session(VersionedRecord, frozen=True, kw_only=True):
    """A group of turns that belong together. `turns` counts them, and so is the position of the next one. Turns at
    positions below `summarised` are already in a summary. A job summarises the rest at `due_at`; None if there are
    none. `recent` has the last turns of each actor, in order. It is None in records of an earlier version, which kept
    those turns in RecentTurns."""

    id: str
    turns: int
    first_at: int
    last_at: int
    summarised: int = 0
    due_at: int | None = None
    recent: dict[str, tuple[SentTurn, ...]] | None = None


class TurnDigest(Record, frozen=True, kw_only=True):
    """The turn with a given content, as earlier versions stored it. Nothing writes this record any more; purging a turn
    deletes it."""

    digest: str
    turn: str


class RecentTurn(Struct, frozen=True):
    """A turn that an actor recorded at `at`. Two turns with the same `digest` are the same turn."""

    digest: str
    turn: str
    at: int


class RecentTurns(VersionedRecord, frozen=True, kw_only=True):
    """The last turns that an actor recorded without a session, in order. A call that repeats them is a replay. Earlier
    versions also kept the turns of sessions here."""

    actor: str
    session: str
    turns: tuple[RecentTurn, ...]
    expires_at: int


class TurnReplay(Record, frozen=True, kw_only=True):
    """The turn that an actor recorded under a client_turn_id, and the digest of the request."""

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
    """Return whether search and lists show the record."""
    return is_readable(record, now) and not is_superseded(record)


def is_readable(record: Remembered, now: int) -> bool:
    """Return whether the record can be read by its id. Superseded records can; forgotten and lapsed ones cannot."""
    lapsed = isinstance(record, Memory) and record.lapses_at is not None and record.lapses_at <= now
    return record.forgotten_at is None and not lapsed


def is_superseded(record: Remembered) -> bool:
    return isinstance(record, Memory) and record.superseded_at is not None


def with_step(history: tuple[Step, ...], step: Step) -> tuple[Step, ...]:
    """Return `history` with one more step. Beyond 50 steps, keep the first one and the latest."""
    longer = (*history, step)
    return longer if len(longer) <= MAX_HISTORY else (longer[0], *longer[2:])
