"""Claims: leases on keys, so that two agents do not do the same work."""

from typing import Annotated, Any

from msgspec import Meta

from almanac.families.team.claims.claims import ClaimRefusal, Claims, LeftQueue
from almanac.families.team.claims.requests import BlockingClaim
from almanac.families.team.claims.surroundings import Surroundings
from almanac.families.team.tools.claim_results import (
    ClaimAnswer,
    ClaimConflict,
    ClaimRelease,
    ClaimTakeover,
    ExtensionAnswer,
    InLine,
    LapsedClaim,
    NotYours,
    Page,
    PathCheck,
    PlaceInLine,
    about_views,
    check_view,
    claim_view,
    last_view,
    notice_views,
)
from almanac.kernel.errors import InvalidInput
from almanac.protocol.tool import Effect, tool

Key = Annotated[
    str,
    Meta(
        description="file:src/auth.py, file:src/**/*.py, a folder file:src/, story:JIRA-123.",
        examples=["file:src/auth.py"],
        min_length=1,
        max_length=256,
    ),
]
Holder = Annotated[
    str,
    Meta(
        description="You: tool@user#session, the same in every call.",
        examples=["claude-code@ann#7f3a"],
        min_length=1,
        max_length=256,
    ),
]
Ttl = Annotated[
    int,
    Meta(description="Milliseconds from now, up to a day.", ge=5000, le=86_400_000, examples=[900_000]),
]


@tool(title="Lock a file or claim a ticket", effect=Effect.SETS, aliases=["acquire_claim"])
def claim(
    key: Key,
    holder: Holder,
    ttl_ms: Ttl,
    metadata: Annotated[dict[str, Any] | None, Meta(description="Facts for others, e.g. the reason.")] = None,
    wait: Annotated[bool, Meta(description="Join the queue if somebody else holds it.")] = False,
    force: Annotated[bool, Meta(description="Take it from its holder. Needs reason.")] = False,
    reason: Annotated[str, Meta(description="Reason for force; its holder sees it.", min_length=1, max_length=512)]
    | None = None,
    *,
    claims: Claims,
    surroundings: Surroundings,
) -> ClaimAnswer | ClaimConflict:
    """Lock or reserve a file, folder or directory while you edit or refactor it, or take a ticket or story for yourself
    before another agent starts on it, so that others keep off and nobody else changes it. To keep it longer use extend,
    to give it back release.

    If ok is false somebody else holds it: wait, or do other work. Overlapping paths and globs conflict. With wait, a
    notice claim_granted gives you 30 seconds to claim again.
    """
    if force != (reason is not None):
        raise InvalidInput(
            "force needs reason, and reason needs force.",
            "Give both to take the claim from its holder, or neither.",
            path="reason",
        )
    outcome = claims.acquire(key, holder, ttl_ms, metadata, reason, wait=wait)
    now, notices = claims.now(), notice_views(claims.deliver_notices(holder))
    if isinstance(outcome, BlockingClaim):
        held = claim_view(outcome.claim, now)
        other = claims.other_actor(outcome.claim)
        place = outcome.place
        queued = None if place is None else PlaceInLine(outcome.position, place.queued_at, place.expires_at)
        return ClaimConflict(
            ok=False,
            held_by=held.holder,
            held_key=held.key,
            expires_at=held.expires_at,
            expires_in_ms=held.expires_in_ms,
            untrusted=True,
            held_by_actor=other,
            owner_last=last_view(claims.last_of_owner(outcome.claim)),
            queued=queued,
            notices=notices,
        )
    taken = tuple(ClaimTakeover(one.key, one.holder or "", one.actor, one.token) for one in outcome.taken)
    about = () if outcome.deduped else about_views(surroundings.about(outcome.key))
    return ClaimAnswer(True, claim_view(outcome.claim, now), outcome.deduped, taken, notices, about)


@tool(title="Release a lock or claim", effect=Effect.REMOVES, aliases=["release_claim"])
def release(key: Key, holder: Holder, *, claims: Claims) -> ClaimRelease | NotYours:
    """Release a lock (claim): unlock a file, folder or ticket that you are done or finished with or do not need
    anymore, let go of it or give it up, so that others can have it at once. To keep it longer use extend.
    """
    outcome = claims.release(key, holder)
    notices = notice_views(claims.deliver_notices(holder))
    if isinstance(outcome, ClaimRefusal):
        return _refusal_view(claims, outcome, notices)
    return ClaimRelease(True, isinstance(outcome, LeftQueue), notices)


@tool(title="Extend or renew a lock", effect=Effect.SETS, aliases=["extend_claim", "renew"])
def extend(key: Key, holder: Holder, ttl_ms: Ttl, *, claims: Claims) -> ExtensionAnswer | NotYours:
    """Extend, renew or prolong a lock (claim) that you hold: keep a file reserved for another ten minutes because you
    need it a bit longer, before it expires. If it ran out, use claim again.
    """
    outcome = claims.extend(key, holder, ttl_ms)
    notices = notice_views(claims.deliver_notices(holder))
    if isinstance(outcome, ClaimRefusal):
        return _refusal_view(claims, outcome, notices)
    return ExtensionAnswer(True, outcome.lapses_at or 0, notices)


@tool(title="List claims and locks", effect=Effect.READS, aliases=["get_claim"])
def list_claims(
    key: Annotated[
        str, Meta(description="Only claims that overlap with the key or glob.", min_length=1, max_length=256)
    ]
    | None = None,
    holder: Annotated[str, Meta(description="Only claims of the holder.", max_length=256)] | None = None,
    limit: Annotated[int, Meta(description="Maximum number.", ge=1, le=500)] = 100,
    cursor: Annotated[str, Meta(description="The last next_cursor.", max_length=4000)] | None = None,
    *,
    claims: Claims,
) -> Page:
    """List the current locks (claims): who holds or has locked a file, folder or ticket right now, which files are
    taken or reserved, and until when. To lock one use claim.
    """
    page = claims.list_held(overlapping=key, holder=holder, limit=limit, cursor=cursor)
    now = claims.now()
    notices = notice_views(claims.pending_notices(holder)) if holder else ()
    waiting = claims.list_waiting(key, holder) if cursor is None else []
    return Page(
        tuple(claim_view(one, now) for one in page.claims),
        page.cursor,
        tuple(InLine(one.key, one.holder, one.actor, one.queued_at, one.expires_at) for one in waiting),
        bool(page.claims or waiting),
        notices,
    )


@tool(title="Check paths before a commit", effect=Effect.READS)
def check_claims(
    paths: Annotated[
        list[Annotated[str, Meta(min_length=1, max_length=1024)]],
        Meta(
            description="Files as the repository names them.",
            examples=[["src/auth.py"]],
            min_length=1,
            max_length=100,
        ),
    ],
    holder: Annotated[
        str, Meta(description="Your holder; without it all claims count as another's.", min_length=1, max_length=256)
    ]
    | None = None,
    token: Annotated[int, Meta(description="From claim; a stale one is refused.", ge=0)] | None = None,
    *,
    claims: Claims,
) -> PathCheck:
    """Check before you edit, commit or push whether certain files (paths) are locked or claimed by others, e.g. in a
    pre-commit hook. For who else is working on them use get_focus_map.
    """
    refused, now = claims.check(paths, holder, token), claims.now()
    return check_view(paths, refused, now, claims.other_actor)


def _refusal_view(claims: Claims, refused: ClaimRefusal, notices: tuple[LapsedClaim, ...]) -> NotYours:
    held = refused.claim
    if held is None:
        return NotYours(False, refused.reason, notices=notices)
    other = claims.other_actor(held)
    return NotYours(False, refused.reason, held.holder, held.lapses_at, other, untrusted=True, notices=notices)
