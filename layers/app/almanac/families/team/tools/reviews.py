"""Reviews: one agent's work waits for another's decision."""

from collections.abc import Iterable
from itertools import islice
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from almanac.families.team.records import Decision, Review
from almanac.families.team.reviews import Reviews
from almanac.protocol.tool import Effect, tool

State = Literal["pending", "lapsed", "approved", "rejected", "needs_changes"]
Identity = Annotated[str, Meta(min_length=1, max_length=256)]


class ReviewView(msgspec.Struct, frozen=True):
    """Instants are milliseconds since 1970. `state` "lapsed": nobody decided before `deadline_at`; a decision is still
    taken then, and `decided_late` says so."""

    id: str
    subject: str
    state: State
    requester: str
    requested_at: int
    reviewers: list[str]
    claim_key: str | None
    deadline_at: int | None
    decision: Decision | None
    decided_by: str | None
    decided_at: int | None
    decided_late: bool
    comment: str | None
    metadata: dict[str, Any]


class Requested(msgspec.Struct, frozen=True):
    review: ReviewView


class Decided(msgspec.Struct, frozen=True):
    ok: bool
    review: ReviewView


class AlreadyDecided(msgspec.Struct, frozen=True):
    """Somebody decided first: `decision` is theirs and stands."""

    ok: bool
    reason: Literal["already_decided"]
    decision: Decision
    decided_by: str
    decided_at: int
    review: ReviewView


class Pending(msgspec.Struct, frozen=True):
    """The oldest first; `truncated` where there are more."""

    reviews: tuple[ReviewView, ...]
    truncated: bool


@tool(title="Request a review", effect=Effect.ADDS)
def request_review(
    subject: Annotated[str, Meta(description="What is to be decided.", min_length=1, max_length=512)],
    claim_key: Annotated[str, Meta(description="Key of the claim that this is about.", min_length=1, max_length=256)]
    | None = None,
    reviewers: Annotated[list[Identity], Meta(description="Who might decide: any identities.", max_length=20)]
    | None = None,
    metadata: Annotated[dict[str, Any] | None, Meta(description="Facts for the reviewer, up to 4 KB.")] = None,
    deadline_ms: Annotated[
        int,
        Meta(description="Until when, in milliseconds from now: 1 min to 7 days.", ge=60_000, le=604_800_000),
    ]
    | None = None,
    *,
    reviews: Reviews,
) -> Requested:
    """Ask for a decision on your work by another agent or a person, e.g. before you merge. Every subscriber learns of
    it; whoever decides first with mark_reviewed has decided. Reviewers are a suggestion: anybody may decide.
    """
    review = reviews.request(
        subject, claim_key=claim_key, reviewers=reviewers, metadata=metadata, deadline_ms=deadline_ms
    )
    return Requested(_view(review, reviews.now()))


@tool(title="Decide a review", effect=Effect.SETS, aliases=["decide_review"])
def mark_reviewed(
    review_id: Annotated[str, Meta(description="review.id of request_review.", min_length=1, max_length=64)],
    decision: Annotated[Decision, Meta(description="What you decide.")],
    comment: Annotated[str, Meta(description="Why, up to 8 KB.", max_length=8192)] | None = None,
    *,
    reviews: Reviews,
) -> Decided | AlreadyDecided:
    """Decide an open review. The first decision stands: where somebody decided before, ok is false with reason
    already_decided and their decision, whatever yours was. A decision after the deadline counts, marked decided_late.
    """
    review, was_first = reviews.decide(review_id, decision, comment)
    view = _view(review, reviews.now())
    if was_first:
        return Decided(True, view)
    return AlreadyDecided(
        False, "already_decided", review.decision or decision, review.decided_by or "", review.decided_at or 0, view
    )


@tool(title="List pending reviews", effect=Effect.READS)
def list_pending_reviews(
    reviewer: Annotated[str, Meta(description="Only those that suggest this reviewer.", max_length=256)] | None = None,
    requester: Annotated[str, Meta(description="Only those requested by this actor.", max_length=256)] | None = None,
    limit: Annotated[int, Meta(description="At most so many.", ge=1, le=200)] = 50,
    *,
    reviews: Reviews,
) -> Pending:
    """List the reviews that nobody has decided, the oldest first: your queue as a reviewer, or what you wait for as a
    requester. State lapsed: the deadline is over and nobody has decided.
    """
    found = list(islice(reviews.pending(reviewer=reviewer, requester=requester), limit + 1))
    return Pending(_views(found[:limit], reviews.now()), truncated=len(found) > limit)


def _views(reviews: Iterable[Review], now: int) -> tuple[ReviewView, ...]:
    return tuple(_view(review, now) for review in reviews)


def _view(review: Review, now: int) -> ReviewView:
    over = review.deadline_at is not None and (review.decided_at or now) >= review.deadline_at
    return ReviewView(
        id=review.id,
        subject=review.subject,
        state=review.decision or ("lapsed" if over else "pending"),
        requester=review.requester,
        requested_at=review.requested_at,
        reviewers=review.reviewers,
        claim_key=review.claim_key,
        deadline_at=review.deadline_at,
        decision=review.decision,
        decided_by=review.decided_by,
        decided_at=review.decided_at,
        decided_late=over and review.decision is not None,
        comment=review.comment,
        metadata=review.metadata,
    )
