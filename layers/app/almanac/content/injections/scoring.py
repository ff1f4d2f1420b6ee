"""The score of each window of a text, and the one that reads most like an order to a language model."""

from collections.abc import Iterator
from dataclasses import dataclass

from almanac.content.injections.frames import frame_of
from almanac.content.injections.weights import Weights, packaged_weights
from almanac.content.injections.windows import Window, windows

# A window with fewer features than these weighs no more for it: one telling pair is no order.
FEWEST_CONCEPTS = 20
FEWEST_WORDS = 12
# Three words are a title as often as an order.
FEWEST_WORDS_OF_AN_ORDER = 4


@dataclass(frozen=True, slots=True)
class Suspect:
    """The window from `start` to `end` with the highest `score`; positive ones are marked."""

    start: int
    end: int
    score: float


def most_suspect(text: str, weights: Weights | None = None) -> Suspect | None:
    """Return the most suspect window of `text`, which is lower case without accents; None where none comes near.

    Linear in the length of `text`.
    """
    model = weights or packaged_weights()
    return max(_scored(text, model), key=lambda one: one.score, default=None)


def _scored(text: str, model: Weights) -> Iterator[Suspect]:
    lowest = min(model.thresholds)
    for window in windows(text):
        if window.words < FEWEST_WORDS_OF_AN_ORDER:
            continue
        score = score_of(window, model)
        if score > lowest:
            score -= model.thresholds[frame_of(window.present, window.first)]
            yield Suspect(window.start, window.end, score)


def score_of(window: Window, model: Weights) -> float:
    """Return how much a window reads like an order to a language model."""
    weight = model.by_feature.get
    lexical = sum(weight(feature, 0) for feature in window.lexical)
    conceptual = sum(weight(feature, 0) for feature in window.conceptual)
    # Long windows hold more of everything, so both are measured against their number.
    words = lexical / max(FEWEST_WORDS, len(window.lexical)) ** 0.5
    return model.unit * (words + conceptual / max(FEWEST_CONCEPTS, len(window.conceptual)) ** 0.5) + model.bias
