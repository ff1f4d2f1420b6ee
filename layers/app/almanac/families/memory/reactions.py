"""What memory does because of events."""

from almanac.families.memory.memories.recalling import RECALL
from almanac.platform.bus.port import Reaction

REACTIONS: tuple[Reaction, ...] = (RECALL,)
