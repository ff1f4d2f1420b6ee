"""What memory does because of events."""

from almanac.families.memory.candidates.proposals import REACTIONS as OF_CANDIDATES
from almanac.families.memory.sessions.occasions import REACTIONS as OF_SESSIONS
from almanac.platform.bus.port import Reaction

REACTIONS: tuple[Reaction, ...] = (*OF_SESSIONS, *OF_CANDIDATES)
