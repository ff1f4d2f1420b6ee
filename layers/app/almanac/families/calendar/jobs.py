"""What time drives in calendars."""

import time

from almanac.families.calendar.accounts.refreshing import Refreshing
from almanac.families.calendar.opening import open_bookings
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock
from almanac.platform.declaration.jobs import Job
from almanac.platform.services import Services


def recover_bookings(services: Services, scope: Scope) -> None:
    """End bookings whose process died between the provider's write and ours."""
    open_bookings(services, scope, actor="recovery", clock=services.get(Clock)).recover()


def refresh_calendars(services: Services, scope: Scope) -> None:
    """Pull what connected calendars have of late, for processes that ask no provider, such as the planner's on AWS."""
    bookings = open_bookings(services, scope, actor="refresh", clock=services.get(Clock))
    Refreshing(bookings.calendars, time.monotonic).run()


JOBS = (
    Job("recover-bookings", 60, recover_bookings, asks_others=True),
    Job("refresh-calendars", 60, refresh_calendars, asks_others=True),
)
