"""What tools, reactions and jobs work with, over a store that is open already."""

from collections.abc import Callable
from typing import Any

from almanac.composition.families import rule_sources
from almanac.families.calendar.accounts.network_policy import Providers, ProvidersIfAllowed
from almanac.kernel.clock import Clock
from almanac.platform.declaration.family import RuleSources
from almanac.platform.services import Services
from almanac.platform.store.port import Store


def services_for(store: Store, clock: Clock, providers: Providers | None = None) -> Services:
    """Without `providers` there are native calendars only."""
    reach = providers or Providers()
    return Services(openers(lambda: store, lambda: clock, lambda: reach))


def openers(
    open_store: Callable[[], Store], open_clock: Callable[[], Clock], open_providers: Callable[[], Providers]
) -> dict[type, Callable[[], Any]]:
    """What opens each part, by its type."""
    return {
        Store: open_store,
        Clock: open_clock,
        Providers: open_providers,
        ProvidersIfAllowed: open_providers,
        RuleSources: rule_sources,
    }
