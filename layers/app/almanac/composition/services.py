"""What tools, reactions and jobs work with, over a store that is open already."""

from collections.abc import Callable

from almanac.composition.families import rule_sources
from almanac.composition.search import open_search, without_index
from almanac.families.calendar.accounts.providers import Providers, ProvidersIfAllowed
from almanac.kernel.clock import Clock
from almanac.platform.declaration.family import RuleSources
from almanac.platform.search.asking.port import Search
from almanac.platform.search.engine.parts import Indexing
from almanac.platform.services import Services
from almanac.platform.store.port import Store


def services_for(
    store: Store,
    clock: Clock,
    providers: Providers | None = None,
    open_indexing: Callable[[], Indexing] = without_index,
) -> Services:
    """Without `providers` there are native calendars only; without an index search finds what was written lately."""
    reach = providers or Providers()
    return opened_by(lambda: store, lambda: clock, lambda: reach, open_indexing)


def opened_by(
    open_store: Callable[[], Store],
    open_clock: Callable[[], Clock],
    open_providers: Callable[[], Providers],
    open_indexing: Callable[[], Indexing],
) -> Services:
    """What opens each part when it is first asked for, by its type."""
    services: Services = Services(
        {
            Store: open_store,
            Clock: open_clock,
            Providers: open_providers,
            ProvidersIfAllowed: open_providers,
            RuleSources: rule_sources,
            Indexing: open_indexing,
            Search: lambda: open_search(services),
        }
    )
    return services
