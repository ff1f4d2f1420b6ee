"""Scores of the windows of a text, and the window that reads most like an order to a language model."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import log

from almanac.content.injections.features import SentenceFeatures, cross_features, group_features
from almanac.content.injections.frames import frame_of
from almanac.content.injections.sentences import sentences
from almanac.content.injections.weights import Weights, packaged_weights


@dataclass(frozen=True, slots=True)
class _Window:
    """Part of a text, from `start` to `end`, with its features. `first` is its first word, and `words` their number."""

    start: int
    end: int
    first: str
    words: int
    present: tuple[int, ...]
    lexical: set[int]
    conceptual: set[int]


def windows(text: str) -> Iterator[_Window]:
    """Yield the windows of `text`, which is lower case without accents, in order."""
    known: dict[str, tuple[int, ...]] = {}
    before: SentenceFeatures | None = None
    start, first, words = 0, "", 0
    for sentence in sentences(text):
        one = SentenceFeatures(sentence, known)
        if len(one.present) > 1:
            together = one.conceptual | group_features(one.present)
            yield _Window(
                sentence.start, sentence.end, sentence.words[0], len(sentence.words), one.present, one.lexical, together
            )
        if before is not None and before.present and one.present and len(before.present) + len(one.present) > 2:
            present = tuple(dict.fromkeys((*before.present, *one.present)))
            together = before.conceptual | one.conceptual | cross_features(before, one) | group_features(present)
            yield _Window(
                start, sentence.end, first, words + len(sentence.words), present, before.lexical | one.lexical, together
            )
        before, start, first, words = one, sentence.start, sentence.words[0], len(sentence.words)


# A window with fewer features does not get a higher score for it: one telling pair is no order.
FEWEST_CONCEPTS = 20
FEWEST_WORDS = 12
# Three words are a title as often as an order.
FEWEST_WORDS_OF_AN_ORDER = 4
# The more windows a text has, the more likely one of them scores high by chance. The limit prevents hiding an order by
# sheer length.
OF_A_LONGER_TEXT = 0.5
MOST_WINDOWS_COUNTED = 16


@dataclass(frozen=True, slots=True)
class Suspect:
    """The window from `start` to `end` with the highest `score`. Positive scores are marked."""

    start: int
    end: int
    score: float


def most_suspect(text: str) -> Suspect | None:
    """Return the most suspect window of `text`, which is lower case without accents, or None if all score low. Takes
    linear time."""
    model = packaged_weights()
    lowest = min(model.thresholds)
    best: Suspect | None = None
    read = 0
    for window in windows(text):
        if window.words < FEWEST_WORDS_OF_AN_ORDER:
            continue
        read += 1
        score = score_of(window, model)
        if score > lowest:
            score -= model.thresholds[frame_of(window.present, window.first)]
            if best is None or score > best.score:
                best = Suspect(window.start, window.end, score)
    if best is None:
        return None
    return replace(best, score=best.score - OF_A_LONGER_TEXT * log(min(read, MOST_WINDOWS_COUNTED)))


def score_of(window: _Window, model: Weights) -> float:
    """Return how much a window reads like an order to a language model."""
    weight = model.by_feature.get
    lexical = sum(weight(feature, 0) for feature in window.lexical)
    conceptual = sum(weight(feature, 0) for feature in window.conceptual)
    # Long windows have more features, so both sums are divided by the root of their number.
    words = lexical / max(FEWEST_WORDS, len(window.lexical)) ** 0.5
    return model.unit * (words + conceptual / max(FEWEST_CONCEPTS, len(window.conceptual)) ** 0.5) + model.bias
