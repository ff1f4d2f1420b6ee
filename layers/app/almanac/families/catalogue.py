"""Every family, in the order of the design: the one list that the hub, the laptop and the documents read."""

from almanac.families.time.family import family as time
from almanac.protocol.family import Family

FAMILIES: tuple[Family, ...] = (time,)
