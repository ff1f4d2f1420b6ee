"""Calibrated similarities from 0 to 1, which mean the same for every question. 0.7 is a probability of one in twenty.

Scores only order the hits of one question, and the best hit of any question looks good. A probability therefore also
uses absolute measures: how near a row comes to the question. The constants are logistic fits. Talk is fitted to marked
evidence in conversations, documents to the same turns stored as notes, and code to the definitions for which doc
comments were written. Annotators mark evidence sparingly, which makes probabilities low. Hence one in twenty.
"""

from math import log

import numpy as np
from msgspec import Struct

from almanac.search.frame import Matrix, Vector
from almanac.search.port import Profile
from almanac.search.ranking.parts import ScoredRows, total
from almanac.search.ranking.words import product

_THRESHOLD = 0.7
_PROBABILITY = 0.05
_FLATNESS = 0.6
_FIRST = 5


class Fit(Struct, frozen=True):
    """Coefficients of the log odds that a row answers the question.

    `base` is the constant, and `near`, `own`, `score` and `behind` are the weights of the features. If the nearest of
    the first hits does not reach `nearest`, nothing is alike, and all similarities are reduced in proportion.
    """

    base: float
    near: float
    own: float
    score: float
    behind: float
    nearest: float

    @property
    def weights(self) -> Vector:
        return np.array([self.near, self.own, self.score, self.behind], dtype=np.float32)


class Fits(Struct, frozen=True):
    """Fits for rows judged by words, by the static table, or by context bits."""

    words: Fit
    table: Fit
    bits: Fit


TALK = Fits(
    words=Fit(base=-3.60, near=0.81, own=2.62, score=0.19, behind=1.14, nearest=0.20),
    table=Fit(base=-3.51, near=2.75, own=-0.30, score=0.16, behind=0.67, nearest=0.36),
    bits=Fit(base=-4.18, near=7.16, own=-3.51, score=0.18, behind=0.58, nearest=0.33),
)
DOCUMENTS = Fits(
    words=Fit(base=-3.12, near=0.0, own=2.24, score=0.66, behind=4.11, nearest=0.14),
    table=Fit(base=-5.57, near=3.53, own=0.0, score=0.99, behind=0.64, nearest=0.26),
    bits=Fit(base=-5.52, near=5.65, own=0.0, score=0.82, behind=1.15, nearest=0.31),
)
CODE = Fits(
    words=Fit(base=-6.23, near=0.0, own=1.50, score=3.27, behind=2.25, nearest=0.13),
    table=Fit(base=-7.54, near=1.11, own=0.0, score=2.20, behind=1.25, nearest=0.19),
    bits=Fit(base=-8.23, near=0.25, own=0.0, score=1.86, behind=0.96, nearest=0.26),
)

_FITS: dict[Profile, Fits] = {"talk": TALK, "documents": DOCUMENTS, "code": CODE}


def similarities(scored: ScoredRows, profile: Profile) -> Vector:
    """Return the similarity of each judged row. It does not depend on the legs that order the rows."""
    fits = _FITS[profile]
    evidence = scored.evidence
    rows = features(scored)
    by_words = ~(evidence.by_bits | evidence.by_table)
    found = np.zeros(len(rows), dtype=np.float32)
    nearest = np.zeros(len(rows), dtype=np.float32)
    for fit, chosen in ((fits.words, by_words), (fits.table, evidence.by_table), (fits.bits, evidence.by_bits)):
        found[chosen] = _similarity(product(rows[chosen], fit.weights) + fit.base)
        nearest[chosen] = evidence.near[chosen] / fit.nearest
    first = np.argsort(-rows[:, 2], kind="stable")[:_FIRST]
    return found * min(1.0, float(nearest[first].max(initial=0)))


def features(scored: ScoredRows) -> Matrix:
    """Return the features of each row: near, own, score, and the score minus the best score."""
    scores = total(scored.parts, len(scored.rows))
    best = scores.max(initial=-np.inf)
    return np.stack([scored.evidence.near, scored.evidence.own, scores, scores - best], axis=1)


def _similarity(log_odds: Vector) -> Vector:
    beyond = log_odds - np.float32(_log_odds(_PROBABILITY))
    return np.reciprocal(1 + np.exp(np.float32(-_log_odds(_THRESHOLD)) - np.float32(_FLATNESS) * beyond))


def _log_odds(probability: float) -> float:
    return log(probability / (1 - probability))
