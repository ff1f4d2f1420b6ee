"""What time drives: work done again and again for every project, the same on a laptop and on AWS.

A chore must come out the same when it runs twice at once or was left out once: two processes may do it, and a machine
may sleep.
"""

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from almanac.families.calendar.family import open_desk
from almanac.families.team.expiry import announce_expired
from almanac.identity.tenants import Tenants
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock
from almanac.platform.services import Services
from almanac.platform.store.port import Store

Report = Callable[[str, BaseException], None]


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


CHORES: tuple[Chore, ...] = (
    Chore("recover-bookings", 60, recover_bookings),
    Chore("announce-expired-claims", 1, announce_expired_claims),
)


def do_chores(chores: Sequence[Chore], services: Services, report: Report) -> None:
    """Runs each chore for every project of every tenant. One that fails is reported and does not stop the rest."""
    for scope in every_scope(services.get(Store), services.get(Clock)):
        for chore in chores:
            try:
                chore.run(services, scope)
            # Whatever is wrong in one project, the others are not to wait for it.
            except Exception as failed:  # noqa: BLE001
                report(f"the chore {chore.name} in {scope.tenant}/{scope.project}", failed)


def every_scope(store: Store, clock: Clock) -> Iterator[Scope]:
    tenants = Tenants(store, clock)
    for tenant in tenants.all():
        for project in tenants.projects(tenant.id):
            yield Scope(tenant.id, project.id)
