"""What is stored of a team's work: claims, what former holders are to be told, broadcasts, presence, reviews.

Instants are milliseconds since 1970. A claim that has lapsed stays until its end is announced, in the write that frees
it; a freed claim is kept for a day, holder None, so that the token of the next one is greater by any server's clock.

Globs are claimed one at a time in their `space`: each stands in the space's register first, as pending, while it is
made sure that nobody holds what it means. Every other claim of the space is written under the condition that its gate,
one of 32, is as it was before the register was read; who puts a glob into the register changes them all. So two claims
that overlap cannot both be made, while claims of plain keys share nothing with each other but a condition on a gate.
"""

from typing import Any, Literal

import msgspec

from almanac.platform.store.records import Place, Record, Table, VersionedRecord

FORGET_MS = 86_400_000
"""Longer than the clocks of two servers ever differ."""

Decision = Literal["approved", "rejected", "needs_changes"]
Json = str | int | float | bool | list[Any] | dict[str, Any] | None


class ClaimRecord(VersionedRecord, frozen=True, kw_only=True):
    """A lease on a key. `id` is the key as it is compared, `key` as it was given; `token` grows with each acquisition.

    `holder` and `lapses_at` are None, and `forget_at` is set, once it is released or its expiry announced.
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


class GlobEntry(msgspec.Struct, frozen=True):
    """A glob that is held, or, with `pending_until`, that `nonce` is about to acquire."""

    id: str
    holder: str
    nonce: str
    pending_until: int | None = None


class GlobRegister(VersionedRecord, frozen=True, kw_only=True):
    """The globs of one space: at most 200."""

    space: str
    entries: list[GlobEntry] = msgspec.field(default_factory=list[GlobEntry])


class Gate(Record, frozen=True, kw_only=True):
    """`passes` is the version of the register with which a glob was last put there."""

    space: str
    number: int
    passes: int


class Notice(Record, frozen=True, kw_only=True):
    """What a former holder is told at its next call: that its claim ran out."""

    holder: str
    id: str
    key: str
    token: int
    expired_at: int
    expires_at: int


class Broadcast(Record, frozen=True, kw_only=True):
    """A pointer that the whole project reads."""

    key: str
    value: Json
    updated_at: int
    updated_by: str


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
    """That somebody was at a file within the five minutes from `bucket` on; `heartbeats` counts. `id` is a digest of
    who and where."""

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


CLAIMS = Table(
    ClaimRecord,
    "claims",
    sort=("id",),
    indexes={"gsi1": Place("claims_by_lapse", sort=("lapses_at",))},
    expires="forget_at",
)
GLOBS = Table(GlobRegister, "claim_globs", sort=("space",))
GATES = Table(Gate, "claim_gates", sort=("space", "number"))
NOTICES = Table(Notice, "claim_notices", partition=("holder",), sort=("id",), expires="expires_at")
BROADCASTS = Table(Broadcast, "broadcasts", sort=("key",))
PRESENCE = Table(Presence, "presence", sort=("actor", "session"), expires="expires_at")
SIGHTINGS = Table(Sighting, "sightings", sort=("bucket", "id"), expires="expires_at")
PENDING_REVIEWS = Table(
    Review,
    "pending_reviews",
    sort=("id",),
    indexes={"gsi1": Place("reviews_by_lapse", sort=("lapses_at",))},
)
DECIDED_REVIEWS = Table(Review, "decided_reviews", sort=("id",))
