"""Open reviews and messages that name a path, for who claims it."""

from itertools import islice

import msgspec

from almanac.families.team.core.records import PENDING_REVIEWS
from almanac.families.team.messages.mail_records import MESSAGES
from almanac.platform.declaration.path_context import MOST_READ, LatestNotes, PathNote, PathQuestion


def reviews_about(asked: PathQuestion) -> LatestNotes:
    """Return the open reviews that name the path, of the latest hundred."""
    rows = PENDING_REVIEWS.within(asked.store, asked.scope)
    named = [
        PathNote(kind="review", id=one.id, text=one.subject, at=one.requested_at, actor=one.requester, rank=2)
        for one in islice(rows.every(reverse=True, page=MOST_READ), MOST_READ)
        if asked.names(f"{one.subject} {one.claim_key or ''}")
        or asked.names(msgspec.json.encode(one.metadata).decode())
    ]
    return LatestNotes(named)


def messages_about(asked: PathQuestion) -> LatestNotes:
    """Return the messages that name the path, of the latest hundred. A project reads all of its mail."""
    rows = MESSAGES.within(asked.store, asked.scope)
    named = [
        PathNote(kind="message", id=one.id, text=f"{one.subject}: {one.body}", at=one.sent_at, actor=one.sender, rank=3)
        for one in islice(rows.every(reverse=True, page=MOST_READ), MOST_READ)
        if any(map(asked.names, (*one.about, one.subject, one.body)))
    ]
    return LatestNotes(named)
