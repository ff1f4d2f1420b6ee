"""Features of one sentence, or of two consecutive ones, as the numbers under which the model stores weights.

Words, word pieces and pairs of words are hashed. Concepts count alone, in pairs, and in their order. They transfer what
the model learnt in one language to the others.
"""

from collections.abc import Iterable
from zlib import crc32

from almanac.content.injections.concepts import COUNT, GROUPS
from almanac.content.injections.sentences import Sentence

# Features of concepts have numbers below this. Hashes of words may have any 32 bits, so few collide.
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
    """Return the hashes of a word and its pieces, which are all runs of five letters in it."""
    if len(word) <= _PIECE:
        return (crc32(word.encode()),)
    last = len(word) - _PIECE
    # A hyphen marks the side on which the word continues, so that beginnings, endings and middles differ.
    pieces = (
        f"{'-' if start else ''}{word[start : start + _PIECE]}{'-' if start < last else ''}"
        for start in range(last + 1)
    )
    return (crc32(word.encode()), *(crc32(piece.encode()) for piece in pieces))


class SentenceFeatures:
    """Features of a sentence: `lexical` from its words, `conceptual` from its concepts."""

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
        self.present = tuple(dict.fromkeys(concept for concepts in named for concept in concepts))[:_MOST_CONCEPTS]
        self.conceptual = _concept_features(self.present, named)
        if sentence.concepts and sentence.concepts[0]:
            self.conceptual.update(_FIRST + one for one in sentence.concepts[0])


def group_features(present: Iterable[int]) -> set[int]:
    """Return a feature for each two and three groups of the concepts `present`. A group with several concepts counts as
    another level."""
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


def cross_features(one: SentenceFeatures, other: SentenceFeatures) -> set[int]:
    """Return the pairs of a concept in the first sentence and a concept in the second."""
    return {
        _ACROSS + first * COUNT + second
        for first in one.present[:_MOST_ACROSS]
        for second in other.present[:_MOST_ACROSS]
        if first != second
    }


def _concept_features(present: Iterable[int], named: list[tuple[int, ...]]) -> set[int]:
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
