"""Scheduled jobs of the team family."""

from almanac.families.team.claims.expiry import announce_expired
from almanac.families.team.claims.handovers import return_unanswered
from almanac.families.team.claims.queue import grant_waiting, may_have_waiters, waiting_places
from almanac.families.team.claims.settings import stored_settings
from almanac.families.team.core.project import system_project
from almanac.families.team.core.records import (
    CLAIMS,
    EXPIRED_CLAIMS,
    HANDOVERS,
    LAPSED_REVIEWS,
    PENDING_REVIEWS,
    QUEUE_LOOK_MS,
    UNANSWERED_HANDOVERS,
)
from almanac.families.team.messages.mail import announce_unacknowledged
from almanac.families.team.messages.mail_records import MESSAGES, REMINDERS
from almanac.families.team.messages.reviews import announce_lapsed
from almanac.families.team.rules.records import RING, SCHEDULES
from almanac.families.team.rules.schedules import trigger_due
from almanac.kernel.caller import Scope
from almanac.platform.declaration.jobs import Job
from almanac.platform.due.next_due import earliest
from almanac.platform.services import Services


def announce_expired_claims(services: Services, scope: Scope) -> None:
    """Announce expired claims, and grant what they blocked to the queue."""
    announce_expired(services, scope)
    grant_waiting(services, scope)


_first_lapse = earliest(CLAIMS, "lapses_at", "gsi1")


def next_claim(services: Services, scope: Scope) -> int | None:
    """Return the end of the claim that expires first, or an earlier instant while a caller waits for a claim."""
    first, project = _first_lapse(services, scope), system_project(services, scope)
    if not may_have_waiters(stored_settings(project), project.now()) or not waiting_places(project):
        return first
    look = project.now() + QUEUE_LOOK_MS
    return look if first is None else min(first, look)


JOBS = (
    Job(EXPIRED_CLAIMS, 0.5, announce_expired_claims, next_claim),
    Job(LAPSED_REVIEWS, 1, announce_lapsed, earliest(PENDING_REVIEWS, "lapses_at", "gsi1")),
    Job(UNANSWERED_HANDOVERS, 1, return_unanswered, earliest(HANDOVERS, "lapses_at", "gsi1")),
    Job(REMINDERS, 1, announce_unacknowledged, earliest(MESSAGES, "remind_at", "gsi2")),
    Job(RING, 1, trigger_due, earliest(SCHEDULES, "due_at", "gsi1")),
)
