"""Scheduled jobs of calendars."""

import time

from almanac.families.calendar.accounts.scheduled_pulls import CalendarRefresher
from almanac.families.calendar.entries.records import HALF_DONE, OLD_SHADOWS, OPERATIONS
from almanac.families.calendar.factory import open_bookings
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock
from almanac.platform.declaration.jobs import Job
from almanac.platform.due.next_due import earliest
from almanac.platform.services import Services


def recover_bookings(services: Services, scope: Scope) -> None:
    """Finish bookings whose process died between the provider's write and the commit."""
    open_bookings(services, scope, actor="recovery", clock=services.get(Clock)).recover()


def refresh_calendars(services: Services, scope: Scope) -> None:
    """Pull recent changes of connected calendars for processes that do not call providers, such as the planner's on
    AWS."""
    bookings = open_bookings(services, scope, actor="refresh", clock=services.get(Clock))
    CalendarRefresher(bookings.calendars, time.monotonic).run()


def next_refresh(services: Services, scope: Scope) -> int | None:
    """Return when the first connected calendar is due for a pull, in ms since 1970."""
    bookings = open_bookings(services, scope, actor="refresh", clock=services.get(Clock))
    return CalendarRefresher(bookings.calendars, time.monotonic).next_at()


JOBS = (
    Job(HALF_DONE, 60, recover_bookings, earliest(OPERATIONS, "lapses_at", "gsi2"), asks_others=True),
    Job(OLD_SHADOWS, 60, refresh_calendars, next_refresh, asks_others=True),
)
