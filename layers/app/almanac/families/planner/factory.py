"""Opening of a planner over the services of a process."""

import os
import random
import time

from almanac.families.calendar.accounts.providers import ProvidersIfAllowed
from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.entries.cache import CalendarCache
from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.unfinished_work import UnfinishedWork
from almanac.kernel.caller import Caller
from almanac.kernel.clock import Clock
from almanac.platform.services import Services
from almanac.platform.store.contention import Backoff
from almanac.platform.store.port import Store


def open_planner(
    services: Services, caller: Caller, clock: Clock, cache: CalendarCache | None = None, *, ask_providers: bool = True
) -> Planner:
    """Open a planner for one call, or for one reaction to an event. The whole process may share `cache`. With
    `ask_providers`, read news of calendars at providers; nothing is written there."""
    store = services.get(Store)
    zones = {"default_zone": caller.default_timezone, "project_zone": caller.project_timezone}
    gateway = services.get(ProvidersIfAllowed).open(caller.scope, clock) if ask_providers else None
    calendars = Calendars(store, caller.scope, clock=clock, cache=cache, gateway=gateway, **zones)
    backoff = Backoff(sleep=time.sleep, random=random.random)
    bookings = BookingService(calendars, actor=caller.actor, random_bytes=os.urandom, backoff=backoff)
    return Planner(
        store,
        caller,
        clock=clock,
        random_bytes=os.urandom,
        backoff=backoff,
        bookings=bookings,
        finish_step=_finish_step,
    )


def _finish_step(planner: Planner, work: UnfinishedWork) -> bool:
    from almanac.families.planner.unfinished_work.steps import step  # noqa: PLC0415 - work is hardly ever left over

    return step(planner, work)
