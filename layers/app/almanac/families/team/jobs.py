"""Scheduled jobs of the team family."""

from almanac.families.team.claims.expiry import announce_expired
from almanac.families.team.claims.queue import grant_waiting
from almanac.families.team.messages.reviews import announce_lapsed
from almanac.kernel.caller import Scope
from almanac.platform.declaration.jobs import Job
from almanac.platform.services import Services


def announce_expired_claims(services: Services, scope: Scope) -> None:
    """Announce expired claims, and grant what they blocked to the queue."""
    announce_expired(services, scope)
    grant_waiting(services, scope)


JOBS = (
    Job("announce-expired-claims", 0.5, announce_expired_claims),
    Job("announce-lapsed-reviews", 1, announce_lapsed),
)
