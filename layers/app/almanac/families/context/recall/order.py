"""Order of hits: the most similar first, and among near equals the one with more weight."""

from collections.abc import Iterable

from almanac.families.context.recall.matches import Match
from almanac.families.memory.core.records import Memory

NO_WEIGHT = 3.0
MOST_WEIGHT = 5.0
_SHARE = 0.15
"""Share of the similarity that weight affects. Weight 5 raises it by a tenth, weight 1 lowers it by a tenth."""


def weight_of(memory: Memory) -> float:
    """Return the weight, 1 to 5. A memory without one has the middle weight."""
    return NO_WEIGHT if memory.weight is None else memory.weight


def weighted_similarity(match: Match) -> float:
    """Return the similarity by which hits are ordered. Results show the plain similarity."""
    return match.similarity * (1 - _SHARE + _SHARE * weight_of(match.memory) / NO_WEIGHT)


def in_order(matches: Iterable[Match]) -> list[Match]:
    """Sort matches, the newest first among equals."""
    return sorted(matches, key=lambda one: (-weighted_similarity(one), -one.memory.at, one.memory.id))
