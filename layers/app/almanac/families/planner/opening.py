"""A planner opened over what a process works with."""

import os
import random
import time

from almanac.families.calendar.accounts.reach import ProvidersIfAllowed
from almanac.families.calendar.booking.service import Desk
from almanac.families.calendar.entries.cache import Memory
from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.unfinished.finishing import step
from almanac.kernel.caller import Caller
from almanac.kernel.clock import Clock
from almanac.platform.services import Services
from almanac.platform.store.contention import Pauses
from almanac.platform.store.port import Store


def open_planner(
    services: Services, caller: Caller, clock: Clock, memory: Memory | None = None, *, ask_providers: bool = True
) -> Planner:
    """For one call, or for one reaction to an event. `memory` may be shared by all of a process.

    Providers may be asked for what is new in their calendars, where the process has any; nothing is written there.
    """
    store, zone = services.get(Store), caller.default_timezone
    remotes = services.get(ProvidersIfAllowed).open(caller.scope, clock) if ask_providers else None
    calendars = Calendars(store, caller.scope, clock=clock, memory=memory, remotes=remotes, default_zone=zone)
    pauses = Pauses(sleep=time.sleep, random=random.random)
    desk = Desk(calendars, actor=caller.actor, random_bytes=os.urandom, pauses=pauses)
    return Planner(store, caller, clock=clock, random_bytes=os.urandom, desk=desk, finish_step=step)
