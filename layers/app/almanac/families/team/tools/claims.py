"""Claims: leases on keys, so that two agents do not do the same work."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from almanac.families.team.claim_keys import given_key
from almanac.families.team.claiming import Blocked
from almanac.families.team.claims import Claims, Reason, Refused
from almanac.families.team.records import ClaimRecord, Notice
from almanac.protocol.tool import Effect, tool

Key = Annotated[
    str,
    Meta(
        description="What is leased: file:src/auth.py, a glob file:src/**/*.py, a folder file:src/, story:JIRA-123.",
        examples=["file:src/auth.py"],
        min_length=1,
        max_length=256,
    ),
]
Holder = Annotated[
    str,
    Meta(
        description="Who holds it, as tool@user#session; the same text at each call.",
        examples=["claude-code@ann#7f3a"],
        min_length=1,
        max_length=256,
    ),
]
Ttl = Annotated[
    int,
    Meta(description="How long from now, in milliseconds: 5 s to 24 h.", ge=5000, le=86_400_000, examples=[900_000]),
]


class Claim(msgspec.Struct, frozen=True):
    """Instants are milliseconds since 1970. `token` grows with each acquisition of the key: whatever is written under
    the claim can carry it, so that a late write of a former holder is recognised."""

    key: str
    holder: str
    actor: str
    token: int
    acquired_at: int
    expires_at: int
    expires_in_ms: int
    metadata: dict[str, Any]


class Lapsed(msgspec.Struct, frozen=True):
    """A claim of yours that ran out since your last call: others may hold it."""

    key: str
    token: int
    expired_at: int
    kind: Literal["claim_expired"]


class Claimed(msgspec.Struct, frozen=True, omit_defaults=True):
    """`deduped`: you held it already, and hold it until `expires_at` now."""

    ok: bool
    claim: Claim
    deduped: bool
    notices: tuple[Lapsed, ...] = ()


class Held(msgspec.Struct, frozen=True, omit_defaults=True):
    """`held_key` is the key that stands in the way, the same or one that overlaps."""

    ok: bool
    held_by: str
    held_key: str
    expires_at: int
    expires_in_ms: int
    notices: tuple[Lapsed, ...] = ()


class Released(msgspec.Struct, frozen=True, omit_defaults=True):
    ok: bool
    notices: tuple[Lapsed, ...] = ()


class Extended(msgspec.Struct, frozen=True, omit_defaults=True):
    ok: bool
    expires_at: int
    notices: tuple[Lapsed, ...] = ()


class NotYours(msgspec.Struct, frozen=True, omit_defaults=True):
    """`held_by` and `expires_at` say who holds it, where somebody else does."""

    ok: bool
    reason: Reason
    held_by: str | None = None
    expires_at: int | None = None
    notices: tuple[Lapsed, ...] = ()


class Page(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where `next_cursor` is not null, go on with it, even after a page without claims. `notices` are told again by the
    holder's next call that changes something."""

    claims: tuple[Claim, ...]
    next_cursor: str | None
    notices: tuple[Lapsed, ...] = ()


@tool(title="Claim a key", effect=Effect.SETS, aliases=["acquire_claim"])
def claim(
    key: Key,
    holder: Holder,
    ttl_ms: Ttl,
    metadata: Annotated[
        dict[str, Any] | None, Meta(description="What others may want to know, up to 8 KB, e.g. why it is held.")
    ] = None,
    *,
    claims: Claims,
) -> Claimed | Held:
    """Acquire a lease on a key, e.g. before you edit a file: exactly one holder at a time, until it is released or its
    time is over. The same holder calling again refreshes it: deduped is true.

    Where somebody else holds the key, ok is false, with held_by, held_key and expires_at: wait, or do something else.
    Paths overlap: file:src/ and src/*.py both stand in the way of file:src/auth.py, and src/a* in that of src/*.py.
    Other keys overlap with globs of their own scheme. notices tell which of your claims ran out meanwhile.
    """
    outcome = claims.acquire(key, holder, ttl_ms, metadata)
    now, notices = claims.now(), lapses(claims.notices(holder))
    if isinstance(outcome, Blocked):
        held = described(outcome.claim, now)
        return Held(False, held.holder, held.key, held.expires_at, held.expires_in_ms, notices)
    return Claimed(True, described(outcome.claim, now), outcome.deduped, notices)


@tool(title="Release a claim", effect=Effect.REMOVES, aliases=["release_claim"])
def release(key: Key, holder: Holder, *, claims: Claims) -> Released | NotYours:
    """Give back a claim that you hold, so that others can have the key at once.

    ok is false with reason wrong_holder where somebody else holds it, and with not_held where it ran out or was
    released already; repeating a release is harmless.
    """
    outcome = claims.release(key, holder)
    notices = lapses(claims.notices(holder))
    return _refused(outcome, notices) if isinstance(outcome, Refused) else Released(True, notices)


@tool(title="Extend a claim", effect=Effect.SETS, aliases=["extend_claim", "renew"])
def extend(key: Key, holder: Holder, ttl_ms: Ttl, *, claims: Claims) -> Extended | NotYours:
    """Set a new deadline for a claim that you hold: now + ttl_ms, in place of the former one, not on top of it.

    Only the holder can; ok is false with reason wrong_holder, or not_held where it ran out before: claim it again.
    """
    outcome = claims.extend(key, holder, ttl_ms)
    notices = lapses(claims.notices(holder))
    if isinstance(outcome, Refused):
        return _refused(outcome, notices)
    return Extended(True, outcome.lapses_at or 0, notices)


@tool(title="List claims", effect=Effect.READS, aliases=["get_claim"])
def list_claims(
    key: Annotated[
        str, Meta(description="Only claims that overlap with this key or glob.", min_length=1, max_length=256)
    ]
    | None = None,
    holder: Annotated[str, Meta(description="Only claims of this holder.", max_length=256)] | None = None,
    limit: Annotated[int, Meta(description="At most so many.", ge=1, le=500)] = 100,
    cursor: Annotated[str, Meta(description="next_cursor of the page before.", max_length=4000)] | None = None,
    *,
    claims: Claims,
) -> Page:
    """List the claims that are held now, by key, with holder, deadline and metadata. With key, see who is in the way
    of a file or glob before you claim it; with your own holder, what you hold, and in notices what ran out. Changes
    nothing.
    """
    overlapping = given_key(key) if key is not None else None
    listed = claims.listed(overlapping=overlapping, holder=holder, limit=limit, cursor=cursor)
    now = claims.now()
    notices = lapses(claims.pending_notices(holder)) if holder else ()
    return Page(tuple(described(one, now) for one in listed.claims), listed.cursor, notices)


def described(record: ClaimRecord, now: int) -> Claim:
    """A claim that is held, as a caller sees it at `now`."""
    expires_at = record.lapses_at or now
    return Claim(
        key=record.key,
        holder=record.holder or "",
        actor=record.actor,
        token=record.token,
        acquired_at=record.acquired_at,
        expires_at=expires_at,
        expires_in_ms=max(0, expires_at - now),
        metadata=record.metadata,
    )


def _refused(refused: Refused, notices: tuple[Lapsed, ...]) -> NotYours:
    held = refused.claim
    return NotYours(False, refused.reason, held and held.holder, held and held.lapses_at, notices)


def lapses(notices: Iterable[Notice]) -> tuple[Lapsed, ...]:
    """Notices as a caller sees them."""
    return tuple(Lapsed(notice.key, notice.token, notice.expired_at, "claim_expired") for notice in notices)
