"""Every family, in the order in which the hub introduces them: the one list that servers and documents read."""

from almanac.families.calendar.family import family as calendar
from almanac.families.planner.family import family as planner
from almanac.families.team.family import family as team
from almanac.families.time.family import family as time
from almanac.platform.services import Services
from almanac.protocol.family import Family


def every_family(services: Services) -> tuple[Family, ...]:
    """All families over what `services` opens when a tool first needs it."""
    return (time, calendar(services), planner(services), team(services))


def described_families() -> tuple[Family, ...]:
    """All families, to be listed and documented: their tools cannot be called."""
    return every_family(Services({}))
