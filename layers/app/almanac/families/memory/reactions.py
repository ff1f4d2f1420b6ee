"""What memory does because of events."""

from almanac.families.memory.memories.recalling import RECALL
from almanac.families.memory.sessions.occasions import REACTIONS as SESSION_REACTIONS
from almanac.platform.bus.port import Reaction

REACTIONS: tuple[Reaction, ...] = (RECALL, *SESSION_REACTIONS)
