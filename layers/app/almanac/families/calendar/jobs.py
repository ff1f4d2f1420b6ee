"""What time drives in calendars."""

from almanac.families.calendar.opening import open_desk
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock
from almanac.platform.jobs import Job
from almanac.platform.services import Services


def recover_bookings(services: Services, scope: Scope) -> None:
    """End bookings whose process died between the provider's write and ours."""
    open_desk(services, scope, actor="recovery", clock=services.get(Clock)).recover()


JOBS = (Job("recover-bookings", 60, recover_bookings, asks_others=True),)
