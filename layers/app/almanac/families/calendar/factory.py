"""Factory of the booking service of a project."""

import os
import random
import time

from almanac.families.calendar.accounts.providers import Providers
from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.entries.cache import CalendarCache
from almanac.families.calendar.entries.calendars import Calendars
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock
from almanac.platform.services import Services
from almanac.platform.store.contention import Backoff
from almanac.platform.store.port import Store


def open_bookings(
    services: Services,
    scope: Scope,
    *,
    actor: str,
    clock: Clock,
    cache: CalendarCache | None = None,
    zone: str | None = None,
    project_zone: str | None = None,
) -> BookingService:
    """Open the booking service for one call, the recovery of one project, or a command.

    `zone` is the caller's, `project_zone` the project's as the server knows it.
    """
    providers = services.get(Providers)
    gateway = providers.open(scope, clock)
    zones = {"default_zone": zone, "project_zone": project_zone}
    own = Calendars(services.get(Store), scope, clock=clock, cache=cache, gateway=gateway, **zones)
    backoff = Backoff(sleep=time.sleep, random=random.random)
    return BookingService(
        own, actor=actor, random_bytes=os.urandom, backoff=backoff, lock_seconds=providers.lock_seconds
    )
