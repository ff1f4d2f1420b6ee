"""Reviews: somebody asks for a decision, and the first to decide has decided."""

from collections.abc import Iterator

import msgspec

from almanac.families.team.presence import every
from almanac.families.team.project import Project, check_size, house_project
from almanac.families.team.records import DECIDED_REVIEWS, PENDING_REVIEWS, Decision, Review
from almanac.kernel.caller import Scope
from almanac.kernel.errors import NotFound
from almanac.kernel.ids import RandomBytes
from almanac.platform.bus.outbox import outbox
from almanac.platform.services import Services
from almanac.platform.store.conditions import Equals, Present
from almanac.platform.store.port import ConditionFailed

METADATA_BYTES = 4 * 1024
REVIEWERS_BYTES = 4 * 1024
_PREVIEW = 200


class Reviews:
    """The reviews of one project, on behalf of a caller."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._pending = PENDING_REVIEWS.within(project.store, project.scope)
        self._decided = DECIDED_REVIEWS.within(project.store, project.scope)

    def now(self) -> int:
        """Milliseconds since 1970."""
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
        """A review that waits for a decision. Raises InvalidInput for reviewers or metadata of over 4 KB."""
        check_size(reviewers or [], "reviewers", REVIEWERS_BYTES)
        check_size(metadata or {}, "metadata", METADATA_BYTES)
        now = self.now()
        review = Review(
            id=_time_ordered_uuid(now, self._project.random_bytes),
            subject=subject,
            requester=self._project.actor,
            requested_at=now,
            claim_key=claim_key,
            reviewers=reviewers or [],
            metadata=metadata or {},
            deadline_at=None if deadline_ms is None else now + deadline_ms,
            lapses_at=None if deadline_ms is None else now + deadline_ms,
        )
        event = self._project.event("review_requested", review.id, _told_of(review), at=now)
        self._project.store.write([self._pending.insert(review), *outbox([event])])
        return review

    def decide(self, review_id: str, decision: Decision, comment: str | None) -> tuple[Review, bool]:
        """The decided review, and whether this call decided it. Raises NotFound for an unknown id."""
        for _ in self._project.pauses.attempts():
            review = self._pending.get(review_id)
            if review is None:
                return self._settled(review_id), False
            now = self.now()
            decided = msgspec.structs.replace(
                review,
                decision=decision,
                comment=comment,
                decided_by=self._project.actor,
                decided_at=now,
                lapses_at=None,
            )
            told = {
                "review_id": review.id,
                "subject": review.subject,
                "requester": review.requester,
                "claim_key": review.claim_key,
                "decision": decision,
                "decided_by": decided.decided_by,
                "comment_preview": (comment or "")[:_PREVIEW],
            }
            event = self._project.event("review_completed", review.id, told, at=now)
            gone = self._pending.delete(review.id, condition=Present())
            try:
                self._project.store.write([gone, self._decided.insert(decided), *outbox([event])])
            except ConditionFailed:
                continue
            return decided, True
        raise AssertionError("attempts end by raising")

    def pending(self, *, reviewer: str | None = None, requester: str | None = None) -> Iterator[Review]:
        """Reviews that nobody has decided, the oldest first, also those whose deadline has passed."""
        return (
            review
            for review in every(self._pending)
            if (reviewer is None or reviewer in review.reviewers)
            and (requester is None or requester == review.requester)
        )

    def _settled(self, review_id: str) -> Review:
        decided = self._decided.get(review_id)
        if decided is None:
            raise NotFound(
                f"There is no review {review_id[:80]} in this project.", "list_pending_reviews shows those that wait."
            )
        return decided


def announce_lapsed(services: Services, scope: Scope) -> int:
    """Tells of every review of one project whose deadline has passed and that nobody has decided, once; answers how
    many. As many processes as like to may do it."""
    project = house_project(services, scope)
    rows, announced = PENDING_REVIEWS.within(project.store, scope), 0
    cursor: str | None = None
    while True:
        page = rows.query(until=project.now() + 1, index="gsi1", cursor=cursor)
        announced += sum(_announce(project, review) for review in page.records)
        if (cursor := page.cursor) is None:
            return announced


def _announce(project: Project, review: Review) -> bool:
    """False where somebody has decided or announced it meanwhile."""
    rows = PENDING_REVIEWS.within(project.store, project.scope)
    told = project.event("review_lapsed", review.id, _told_of(review), at=project.now())
    lapsed = rows.put(msgspec.structs.replace(review, lapses_at=None), Equals("lapses_at", review.lapses_at))
    try:
        project.store.write([lapsed, *outbox([told])])
    except ConditionFailed:
        return False
    return True


def _told_of(review: Review) -> dict[str, object]:
    """What events say of a review that nobody has decided."""
    return {
        "review_id": review.id,
        "subject": review.subject,
        "requester": review.requester,
        "claim_key": review.claim_key,
        "reviewers": review.reviewers,
        "metadata": review.metadata,
        "deadline_at": review.deadline_at,
    }


def _time_ordered_uuid(milliseconds: int, random_bytes: RandomBytes) -> str:
    """A UUID of version 7 (RFC 9562): ids sort by the time they were made."""
    number = (milliseconds << 80) | int.from_bytes(random_bytes(10), "big")
    number = number & ~(0xF << 76) | 0x7 << 76
    number = number & ~(0x3 << 62) | 0x2 << 62
    digits = f"{number:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
