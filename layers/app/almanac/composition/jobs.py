"""What time drives: work done again and again for every project, the same on a laptop and on AWS.

A chore must come out the same when it runs twice at once or was left out once: two processes may do it, and a machine
may sleep.
"""

from almanac.families.calendar.family import open_desk
from almanac.families.team.claims.expiry import announce_expired
from almanac.families.team.claims.queue import grant_waiting
from almanac.families.team.reviews import announce_lapsed
from almanac.gateway.events.job_rounds import Chore
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock
from almanac.platform.services import Services


def recover_bookings(services: Services, scope: Scope) -> None:
    """Ends bookings whose process died between the provider's write and ours."""
    open_desk(services, scope, actor="recovery", clock=services.get(Clock)).recover()


def announce_expired_claims(services: Services, scope: Scope) -> None:
    """Tells of claims that ran out, and grants what they stood in the way of to those in line."""
    announce_expired(services, scope)
    grant_waiting(services, scope)


def announce_lapsed_reviews(services: Services, scope: Scope) -> None:
    """Tells of reviews that nobody has decided in time."""
    announce_lapsed(services, scope)


CHORES: tuple[Chore, ...] = (
    Chore("recover-bookings", 60, recover_bookings, asks_others=True),
    Chore("announce-expired-claims", 0.5, announce_expired_claims),
    Chore("announce-lapsed-reviews", 1, announce_lapsed_reviews),
)
