"""Reactions of knowledge to events."""

from almanac.families.knowledge.contradictions.reactions import COMPARE
from almanac.platform.bus.port import Reaction

REACTIONS: tuple[Reaction, ...] = (COMPARE,)
