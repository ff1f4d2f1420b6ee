"""Relevance of memories to the current work."""

from collections.abc import Sequence

from msgspec import Struct

from almanac.families.context.core.types import PROJECT, Layer, type_of
from almanac.families.context.recall.matches import Match
from almanac.families.context.recall.order import MOST_WEIGHT, NO_WEIGHT, weight_of
from almanac.families.context.window.files import file_path, is_same_file
from almanac.families.context.window.patterns import PATTERN
from almanac.families.context.window.reader import MOST, Readings
from almanac.families.context.window.window_request import WindowRequest
from almanac.families.memory.core.documents import file_of
from almanac.families.memory.core.likeness import words_of
from almanac.families.memory.core.records import Memory
from almanac.search.analysis.stop_words import STOP_WORDS

ABOUT_FILE, MENTIONS_FILE = 2.0, 1.5
"""Points of a memory about the open file, and of one that mentions it. More than similarity and newness together."""
ALIKE = 0.5
"""Similarity from which a memory is related to the current work."""
_BY_WORDS = 0.8
"""Similarity of a memory that has all words of a text."""
_NEW = 0.4
"""Points of the newest memory of the project. The tenth newest has a tenth of them."""
_LEAST_NEW = 0.02
"""Share of these points that every older memory keeps, so that each is counted if it is left out."""
_PINNED, _HEAVY, _HERE = 0.3, 0.3, 0.15
"""Points that do not decay: of a pinned memory, of weight 5 (half of them at weight 4), and of a memory about exactly
the requested path."""
_ELSEWHERE = 0.5
"""Factor for a memory about another place."""


class RatedMemory(Struct, frozen=True, kw_only=True):
    """A memory with its points. `about` are its points for the open file. `likeness`, 0 to 1, is its similarity to the
    current work."""

    memory: Memory
    layer: Layer
    likeness: float
    about: float
    points: float


def rank_memories(readings: Readings, request: WindowRequest) -> list[RatedMemory]:
    """Return all relevant memories except code patterns, the most relevant first."""
    doing = [words for words in map(_content_words, readings.doing) if len(words) > 1]
    likeness = {match.memory.id: _likeness(match, doing) for match in readings.hits}
    own = [match for match in readings.newest if match.layer == PROJECT and type_of(match.memory) != PATTERN]
    newness = {match.memory.id: _NEW * max(_LEAST_NEW, 1 - place / MOST) for place, match in enumerate(own)}
    found = {match.memory.id: match for match in (*readings.newest, *readings.hits)}
    rated = [
        _rate(match, request, likeness.get(name, 0.0), newness.get(name, 0.0))
        for name, match in found.items()
        if type_of(match.memory) != PATTERN
    ]
    return sorted((one for one in rated if one.points > 0), key=_most_first)


def _likeness(match: Match, doing: Sequence[frozenset[str]]) -> float:
    """Return the similarity to the current work, or to one of its texts by words; 0 if that is low. A memory with all
    words of a command is similar to it, whatever else the query has."""
    words = frozenset(words_of(match.memory.content))
    share = max((len(each & words) / len(each) for each in doing), default=0.0)
    likeness = max(match.similarity, _BY_WORDS * share)
    return likeness if likeness >= ALIKE else 0.0


def _content_words(text: str) -> frozenset[str]:
    return frozenset(words_of(text)) - STOP_WORDS


def _most_first(one: RatedMemory) -> tuple[float, int, str]:
    return -one.points, -one.memory.at, one.memory.id


def _rate(match: Match, request: WindowRequest, likeness: float, newness: float) -> RatedMemory:
    memory = match.memory
    about = _about(memory, request)
    points = about + _floor(memory, request) + (likeness + newness) * weight_of(memory) / NO_WEIGHT
    if match.layer == PROJECT and _is_elsewhere(memory.place, request.place):
        points *= _ELSEWHERE
    return RatedMemory(memory=memory, layer=match.layer, likeness=likeness, about=about, points=points)


def _floor(memory: Memory, request: WindowRequest) -> float:
    """Return the points that a memory keeps however many newer ones there are."""
    pinned = _PINNED if memory.kind == "pinned" else 0.0
    heavy = _HEAVY * max(0.0, weight_of(memory) - NO_WEIGHT) / (MOST_WEIGHT - NO_WEIGHT)
    here = _HERE if memory.place is not None and memory.place == request.place else 0.0
    return pinned + heavy + here


def _about(memory: Memory, request: WindowRequest) -> float:
    if request.file is None:
        return 0.0
    named = file_path(file_of(memory.metadata), request.place)
    if named is not None and is_same_file(named, request.file):
        return ABOUT_FILE
    return MENTIONS_FILE if request.file in memory.content else 0.0


def _is_elsewhere(place: str | None, here: str | None) -> bool:
    """Return whether neither place lies in the other."""
    if place is None or here is None or place == here:
        return False
    return not (f"{place}/".startswith(f"{here}/") or f"{here}/".startswith(f"{place}/"))
