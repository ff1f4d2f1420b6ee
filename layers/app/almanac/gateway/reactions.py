"""Every reaction of every family, and what reactions work with: the same on a laptop and on AWS."""

from almanac.kernel.clock import Clock
from almanac.platform.bus.port import Reaction, Services
from almanac.platform.store.port import Store

REACTIONS: tuple[Reaction, ...] = ()


def services_for(store: Store, clock: Clock) -> Services:
    return Services({Store: lambda: store, Clock: lambda: clock})
