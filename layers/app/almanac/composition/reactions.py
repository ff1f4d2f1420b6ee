"""Every reaction of every family, and what reactions work with: the same on a laptop and on AWS."""

from almanac.families.calendar.accounts.reach import Providers, ProvidersIfAllowed
from almanac.families.planner.reactions import REACTIONS as PLANNER_REACTIONS
from almanac.families.team.rules.broadcasting import set_broadcast
from almanac.families.team.rules.reactions import rule_reactions
from almanac.kernel.clock import Clock
from almanac.platform.bus.port import Reaction
from almanac.platform.services import Services
from almanac.platform.store.port import Store

# pin_memory and record_turn have no performer yet: rules that use them are refused, see rule_sources.
REACTIONS: tuple[Reaction, ...] = (*PLANNER_REACTIONS, *rule_reactions({"set_broadcast": set_broadcast}))


def services_for(store: Store, clock: Clock, providers: Providers | None = None) -> Services:
    """Without `providers` there are native calendars only."""
    reach = providers or Providers()
    return Services(
        {Store: lambda: store, Clock: lambda: clock, Providers: lambda: reach, ProvidersIfAllowed: lambda: reach}
    )
