"""Composition of the services that tools, reactions and jobs use."""

from collections.abc import Callable, Mapping
from functools import partial

from almanac.composition.families import path_contexts, rule_sources
from almanac.composition.search import open_search, without_index
from almanac.families.calendar.accounts.providers import Providers, ProvidersIfAllowed
from almanac.kernel.clock import Clock
from almanac.platform.declaration.family import PathContexts, RuleSources
from almanac.platform.declaration.known_facts import KnownFacts
from almanac.platform.declaration.recorded_activity import RecordedActivity
from almanac.platform.due.scheduling_store import Schedule, SchedulingStore
from almanac.platform.language_model.port import ChosenModel
from almanac.platform.services import Services
from almanac.platform.store.port import Store
from almanac.search.engine.parts import IndexParts
from almanac.search.questions.port import Search


def services_for(
    store: Store,
    clock: Clock,
    providers: Providers | None = None,
    open_indexing: Callable[[], IndexParts] = without_index,
    open_model: Callable[[], ChosenModel] = ChosenModel,
    also: Mapping[type, object] = {},
) -> Services:
    """Return the services over an open store.

    Without `providers`, there are only native calendars. Without an index, search finds only recent writes. By default
    no language model is used. `also` has parts of some installations only, by type.
    """
    reach = providers or Providers()
    return services_from(lambda: store, lambda: clock, lambda: reach, open_indexing, open_model, also)


def services_from(
    open_store: Callable[[], Store],
    open_clock: Callable[[], Clock],
    open_providers: Callable[[], Providers],
    open_indexing: Callable[[], IndexParts],
    open_model: Callable[[], ChosenModel],
    also: Mapping[type, object] = {},
) -> Services:
    """Return services that open each part at its first use."""
    services: Services = Services(
        {
            Schedule: lambda: Schedule(open_store(), services.get(Clock)),
            Store: lambda: SchedulingStore(services.get(Schedule)),
            Clock: open_clock,
            Providers: open_providers,
            ProvidersIfAllowed: open_providers,
            RuleSources: rule_sources,
            IndexParts: open_indexing,
            Search: lambda: open_search(services),
            ChosenModel: open_model,
            KnownFacts: lambda: _known_facts(services),
            PathContexts: path_contexts,
            RecordedActivity: lambda: _recorded_activity(services),
            **{kind: partial(_itself, part) for kind, part in also.items()},
        }
    )
    return services


def _known_facts(services: Services) -> KnownFacts:
    from almanac.families.knowledge.known_facts import StoredFacts  # noqa: PLC0415 - only memory uses facts

    return StoredFacts(services.get(Store))


def _recorded_activity(services: Services) -> RecordedActivity:
    from almanac.families.memory.turns.activity import TurnActivity  # noqa: PLC0415 - only presence uses turns

    return TurnActivity(services.get(Store))


def _itself(part: object) -> object:
    return part
