"""Stored records of a team: claims, handovers, notices for holders, broadcasts, presence, reviews.

Instants are milliseconds since 1970. An expired claim stays until the write that frees it announces its end. A freed
claim stays for a day with holder None, so that the token of the next claim is greater by any server's clock.

Globs are claimed one at a time in their `space`. Each enters the space's register as pending while its caller looks for
overlapping claims. Every other claim of the space is written on condition that its shard, one of 32, is unchanged since
before the register was read. An entry in the register changes all shards. So two overlapping claims cannot both be
written, and claims of plain keys share only a condition on a shard. Absolute paths are registered like globs, in a
space of their own, and also change the shards of relative paths.
"""

from typing import Any, Literal

import msgspec

from almanac.platform.store.records import Place, Record, Table, VersionedRecord

FORGET_MS = 86_400_000
"""Longer than the clocks of two servers ever differ."""

QUEUE_KEPT_MS = 600_000
"""Lifetime of a place in the queue after its last renewal."""
QUEUE_LOOK_MS = 60_000
"""Interval at which a job checks the queue, in case the call that freed a key died before it granted the next place."""

# Names of jobs, which are stored.
EXPIRED_CLAIMS = "announce-expired-claims"
LAPSED_REVIEWS = "announce-lapsed-reviews"
UNANSWERED_HANDOVERS = "return-unanswered-handovers"

Decision = Literal["approved", "rejected", "needs_changes"]
NoticeKind = Literal["claim_expired", "claim_taken", "claim_granted"]
HandoverState = Literal["offered", "accepted", "declined", "withdrawn", "lapsed"]
Json = str | int | float | bool | list[Any] | dict[str, Any] | None


class ClaimRecord(VersionedRecord, frozen=True, kw_only=True):
    """A lease on a key. `id` is the normalised key, `key` the caller's spelling; `token` grows with each acquisition.
    Once the claim is released or its expiry announced, `holder` and `lapses_at` are None and `forget_at` is set.
    `ttl_ms` is the time requested last, a limit that holds even if clocks are set back. `registered`: it has an entry
    in the register of its space, like all globs, absolute paths and paths with claims below them. `handover` is the id
    of the handover that brought it to its holder, until the holder answers."""

    id: str
    key: str
    holder: str | None
    actor: str
    token: int
    acquired_at: int
    updated_at: int
    lapses_at: int | None
    metadata: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    forget_at: int | None = None
    ttl_ms: int | None = None
    registered: bool = False
    handover: str | None = None


class GlobEntry(msgspec.Struct, frozen=True):
    """A held glob or folder, or a glob or folder that the caller with `nonce` may still acquire until `pending_until`.
    `key` is its text, None if the text is the id. `actor` is None in entries of older versions."""

    id: str
    holder: str
    nonce: str
    pending_until: int | None = None
    actor: str | None = None
    key: str | None = None


class GlobRegister(VersionedRecord, frozen=True, kw_only=True):
    """The globs and absolute paths of one space, and the folders with claims below them. It has at most 200 entries."""

    space: str
    entries: list[GlobEntry] = msgspec.field(default_factory=list[GlobEntry])


class Shard(Record, frozen=True, kw_only=True):
    """A shard of a space. `passes` is the register version at which a glob was last added, `epoch` the settings version
    by which keys are parsed."""

    space: str
    number: int
    passes: int
    epoch: int = 0


class OccupiedFolder(Record, frozen=True, kw_only=True):
    """A mark that claims below a path may exist, so a claim of that path goes through the register. It is renewed long
    before it ends and outlives every claim."""

    id: str
    expires_at: int


class TeamSettings(VersionedRecord, frozen=True, kw_only=True):
    """Settings by which the keys of a project are parsed. `ignore_case` is None until the project is configured, and in
    older records. `epoch` grows whenever parsing may have changed; claims parsed before can no longer be written. A
    change is under way until `changing_until`, and other callers wait. Actors may be waiting for claims until
    `queued_until`."""

    root: str | None = None
    ignore_case: bool | None = None
    epoch: int = 0
    changing_until: int | None = None
    updated_at: int = 0
    updated_by: str | None = None
    queued_until: int = 0

    @property
    def configured_case(self) -> bool | None:
        """Return whether paths that differ only in capitals are one file, None if the project is not configured."""
        return self.ignore_case if self.updated_by is not None else None

    @property
    def ignores_case(self) -> bool:
        """Return whether claims ignore capitals. They do unless configured otherwise, since some agents of a project
        may work on Windows or macOS."""
        return self.configured_case is not False


class ClaimQueueEntry(Record, frozen=True, kw_only=True):
    """A place in the queue for a key. Ids sort in order of arrival."""

    id: str
    key: str
    holder: str
    actor: str
    ttl_ms: int
    queued_at: int
    expires_at: int
    metadata: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])


class Notice(Record, frozen=True, kw_only=True):
    """A message to a holder, delivered at its next call: its claim expired, was taken, or was granted. `actor` had the
    claim, None in notices of older versions. `expired_at` is the instant of the event."""

    holder: str
    id: str
    key: str
    token: int
    expired_at: int
    expires_at: int
    actor: str | None = None
    kind: NoticeKind = "claim_expired"
    taken_by: str | None = None
    reason: str | None = None
    until: int | None = None


class Broadcast(Record, frozen=True, kw_only=True):
    """A value that the whole project reads. Without `expires_at` and `ttl_ms` it stays until a caller replaces or
    removes it."""

    key: str
    value: Json
    updated_at: int
    updated_by: str
    expires_at: int | None = None
    ttl_ms: int | None = None


NO_SESSION = "-"
"""The session of a heartbeat without a session name."""


class Presence(Record, frozen=True, kw_only=True):
    """One active session of an actor. `session` is "-" if the heartbeat named none."""

    actor: str
    session: str
    seen_at: int
    display_name: str | None = None
    tool: str | None = None
    current_file: str | None = None
    current_function: str | None = None
    current_action: str | None = None
    expires_at: int


class Sighting(Record, frozen=True, kw_only=True):
    """An actor's work on a file within the five minutes from `bucket` on. `heartbeats` counts the sightings; `id` is a
    digest of actor and path."""

    bucket: int
    id: str
    path: str
    actor: str
    tool: str
    heartbeats: int
    last_at: int
    expires_at: int


class Review(Record, frozen=True, kw_only=True):
    """A request for a decision. The fields of the decision are None until a reviewer decides. `lapses_at` is the
    deadline until its passing is announced, then None."""

    id: str
    subject: str
    requester: str
    requested_at: int
    claim_key: str | None = None
    reviewers: list[str] = msgspec.field(default_factory=list[str])
    metadata: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    deadline_at: int | None = None
    lapses_at: int | None = None
    decision: Decision | None = None
    comment: str | None = None
    decided_by: str | None = None
    decided_at: int | None = None


class HandedClaim(msgspec.Struct, frozen=True):
    """A claim of a handover. `ttl_ms` is the duration that its giver had requested."""

    id: str
    key: str
    ttl_ms: int


class Handover(VersionedRecord, frozen=True, kw_only=True):
    """Claims handed over to the actor `receiver`, who accepts or declines until `answer_by`. The actor `giver` held
    them under the name `holder`. `lapses_at` equals `answer_by` until the answer. `message` is the mail that announced
    the handover; `card` is a card of the planner whose claim is among `claims`."""

    id: str
    giver: str
    holder: str
    receiver: str
    claims: list[HandedClaim]
    note: str
    offered_at: int
    answer_by: int
    lapses_at: int | None
    message: str
    card: str | None = None
    evidence: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    state: HandoverState = "offered"
    comment: str | None = None
    answered_at: int | None = None
    answered_by: str | None = None


CLAIMS = Table(
    ClaimRecord,
    "claims",
    sort=("id",),
    indexes={"gsi1": Place("claims_by_lapse", sort=("lapses_at",))},
    expires="forget_at",
    wakes={EXPIRED_CLAIMS: "lapses_at"},
)
GLOBS = Table(GlobRegister, "claim_globs", sort=("space",))
SHARDS = Table(Shard, "claim_gates", sort=("space", "number"))
OCCUPIED = Table(OccupiedFolder, "claim_folders", sort=("id",), expires="expires_at")
SETTINGS = Table(TeamSettings, "team_settings")
WAITING = Table(
    ClaimQueueEntry,
    "claim_queue",
    sort=("id",),
    expires="expires_at",
    wakes={EXPIRED_CLAIMS: lambda place: place.expires_at - QUEUE_KEPT_MS + QUEUE_LOOK_MS},
)
NOTICES = Table(Notice, "claim_notices", partition=("holder",), sort=("id",), expires="expires_at")
BROADCASTS = Table(Broadcast, "broadcasts", sort=("key",), expires="expires_at")
PRESENCE = Table(Presence, "presence", sort=("actor", "session"), expires="expires_at")
SIGHTINGS = Table(Sighting, "sightings", sort=("bucket", "id"), expires="expires_at")
PENDING_REVIEWS = Table(
    Review,
    "pending_reviews",
    sort=("id",),
    indexes={"gsi1": Place("reviews_by_lapse", sort=("lapses_at",))},
    wakes={LAPSED_REVIEWS: "lapses_at"},
)
DECIDED_REVIEWS = Table(Review, "decided_reviews", sort=("id",))
HANDOVERS = Table(
    Handover,
    "handovers",
    sort=("id",),
    indexes={"gsi1": Place("handovers_by_lapse", sort=("lapses_at",))},
    wakes={UNANSWERED_HANDOVERS: "lapses_at"},
)
