"""Open reviews and messages that name a path. A caller who claims the path gets them."""

from itertools import islice

import msgspec

from almanac.families.team.core.records import PENDING_REVIEWS
from almanac.families.team.messages.mail_records import MESSAGES
from almanac.platform.declaration.path_context import MOST_READ, LatestNotes, PathNote, PathQuestion


def reviews_about(question: PathQuestion) -> LatestNotes:
    """Return the open reviews that name the path, among the latest hundred."""
    rows = PENDING_REVIEWS.within(question.store, question.scope)
    notes = [
        PathNote(kind="review", id=one.id, text=one.subject, at=one.requested_at, actor=one.requester, rank=2)
        for one in islice(rows.every(reverse=True, page=MOST_READ), MOST_READ)
        if question.names(f"{one.subject} {one.claim_key or ''}")
        or question.names(msgspec.json.encode(one.metadata).decode())
    ]
    return LatestNotes(notes)


def messages_about(question: PathQuestion) -> LatestNotes:
    """Return the messages that name the path, among the latest hundred. Every caller may read all mail of its
    project."""
    rows = MESSAGES.within(question.store, question.scope)
    notes = [
        PathNote(kind="message", id=one.id, text=f"{one.subject}: {one.body}", at=one.sent_at, actor=one.sender, rank=3)
        for one in islice(rows.every(reverse=True, page=MOST_READ), MOST_READ)
        if any(map(question.names, (*one.about, one.subject, one.body)))
    ]
    return LatestNotes(notes)
