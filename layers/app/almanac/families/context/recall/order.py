"""Order of hits: the most similar first, and among near equals the one with more weight."""

from collections.abc import Iterable

from almanac.families.context.recall.matches import Match
from almanac.families.memory.core.records import Memory

NO_WEIGHT = 3.0
MOST_WEIGHT = 5.0
_SHARE = 0.15
"""Of similarity that weight decides: 5 lifts it by a tenth, 1 lowers it by a tenth."""


def weight_of(memory: Memory) -> float:
    """1 to 5: what nobody weighed is in the middle."""
    return NO_WEIGHT if memory.weight is None else memory.weight


def weighed(match: Match) -> float:
    """The similarity by which hits are ordered; answers show the plain one."""
    return match.similarity * (1 - _SHARE + _SHARE * weight_of(match.memory) / NO_WEIGHT)


def in_order(matches: Iterable[Match]) -> list[Match]:
    """Of equals the newest first."""
    return sorted(matches, key=lambda one: (-weighed(one), -one.memory.at, one.memory.id))
