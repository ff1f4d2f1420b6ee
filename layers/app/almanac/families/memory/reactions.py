"""What memory does because of events."""

from almanac.families.memory.entities.counting import COUNT
from almanac.platform.bus.port import Reaction

REACTIONS: tuple[Reaction, ...] = (COUNT,)
