"""What time drives: work done again and again for every project, the same on a laptop and on AWS.

A chore must come out the same when it runs twice at once or was left out once: two processes may do it, and a machine
may sleep.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct

from almanac.families.calendar.family import open_desk
from almanac.families.team.expiry import announce_expired
from almanac.families.team.reviews import announce_lapsed
from almanac.identity.tenants import Tenants
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock
from almanac.platform.bus.delivery import Report
from almanac.platform.services import Services
from almanac.platform.store.port import Store


class Chore(Struct, frozen=True):
    """`seconds`: how often the laptop runs it; on AWS once a minute is the most that a schedule can do."""

    name: str
    seconds: float
    run: Callable[[Services, Scope], None]


def recover_bookings(services: Services, scope: Scope) -> None:
    """Ends bookings whose process died between the provider's write and ours."""
    open_desk(services, scope, actor="recovery", clock=services.get(Clock)).recover()


def announce_expired_claims(services: Services, scope: Scope) -> None:
    """Tells of claims that ran out."""
    announce_expired(services, scope)


def announce_lapsed_reviews(services: Services, scope: Scope) -> None:
    """Tells of reviews that nobody has decided in time."""
    announce_lapsed(services, scope)


CHORES: tuple[Chore, ...] = (
    Chore("recover-bookings", 60, recover_bookings),
    Chore("announce-expired-claims", 0.5, announce_expired_claims),
    Chore("announce-lapsed-reviews", 1, announce_lapsed_reviews),
)


def do_chores(
    chores: Sequence[Chore], services: Services, report: Report, tenants: Iterable[str] | None = None
) -> None:
    """Runs each chore for every project of the tenants, of all where none are named. One that fails is reported and
    does not stop the rest."""
    known = Tenants(services.get(Store), services.get(Clock))
    for scope in _scopes(known, (each.id for each in known.all()) if tenants is None else tenants):
        for chore in chores:
            try:
                chore.run(services, scope)
            # Whatever is wrong in one project, the others are not to wait for it.
            except Exception as failed:  # noqa: BLE001
                report(f"the chore {chore.name} in {scope.tenant}/{scope.project}", failed)


def _scopes(known: Tenants, tenants: Iterable[str]) -> Iterator[Scope]:
    return (Scope(tenant, project.id) for tenant in tenants for project in known.projects(tenant))
