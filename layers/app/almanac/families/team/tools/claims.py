"""Claims: leases on keys, so that two agents do not do the same work."""

from typing import Annotated, Any

from msgspec import Meta

from almanac.families.team.claims.asking import Blocked
from almanac.families.team.claims.claims import Claims, Left, Refused
from almanac.families.team.tools.claim_results import (
    Claimed,
    Extended,
    Held,
    InLine,
    Lapsed,
    NotYours,
    Page,
    Queued,
    Released,
    Taken,
    described,
    lapses,
)
from almanac.kernel.errors import InvalidInput
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


@tool(title="Claim a key", effect=Effect.SETS, aliases=["acquire_claim"])
def claim(
    key: Key,
    holder: Holder,
    ttl_ms: Ttl,
    metadata: Annotated[
        dict[str, Any] | None, Meta(description="What others may want to know, up to 8 KB, e.g. why it is held.")
    ] = None,
    wait: Annotated[bool, Meta(description="Stand in line for it where somebody else holds it.")] = False,
    force: Annotated[bool, Meta(description="Take it from whoever holds it. Needs reason.")] = False,
    reason: Annotated[str, Meta(description="Why you take it: its holder is told.", min_length=1, max_length=512)]
    | None = None,
    *,
    claims: Claims,
) -> Claimed | Held:
    """Acquire a lease on a key, e.g. before you edit a file: exactly one holder at a time, until it is released or its
    time is over. The same holder calling again refreshes it: deduped is true. A claim belongs to the holder and to the
    actor of the API key that made it.

    Where somebody else holds the key, ok is false, with held_by, held_key and expires_at: wait, or do something else.
    Paths overlap: file:src and src/*.py both stand in the way of file:src/auth.py, and src/a* in that of src/*.py.
    Other keys overlap with globs of their own scheme. With wait you stand in line: when your turn comes you have the
    claim for up to 30 seconds, a notice claim_granted tells you (of heartbeat too), and claiming again keeps it. Your
    place lasts 10 minutes; ask again with wait to keep it. notices tell what happened to your claims meanwhile.
    """
    if force != (reason is not None):
        raise InvalidInput("force and reason go together.", "Say why you take it, or leave both out.", path="reason")
    outcome = claims.acquire(key, holder, ttl_ms, metadata, reason, wait=wait)
    now, notices = claims.now(), lapses(claims.notices(holder))
    if isinstance(outcome, Blocked):
        held = described(outcome.claim, now)
        other = claims.other_actor(outcome.claim)
        place = outcome.place
        queued = None if place is None else Queued(outcome.position, place.queued_at, place.expires_at)
        return Held(False, held.holder, held.key, held.expires_at, held.expires_in_ms, other, queued, notices)
    taken = tuple(Taken(one.key, one.holder or "", one.actor, one.token) for one in outcome.taken)
    return Claimed(True, described(outcome.claim, now), outcome.deduped, taken, notices)


@tool(title="Release a claim", effect=Effect.REMOVES, aliases=["release_claim"])
def release(key: Key, holder: Holder, *, claims: Claims) -> Released | NotYours:
    """Give back a claim that you hold, or your place in line for it, so that others can have the key at once.

    ok is false with reason wrong_holder where somebody else holds it, wrong_actor where another actor claimed it under
    that holder, and not_held where it ran out or was released already; repeating a release is harmless.
    """
    outcome = claims.release(key, holder)
    notices = lapses(claims.notices(holder))
    if isinstance(outcome, Refused):
        return _refused(claims, outcome, notices)
    return Released(True, isinstance(outcome, Left), notices)


@tool(title="Extend a claim", effect=Effect.SETS, aliases=["extend_claim", "renew"])
def extend(key: Key, holder: Holder, ttl_ms: Ttl, *, claims: Claims) -> Extended | NotYours:
    """Set a new deadline for a claim that you hold: now + ttl_ms, in place of the former one, not on top of it.

    Only the holder can; ok is false with reason wrong_holder, wrong_actor, or not_held where it ran out before: then
    claim it again.
    """
    outcome = claims.extend(key, holder, ttl_ms)
    notices = lapses(claims.notices(holder))
    if isinstance(outcome, Refused):
        return _refused(claims, outcome, notices)
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
    listed = claims.listed(overlapping=key, holder=holder, limit=limit, cursor=cursor)
    now = claims.now()
    notices = lapses(claims.pending_notices(holder)) if holder else ()
    waiting = claims.waiting(key, holder) if cursor is None else []
    return Page(
        tuple(described(one, now) for one in listed.claims),
        listed.cursor,
        tuple(InLine(one.key, one.holder, one.actor, one.queued_at, one.expires_at) for one in waiting),
        bool(listed.claims),
        notices,
    )


def _refused(claims: Claims, refused: Refused, notices: tuple[Lapsed, ...]) -> NotYours:
    held = refused.claim
    if held is None:
        return NotYours(False, refused.reason, notices=notices)
    return NotYours(False, refused.reason, held.holder, held.lapses_at, claims.other_actor(held), notices)
