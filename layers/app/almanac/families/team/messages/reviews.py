"""Reviews, requests for a decision. The first decision counts."""

import heapq
from collections.abc import Callable, Iterable
from typing import Any, Literal, cast

import msgspec
from msgspec import Struct

from almanac.content.redaction import redact_value
from almanac.families.team.core.actors import is_same_actor
from almanac.families.team.core.project import Project, check_size, system_project
from almanac.families.team.core.records import DECIDED_REVIEWS, PENDING_REVIEWS, Decision, Review
from almanac.kernel.caller import Scope
from almanac.kernel.errors import NotFound
from almanac.kernel.ids import time_ordered_uuid
from almanac.platform.bus.outbox import outbox
from almanac.platform.redactions.rows import redaction_changes
from almanac.platform.services import Services
from almanac.platform.store.conditions import Equals, Present
from almanac.platform.store.page_cursors import ListPage, bounded_page
from almanac.platform.store.port import ConditionFailed
from almanac.platform.store.records import Rows

METADATA_BYTES = 4 * 1024
REVIEWERS_BYTES = 4 * 1024
_PREVIEW = 200


State = Literal["pending", "lapsed", "approved", "rejected", "needs_changes"]
WAITING: tuple[State, ...] = ("pending", "lapsed")
MAX_READ = 2000
"""Reviews read in one call, matching or not."""


class ReviewFilter(Struct, frozen=True):
    """Filter for reviews. None matches any value. Names are compared without regard to case."""

    state: State | None = None
    requester: str | None = None
    reviewer: str | None = None

    def matches(self, review: Review, now: int) -> bool:
        return (
            (self.state is None or state_of(review, now) == self.state)
            and (self.requester is None or is_same_actor(self.requester, review.requester))
            and (self.reviewer is None or any(is_same_actor(self.reviewer, reviewer) for reviewer in review.reviewers))
        )


def state_of(review: Review, now: int) -> State:
    """Return the state of a review at `now`."""
    return review.decision or ("lapsed" if is_over(review, now) else "pending")


def is_over(review: Review, now: int) -> bool:
    """Return whether the deadline had passed when the review was decided, or has passed by now."""
    return review.deadline_at is not None and (review.decided_at or now) >= review.deadline_at


def is_self_reviewed(review: Review) -> bool:
    """Return whether the requester decided the review."""
    return review.decided_by is not None and is_same_actor(review.decided_by, review.requester)


class Reviews:
    """The reviews of one project, on behalf of a caller."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._pending = PENDING_REVIEWS.within(project.store, project.scope)
        self._decided = DECIDED_REVIEWS.within(project.store, project.scope)

    def now(self) -> int:
        """Return the current time in milliseconds since 1970."""
        return self._project.now()

    def request(
        self,
        subject: str,
        *,
        claim_key: str | None = None,
        reviewers: list[str] | None = None,
        metadata: dict[str, object] | None = None,
        deadline_ms: int | None = None,
    ) -> Review:
        """Request a review. Raises InvalidInput for reviewers or metadata over 4 KB."""
        check_size(reviewers or [], "reviewers", REVIEWERS_BYTES)
        redacted = redact_value({"subject": subject, "metadata": metadata or {}})
        redacted_input = cast("dict[str, Any]", redacted.value)
        check_size(redacted_input["metadata"], "metadata", METADATA_BYTES)
        now = self.now()
        review = Review(
            id=time_ordered_uuid(now, self._project.random_bytes),
            subject=redacted_input["subject"],
            requester=self._project.actor,
            requested_at=now,
            claim_key=claim_key,
            reviewers=reviewers or [],
            metadata=redacted_input["metadata"],
            deadline_at=None if deadline_ms is None else now + deadline_ms,
            lapses_at=None if deadline_ms is None else now + deadline_ms,
        )
        event = self._project.event("review_requested", review.id, _payload(review), at=now)
        found = redaction_changes(self._project, review.id, "review", redacted.findings, now)
        self._project.store.write([self._pending.insert(review), *found, *outbox([event])])
        return review

    def decide(self, review_id: str, decision: Decision, comment: str | None) -> tuple[Review, bool]:
        """Decide a review, and return it with whether this call decided it. Raises NotFound for an unknown id."""

        def attempt() -> tuple[Review, bool]:
            review = self._pending.get(review_id)
            if review is None:
                return self._read_decided(review_id), False
            decided = self._write_decision(review, decision, comment)
            return decided, True

        return self._project.retry_on_conflict(attempt)

    def _write_decision(self, review: Review, decision: Decision, comment: str | None) -> Review:
        now = self.now()
        redacted = redact_value({"comment": comment})
        comment = cast("dict[str, str | None]", redacted.value)["comment"]
        decided = msgspec.structs.replace(
            review,
            decision=decision,
            comment=comment,
            decided_by=self._project.actor,
            decided_at=now,
            lapses_at=None,
        )
        payload = {
            "review_id": review.id,
            "subject": review.subject,
            "requester": review.requester,
            "claim_key": review.claim_key,
            "decision": decision,
            "decided_by": decided.decided_by,
            "self_reviewed": is_self_reviewed(decided),
            "comment_preview": (comment or "")[:_PREVIEW],
        }
        event = self._project.event("review_completed", review.id, payload, at=now)
        deletion = self._pending.delete(review.id, condition=Present())
        found = redaction_changes(self._project, review.id, "review", redacted.findings, now)
        self._project.store.write([deletion, self._decided.insert(decided), *found, *outbox([event])])
        return decided

    def get(self, review_id: str) -> Review:
        """Return a review. Raises NotFound for an unknown id."""
        return self._pending.get(review_id) or self._read_decided(review_id)

    def list_pending(self, filter_: ReviewFilter, *, since: str | None, limit: int) -> tuple[list[Review], str | None]:
        """Return open reviews from the id `since` on, oldest first and including lapsed ones, and the id at which the
        next page begins."""
        page = self._page(self._pending.every(since=since, page=1000), filter_, limit)
        return page.rows, page.following.id if page.following else None

    def list_all(self, filter_: ReviewFilter, *, until: str | None, limit: int) -> tuple[list[Review], str | None]:
        """Return reviews before the id `until`, newest first, and the id before which the next page begins."""
        sources = [rows for rows, state in self._rows() if filter_.state is None or state(filter_.state)]
        newest_first = heapq.merge(
            *(rows.every(until=until, reverse=True) for rows in sources), key=lambda one: one.id, reverse=True
        )
        page = self._page(newest_first, filter_, limit)
        return page.rows, page.last.id if page.following and page.last else None

    def _page(self, reviews: Iterable[Review], filter_: ReviewFilter, limit: int) -> ListPage[Review]:
        now = self.now()
        return bounded_page(reviews, lambda one: filter_.matches(one, now), limit=limit, most_read=MAX_READ)

    def _rows(self) -> list[tuple[Rows[Review], Callable[[State], bool]]]:
        return [
            (self._pending, lambda state: state in WAITING),
            (self._decided, lambda state: state not in WAITING),
        ]

    def _read_decided(self, review_id: str) -> Review:
        decided = self._decided.get(review_id)
        if decided is None:
            raise NotFound(f"There is no review {review_id[:80]} in this project.", "list_reviews lists them.")
        return decided


def announce_lapsed(services: Services, scope: Scope) -> int:
    """Announce open reviews of one project whose deadline has passed, once each, and count them. Any number of
    processes may call this at once."""
    project = system_project(services, scope)
    lapsed = PENDING_REVIEWS.within(project.store, scope).every(until=project.now() + 1, index="gsi1")
    return sum(_announce(project, review) for review in lapsed)


def _announce(project: Project, review: Review) -> bool:
    """Announce a lapsed review. Returns False if a reviewer decided it, or another process announced it, meanwhile."""
    rows = PENDING_REVIEWS.within(project.store, project.scope)
    payload = project.event("review_lapsed", review.id, _payload(review), at=project.now())
    lapsed = rows.put(msgspec.structs.replace(review, lapses_at=None), Equals("lapses_at", review.lapses_at))
    try:
        project.store.write([lapsed, *outbox([payload])])
    except ConditionFailed:
        return False
    return True


def _payload(review: Review) -> dict[str, object]:
    """Return the payload of events about an open review."""
    return {
        "review_id": review.id,
        "subject": review.subject,
        "requester": review.requester,
        "claim_key": review.claim_key,
        "reviewers": review.reviewers,
        "metadata": review.metadata,
        "deadline_at": review.deadline_at,
    }
