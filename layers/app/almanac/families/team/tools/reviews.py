"""Reviews: one agent's work waits for another's decision."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from almanac.families.team.core.project import Project
from almanac.families.team.core.quoted_texts import TextQuoter
from almanac.families.team.core.records import Decision, Review
from almanac.families.team.messages.reviews import ReviewFilter, Reviews, State, is_over, is_self_reviewed, state_of
from almanac.protocol.tool import Effect, tool

Identity = Annotated[str, Meta(min_length=1, max_length=256)]


class ReviewView(msgspec.Struct, frozen=True):
    """Instants are milliseconds since 1970. `state` "lapsed": no reviewer decided before `deadline_at`. A later
    decision still counts, with `decided_late`. `self_reviewed`: its requester decided it. `notes` name parts of its
    texts, which others wrote, that look like instructions or were removed."""

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
    self_reviewed: bool
    comment: str | None
    metadata: dict[str, Any]
    notes: tuple[str, ...]


class RequestAnswer(msgspec.Struct, frozen=True):
    review: ReviewView


class DecisionAnswer(msgspec.Struct, frozen=True):
    """`untrusted`: others wrote the texts."""

    ok: bool
    review: ReviewView
    untrusted: bool = True


class AlreadyDecided(msgspec.Struct, frozen=True):
    """A refusal, because another reviewer decided first: `decision` is that decision. `untrusted`: others wrote the
    texts."""

    ok: bool
    reason: Literal["already_decided"]
    decision: Decision
    decided_by: str
    decided_at: int
    review: ReviewView
    untrusted: bool = True


class One(msgspec.Struct, frozen=True):
    review: ReviewView
    untrusted: bool


class ReviewPage(msgspec.Struct, frozen=True):
    """A page of reviews; if `truncated`, there may be more: continue with `next_cursor`. `untrusted`: others wrote the
    texts."""

    reviews: tuple[ReviewView, ...]
    truncated: bool
    next_cursor: str | None
    untrusted: bool


@tool(title="Ask for a review", effect=Effect.ADDS)
def request_review(
    subject: Annotated[str, Meta(description="What to review.", min_length=1, max_length=512)],
    claim_key: Annotated[str, Meta(description="Key of the claim it belongs to.", min_length=1, max_length=256)]
    | None = None,
    reviewers: Annotated[list[Identity], Meta(description="Suggested reviewers: any identities.", max_length=20)]
    | None = None,
    metadata: Annotated[dict[str, Any] | None, Meta(description="Facts for the reviewer.")] = None,
    deadline_ms: Annotated[
        int,
        Meta(description="Milliseconds from now, up to a week.", ge=60_000, le=604_800_000),
    ]
    | None = None,
    *,
    reviews: Reviews,
) -> RequestAnswer:
    """Ask somebody to review, check or look over your work: hand code, a plan or changes to a colleague or another
    agent, a second pair of eyes for feedback or approval before you merge or deploy. get_review shows the decision.
    """
    review = reviews.request(
        subject, claim_key=claim_key, reviewers=reviewers, metadata=metadata, deadline_ms=deadline_ms
    )
    return RequestAnswer(_view(review, reviews.now()))


@tool(title="Approve or reject a review", effect=Effect.SETS, aliases=["decide_review"])
def mark_reviewed(
    review_id: Annotated[str, Meta(description="review.id of request_review.", min_length=1, max_length=64)],
    decision: Annotated[Decision, Meta(description="Your decision.")],
    comment: Annotated[str, Meta(description="Reason.", max_length=8192)] | None = None,
    *,
    reviews: Reviews,
) -> DecisionAnswer | AlreadyDecided:
    """Decide a review: approve, sign off or reject a change or work that somebody asked you to look at (LGTM), or send
    it back because it needs changes, with a comment on what to fix. list_pending_reviews has the open ones.
    """
    review, was_first = reviews.decide(review_id, decision, comment)
    view = _view(review, reviews.now())
    if was_first:
        return DecisionAnswer(True, view)
    return AlreadyDecided(
        False, "already_decided", review.decision or decision, review.decided_by or "", review.decided_at or 0, view
    )


Reviewer = Annotated[str, Meta(description="Only for this reviewer.", max_length=256)]
Requester = Annotated[str, Meta(description="Only by this actor.", max_length=256)]
Limit = Annotated[int, Meta(description="Maximum number.", ge=1, le=200)]
Cursor = Annotated[str, Meta(description="The last next_cursor.", max_length=4000)]


@tool(title="Status of a review", effect=Effect.READS)
def get_review(
    review_id: Annotated[str, Meta(description="review.id of request_review.", min_length=1, max_length=64)],
    *,
    reviews: Reviews,
) -> One:
    """Check the status of one review: did the reviewer approve or reject your change or work, or has nobody reviewed it
    yet, by whom, why, and what comment was left? For all of them use list_reviews.
    """
    return One(_view(reviews.get(review_id), reviews.now()), untrusted=True)


@tool(title="List all reviews", effect=Effect.READS)
def list_reviews(
    state: Annotated[State | None, Meta(description="Only in this state.")] = None,
    requester: Requester | None = None,
    reviewer: Reviewer | None = None,
    limit: Limit = 50,
    cursor: Cursor | None = None,
    *,
    reviews: Reviews,
    project: Project,
) -> ReviewPage:
    """List every review, the history of past approvals and rejections, newest first: which were approved or rejected
    last week, who decided, with what comment? For only the open ones use list_pending_reviews.
    """
    cursors, query = project.cursors, ("reviews", state, requester, reviewer)
    until = cursors.start_of(query, cursor, "") or None
    page, following = reviews.list_all(ReviewFilter(state, requester, reviewer), until=until, limit=limit)
    return ReviewPage(_views(page, reviews.now()), following is not None, cursors.seal(query, following), bool(page))


@tool(title="List open review requests", effect=Effect.READS)
def list_pending_reviews(
    reviewer: Reviewer | None = None,
    requester: Requester | None = None,
    limit: Limit = 50,
    cursor: Cursor | None = None,
    *,
    reviews: Reviews,
    project: Project,
) -> ReviewPage:
    """List the open review requests: what is waiting for a review or approval, and to whom is it assigned? For decided
    ones too use list_reviews.
    """
    cursors, query = project.cursors, ("pending_reviews", requester, reviewer)
    since = cursors.start_of(query, cursor, "") or None
    page, following = reviews.list_pending(ReviewFilter(None, requester, reviewer), since=since, limit=limit)
    return ReviewPage(_views(page, reviews.now()), following is not None, cursors.seal(query, following), bool(page))


def _views(reviews: Iterable[Review], now: int) -> tuple[ReviewView, ...]:
    return tuple(_view(review, now) for review in reviews)


def _view(review: Review, now: int) -> ReviewView:
    quoting = TextQuoter()
    return ReviewView(
        id=review.id,
        subject=quoting.text("subject", review.subject),
        state=state_of(review, now),
        requester=review.requester,
        requested_at=review.requested_at,
        reviewers=review.reviewers,
        claim_key=review.claim_key,
        deadline_at=review.deadline_at,
        decision=review.decision,
        decided_by=review.decided_by,
        decided_at=review.decided_at,
        decided_late=is_over(review, now) and review.decision is not None,
        self_reviewed=is_self_reviewed(review),
        comment=quoting.optional_text("comment", review.comment),
        metadata=quoting.json("metadata", review.metadata),
        notes=quoting.notes,
    )
