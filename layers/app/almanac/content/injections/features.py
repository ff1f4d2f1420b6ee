"""Features of one sentence, or of two that follow each other, as the numbers under which the model keeps weights.

Words, word pieces and pairs of words are hashed. Concepts count alone, in pairs, and in the order in which they are
said; they carry what the model learnt in one language over to the others.
"""

from collections.abc import Iterable
from zlib import crc32

from almanac.content.injections.concepts import COUNT, GROUPS
from almanac.content.injections.sentences import Sentence

# Features of concepts have numbers below this, hashes of words any of 32 bits: few collide.
_ALONE = COUNT
_PAIR = COUNT * COUNT
_ORDERED = 2 * _PAIR
_ACROSS = 3 * _PAIR
_TRIPLE = COUNT**3
_GROUPED = 2 * _TRIPLE
CONCEPT_FEATURES = 3 * _TRIPLE
_FIRST = 2 * COUNT
_MOST_CONCEPTS = 12
_MOST_ACROSS = 6
_PIECE = 5


def word_features(word: str) -> tuple[int, ...]:
    """Return the hashes of a word and its pieces: every five letters of it that follow each other."""
    if len(word) <= _PIECE:
        return (crc32(word.encode()),)
    last = len(word) - _PIECE
    # A piece keeps a hyphen where the word goes on, so that beginnings and ends differ from what lies between.
    pieces = (
        f"{'-' if start else ''}{word[start : start + _PIECE]}{'-' if start < last else ''}"
        for start in range(last + 1)
    )
    return (crc32(word.encode()), *(crc32(piece.encode()) for piece in pieces))


class FeaturesOfSentence:
    """Features of a sentence: `lexical` of its words, `conceptual` of its concepts."""

    __slots__ = ("conceptual", "lexical", "present")

    def __init__(self, sentence: Sentence, known: dict[str, tuple[int, ...]]) -> None:
        lexical: set[int] = set()
        previous = ""
        for word in sentence.words:
            hashed = known.get(word)
            if hashed is None:
                hashed = known[word] = word_features(word)
            lexical.update(hashed)
            if previous:
                lexical.add(crc32(f"{previous} {word}".encode()))
            previous = word
        self.lexical = lexical
        named = [concepts for concepts in sentence.concepts if concepts]
        self.present = tuple(dict.fromkeys(one for concepts in named for one in concepts))[:_MOST_CONCEPTS]
        self.conceptual = _of_concepts(self.present, named)
        if sentence.concepts and sentence.concepts[0]:
            self.conceptual.update(_FIRST + one for one in sentence.concepts[0])


def grouped(present: Iterable[int]) -> set[int]:
    """Return a feature for each two and three groups of the concepts `present`; a group with several counts twice."""
    counted: dict[int, int] = {}
    for one in present:
        group = GROUPS.get(one)
        if group is not None:
            counted[group] = 1 + (group in counted)
    levels = sorted(2 * group + level for group, level in counted.items())
    found: set[int] = set()
    for place, one in enumerate(levels):
        for further, other in enumerate(levels[place + 1 :], place + 1):
            found.add(_GROUPED + one * COUNT + other)
            found.update(_GROUPED + (one * COUNT + other) * COUNT + third for third in levels[further + 1 :])
    return found


def across(one: FeaturesOfSentence, other: FeaturesOfSentence) -> set[int]:
    """Return the pairs of concepts of which the first sentence holds one and the second the other."""
    return {
        _ACROSS + first * COUNT + second
        for first in one.present[:_MOST_ACROSS]
        for second in other.present[:_MOST_ACROSS]
        if first != second
    }


def _of_concepts(present: Iterable[int], named: list[tuple[int, ...]]) -> set[int]:
    ordered = sorted(present)
    found = {_ALONE + one for one in ordered}
    found.update(_PAIR + one * COUNT + other for place, one in enumerate(ordered) for other in ordered[place + 1 :])
    said = [concepts[0] for concepts in named]
    for place, one in enumerate(said):
        following = said[place + 1 : place + 4]
        found.update(_ORDERED + one * COUNT + other for other in following)
        if len(following) > 1:
            found.add(_TRIPLE + (one * COUNT + following[0]) * COUNT + following[1])
    return found
