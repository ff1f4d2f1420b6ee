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
"""Points of what the open file is said to be, and of what names it: more than likeness and newness together."""
ALIKE = 0.5
"""From this likeness on a memory has to do with what is worked on."""
_BY_WORDS = 0.8
"""Likeness of a memory that has all words of a text."""
_NEW = 0.4
"""Points of the newest memory of the project; the tenth newest has a tenth of them."""
_LEAST_NEW = 0.02
"""The share of these points that every older memory of the project keeps, so that none is left out uncounted."""
_PINNED, _HEAVY, _HERE = 0.3, 0.3, 0.15
"""Points that age does not take away: of a pinned memory, of weight 5 (half of them at weight 4), and of a memory about
the very path that is asked for."""
_ELSEWHERE = 0.5
"""Weight of a memory about another place."""


class Relevant(Struct, frozen=True, kw_only=True):
    """A memory with its points. `about`: the points that it has for the open file. `likeness`, 0 to 1, to what is
    worked on."""

    memory: Memory
    layer: Layer
    likeness: float
    about: float
    points: float


def relevant(readings: Readings, asked: WindowRequest) -> list[Relevant]:
    """Return all relevant memories except code patterns, the most relevant first."""
    doing = [words for words in map(_telling_words, readings.doing) if len(words) > 1]
    likeness = {match.memory.id: _likeness(match, doing) for match in readings.hits}
    own = [match for match in readings.newest if match.layer == PROJECT and type_of(match.memory) != PATTERN]
    newness = {match.memory.id: _NEW * max(_LEAST_NEW, 1 - place / MOST) for place, match in enumerate(own)}
    found = {match.memory.id: match for match in (*readings.newest, *readings.hits)}
    rated = [
        _rated(match, asked, likeness.get(name, 0.0), newness.get(name, 0.0))
        for name, match in found.items()
        if type_of(match.memory) != PATTERN
    ]
    return sorted((one for one in rated if one.points > 0), key=_most_first)


def _likeness(match: Match, doing: Sequence[frozenset[str]]) -> float:
    """Its similarity to all that is worked on, or how much it says of one text of what is done; 0 where that is little.
    What has all words of a command is alike to that, whatever else is asked for with it."""
    words = frozenset(words_of(match.memory.content))
    share = max((len(each & words) / len(each) for each in doing), default=0.0)
    likeness = max(match.similarity, _BY_WORDS * share)
    return likeness if likeness >= ALIKE else 0.0


def _telling_words(text: str) -> frozenset[str]:
    return frozenset(words_of(text)) - STOP_WORDS


def _most_first(one: Relevant) -> tuple[float, int, str]:
    return -one.points, -one.memory.at, one.memory.id


def _rated(match: Match, asked: WindowRequest, likeness: float, newness: float) -> Relevant:
    memory = match.memory
    about = _about(memory, asked)
    points = about + _floor(memory, asked) + (likeness + newness) * weight_of(memory) / NO_WEIGHT
    if match.layer == PROJECT and _is_elsewhere(memory.place, asked.place):
        points *= _ELSEWHERE
    return Relevant(memory=memory, layer=match.layer, likeness=likeness, about=about, points=points)


def _floor(memory: Memory, asked: WindowRequest) -> float:
    """Return the points that a memory keeps however many newer ones there are."""
    pinned = _PINNED if memory.kind == "pinned" else 0.0
    heavy = _HEAVY * max(0.0, weight_of(memory) - NO_WEIGHT) / (MOST_WEIGHT - NO_WEIGHT)
    here = _HERE if memory.place is not None and memory.place == asked.place else 0.0
    return pinned + heavy + here


def _about(memory: Memory, asked: WindowRequest) -> float:
    if asked.file is None:
        return 0.0
    named = file_path(file_of(memory.metadata), asked.place)
    if named is not None and is_same_file(named, asked.file):
        return ABOUT_FILE
    return MENTIONS_FILE if asked.file in memory.content else 0.0


def _is_elsewhere(place: str | None, here: str | None) -> bool:
    """Return whether neither place lies in the other."""
    if place is None or here is None or place == here:
        return False
    return not (f"{place}/".startswith(f"{here}/") or f"{here}/".startswith(f"{place}/"))
