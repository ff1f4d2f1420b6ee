"""Stored records of a team: claims, handovers, notices for holders, broadcasts, presence, reviews.

Instants are milliseconds since 1970. An expired claim stays until its end is announced, in the write that frees it; a
freed claim is kept for a day, holder None, so that the token of the next one is greater by any server's clock.

Globs are claimed one at a time in their `space`: each enters the space's register as pending, while the claims that it
overlaps with are looked for. Every other claim of the space is written under the condition that its shard, one of 32,
is as it was before the register was read; an entry in the register changes all of them. So two claims that overlap
cannot both be made, while claims of plain keys share nothing with each other but a condition on a shard. Absolute paths
are registered like globs, in a space of their own, and change the shards of relative paths.
"""

from typing import Any, Literal

import msgspec

from almanac.platform.store.records import Place, Record, Table, VersionedRecord

FORGET_MS = 86_400_000
"""Longer than the clocks of two servers ever differ by."""

QUEUE_KEPT_MS = 600_000
"""Time for which a place in the queue lasts after its last renewal."""
QUEUE_LOOK_MS = 60_000
"""So long after a renewal, and between each other, looks at the queue come, in case the call died that freed a key."""

# Names of jobs, which are stored.
EXPIRED_CLAIMS = "announce-expired-claims"
LAPSED_REVIEWS = "announce-lapsed-reviews"
UNANSWERED_HANDOVERS = "return-unanswered-handovers"

Decision = Literal["approved", "rejected", "needs_changes"]
NoticeKind = Literal["claim_expired", "claim_taken", "claim_granted"]
HandoverState = Literal["offered", "accepted", "declined", "withdrawn", "lapsed"]
Json = str | int | float | bool | list[Any] | dict[str, Any] | None


class ClaimRecord(VersionedRecord, frozen=True, kw_only=True):
    """A lease on a key. `id` is the key as it is compared, `key` as it was given; `token` grows with each acquisition.

    `holder` and `lapses_at` are None, and `forget_at` is set, once it is released or its expiry announced. `ttl_ms` is
    what was asked for last: nobody holds a claim longer, whatever clocks do. `registered`: it is in the register of its
    space, as every glob and every absolute path is, and every path below which others claim too. `handover` is the id
    of the handover with which it came to its holder, who has not answered yet.
    """

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
    """A glob or folder that is held, or, with `pending_until`, that `nonce` is about to acquire. `key` is its text,
    None where the id is; `actor` is who claims it, None in entries that were made before they said so."""

    id: str
    holder: str
    nonce: str
    pending_until: int | None = None
    actor: str | None = None
    key: str | None = None


class GlobRegister(VersionedRecord, frozen=True, kw_only=True):
    """The globs and absolute paths of one space, and its folders below which others claim: at most 200."""

    space: str
    entries: list[GlobEntry] = msgspec.field(default_factory=list[GlobEntry])


class Shard(Record, frozen=True, kw_only=True):
    """`passes` is the version of the register with which a glob was last put there, `epoch` that of the settings by
    which keys are read."""

    space: str
    number: int
    passes: int
    epoch: int = 0


class OccupiedFolder(Record, frozen=True, kw_only=True):
    """A mark that something below a path may be held; a claim of that path goes through the register. It is renewed
    long before it ends, and no claim lasts as long."""

    id: str
    expires_at: int


class TeamSettings(VersionedRecord, frozen=True, kw_only=True):
    """The settings by which the keys of a project are read. `ignore_case` is None, also in older records, until the
    project is configured. `epoch` grows whenever that reading may have changed: claims read before it can no longer be
    written. Until `changing_until` a change is under way, and others wait. Until `queued_until` an actor may wait for a
    claim."""

    root: str | None = None
    ignore_case: bool | None = None
    epoch: int = 0
    changing_until: int | None = None
    updated_at: int = 0
    updated_by: str | None = None
    queued_until: int = 0

    @property
    def said_case(self) -> bool | None:
        """Tell whether paths that differ in capitals only are one file; None where nobody has said."""
        return self.ignore_case if self.updated_by is not None else None

    @property
    def ignores_case(self) -> bool:
        """The same for claims: such paths are one file until somebody says otherwise, since some agents of a project
        may work on Windows or macOS."""
        return self.said_case is not False


class ClaimQueueEntry(Record, frozen=True, kw_only=True):
    """A place in the queue for a key. Ids sort in the order of arrival."""

    id: str
    key: str
    holder: str
    actor: str
    ttl_ms: int
    queued_at: int
    expires_at: int
    metadata: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])


class Notice(Record, frozen=True, kw_only=True):
    """Delivered to a holder at its next call: its claim expired or was taken, or one was granted to it. `actor` is
    whose claim it was; None in notices of older versions. `expired_at` is when it happened."""

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
    """A pointer that the whole project reads; `expires_at` and `ttl_ms` None: until it is set anew or removed."""

    key: str
    value: Json
    updated_at: int
    updated_by: str
    expires_at: int | None = None
    ttl_ms: int | None = None


NO_SESSION = "-"
"""The session of a heartbeat that named none."""


class Presence(Record, frozen=True, kw_only=True):
    """One session of somebody at work. `session` is "-" where none was named."""

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
    """A sighting of an actor at a file within the five minutes from `bucket` on; `heartbeats` counts. `id` is a digest
    of actor and place."""

    bucket: int
    id: str
    path: str
    actor: str
    tool: str
    heartbeats: int
    last_at: int
    expires_at: int


class Review(Record, frozen=True, kw_only=True):
    """A request for a decision; what is decided of it is None until somebody has. `lapses_at` is the deadline, until it
    is told that it has passed."""

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
    """A claim of a handover. `ttl_ms` is how long its giver had asked for it."""

    id: str
    key: str
    ttl_ms: int


class Handover(VersionedRecord, frozen=True, kw_only=True):
    """Claims that went from one owner to `receiver`, an actor, who accepts or declines until `answer_by`. `giver` is
    the actor who held them under the name `holder`. `lapses_at` is the same instant, until it is answered. `message`
    is the mail that told the receiver of it; `card` one of the planner, with its claim among `claims`."""

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
