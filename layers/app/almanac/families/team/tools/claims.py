"""Claims: leases on keys, so that two agents do not do the same work."""

from typing import Annotated, Any

from msgspec import Meta

from almanac.families.team.claims.claims import Claims, LeftQueue, Refused
from almanac.families.team.claims.requests import Blocked
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
    claim_view,
    notice_views,
)
from almanac.kernel.errors import InvalidInput
from almanac.protocol.tool import Effect, tool

Key = Annotated[
    str,
    Meta(
        description="Thing to lock: file:src/auth.py, a glob file:src/**/*.py, a folder file:src/, story:JIRA-123.",
        examples=["file:src/auth.py"],
        min_length=1,
        max_length=256,
    ),
]
Holder = Annotated[
    str,
    Meta(
        description="The holder, as tool@user#session; the same text in every call.",
        examples=["claude-code@ann#7f3a"],
        min_length=1,
        max_length=256,
    ),
]
Ttl = Annotated[
    int,
    Meta(
        description="Time from now, in milliseconds: 5 seconds to 24 hours.", ge=5000, le=86_400_000, examples=[900_000]
    ),
]


@tool(title="Lock a file or claim a ticket", effect=Effect.SETS, aliases=["acquire_claim"])
def claim(
    key: Key,
    holder: Holder,
    ttl_ms: Ttl,
    metadata: Annotated[
        dict[str, Any] | None, Meta(description="Facts for others, up to 8 KB, e.g. the reason.")
    ] = None,
    wait: Annotated[bool, Meta(description="Join the queue if somebody else holds it.")] = False,
    force: Annotated[bool, Meta(description="Take it from its holder. Needs reason.")] = False,
    reason: Annotated[str, Meta(description="Reason for force; its holder sees it.", min_length=1, max_length=512)]
    | None = None,
    *,
    claims: Claims,
) -> Claimed | Held:
    """Lock a file, folder or directory before you edit, refactor or work on it, or take or reserve a story or ticket,
    so that nobody else can touch it: the lock is a lease on a key. Exactly one holder has it at a time, until
    release or until its time runs out. The same holder calling again refreshes it: deduped is true. A claim belongs
    to the holder and to the actor of the API key that made it.

    If somebody else holds it, ok is false, with held_by, held_key and expires_at: wait, or do other work. Overlapping
    paths conflict: file:src and src/*.py both conflict with file:src/auth.py, and src/a* with src/*.py. An absolute
    path outside the project's root conflicts with a relative one that it may end with. Other keys overlap with globs
    of their own scheme. With wait you join the queue for 10 minutes; call again with wait to stay.
    At your turn the claim is yours for up to 30 seconds, with a notice claim_granted (also in heartbeat): claim again
    to keep it. notices report changes of your claims since your last call.
    """
    if force != (reason is not None):
        raise InvalidInput(
            "force needs reason, and reason needs force.",
            "Give both to take the claim from its holder, or neither.",
            path="reason",
        )
    outcome = claims.acquire(key, holder, ttl_ms, metadata, reason, wait=wait)
    now, notices = claims.now(), notice_views(claims.notices(holder))
    if isinstance(outcome, Blocked):
        held = claim_view(outcome.claim, now)
        other = claims.other_actor(outcome.claim)
        place = outcome.place
        queued = None if place is None else Queued(outcome.position, place.queued_at, place.expires_at)
        return Held(
            ok=False,
            held_by=held.holder,
            held_key=held.key,
            expires_at=held.expires_at,
            expires_in_ms=held.expires_in_ms,
            untrusted=True,
            held_by_actor=other,
            queued=queued,
            notices=notices,
        )
    taken = tuple(Taken(one.key, one.holder or "", one.actor, one.token) for one in outcome.taken)
    return Claimed(True, claim_view(outcome.claim, now), outcome.deduped, taken, notices)


@tool(title="Release a lock or claim", effect=Effect.REMOVES, aliases=["release_claim"])
def release(key: Key, holder: Holder, *, claims: Claims) -> Released | NotYours:
    """Release a claim: unlock a file, folder or ticket, give up or let go of a lock or lease if you are done or
    finished with it or do not need the lock anymore, or leave the queue for it. Others can have it at once.

    ok is false with reason wrong_holder if somebody else holds it, wrong_actor if another actor claimed it under that
    holder, and not_held if it ran out or was released already. Safe to repeat.
    """
    outcome = claims.release(key, holder)
    notices = notice_views(claims.notices(holder))
    if isinstance(outcome, Refused):
        return _refused(claims, outcome, notices)
    return Released(True, isinstance(outcome, LeftQueue), notices)


@tool(title="Extend or renew a lock", effect=Effect.SETS, aliases=["extend_claim", "renew"])
def extend(key: Key, holder: Holder, ttl_ms: Ttl, *, claims: Claims) -> Extended | NotYours:
    """Extend, renew or prolong a claim that you hold: keep a lock or lease longer if you need more time with the file,
    e.g. another ten minutes before it expires. The new deadline is now + ttl_ms; it replaces the old one and is not
    added to it.

    Only the holder can. ok is false with reason wrong_holder, wrong_actor, or not_held if it ran out before: then claim
    it again.
    """
    outcome = claims.extend(key, holder, ttl_ms)
    notices = notice_views(claims.notices(holder))
    if isinstance(outcome, Refused):
        return _refused(claims, outcome, notices)
    return Extended(True, outcome.lapses_at or 0, notices)


@tool(title="List claims and locks", effect=Effect.READS, aliases=["get_claim"])
def list_claims(
    key: Annotated[
        str, Meta(description="Only claims that overlap with the key or glob.", min_length=1, max_length=256)
    ]
    | None = None,
    holder: Annotated[str, Meta(description="Only claims of the holder.", max_length=256)] | None = None,
    limit: Annotated[int, Meta(description="Maximum number.", ge=1, le=500)] = 100,
    cursor: Annotated[str, Meta(description="next_cursor of the previous page.", max_length=4000)] | None = None,
    *,
    claims: Claims,
) -> Page:
    """List the active claims: who is holding or has locked a file, folder or ticket right now, all files taken, and the
    expiry of each lock. With key, see who is in the way of a file or glob before you claim it. With your own holder,
    see the locks that you hold, and in notices those that ran out. Changes nothing.
    """
    page = claims.list_held(overlapping=key, holder=holder, limit=limit, cursor=cursor)
    now = claims.now()
    notices = notice_views(claims.pending_notices(holder)) if holder else ()
    waiting = claims.waiting(key, holder) if cursor is None else []
    return Page(
        tuple(claim_view(one, now) for one in page.claims),
        page.cursor,
        tuple(InLine(one.key, one.holder, one.actor, one.queued_at, one.expires_at) for one in waiting),
        bool(page.claims or waiting),
        notices,
    )


def _refused(claims: Claims, refused: Refused, notices: tuple[Lapsed, ...]) -> NotYours:
    held = refused.claim
    if held is None:
        return NotYours(False, refused.reason, notices=notices)
    other = claims.other_actor(held)
    return NotYours(False, refused.reason, held.holder, held.lapses_at, other, untrusted=True, notices=notices)
