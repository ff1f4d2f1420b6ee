"""Reactions of memory to events."""

from almanac.families.memory.candidates.proposals import REACTIONS as CANDIDATE_REACTIONS
from almanac.families.memory.entities.counts import COUNT
from almanac.families.memory.memories.recall_effects import RECALL
from almanac.families.memory.sessions.triggers import REACTIONS as SESSION_REACTIONS
from almanac.platform.bus.port import Reaction

REACTIONS: tuple[Reaction, ...] = (COUNT, RECALL, *SESSION_REACTIONS, *CANDIDATE_REACTIONS)
