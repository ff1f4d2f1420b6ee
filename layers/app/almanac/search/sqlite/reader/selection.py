"""Selection of the candidates of a collection, from the scores that each leg gives to all its documents."""

from collections.abc import Sequence

import numpy as np

from almanac.search.frame import Vector
from almanac.search.port import Leg, Profile, Question
from almanac.search.sqlite.reader.best import best
from almanac.search.sqlite.reader.blocks import Mask, Places
from almanac.search.sqlite.reader.columns import Columns
from almanac.search.sqlite.reader.words import Words

_MEANING_SHARE = 0.5
"""Weight at which likeness is added to the score by words in talk, with both scaled to between 0 and 1."""


def select_places(
    words: Words, profile: Profile, question: Question, allowed: Mask, legs: Sequence[Leg], size: int
) -> Places:
    """Return the places of the best `size` documents by words and half as many by meaning, in ascending order.

    In talk, answers lie near the words of the question rather than in the same turn, so likeness also counts in the
    first selection.
    """
    likeness = likeness_of(words.columns, question, allowed) if "meaning" in legs else None
    chosen: list[Places] = []
    if "words" in legs:
        scores = words.scores(profile)
        found = np.flatnonzero(allowed & (scores > 0))
        if profile == "talk" and likeness is not None and len(found):
            scores = scores / scores[found].max() + _MEANING_SHARE * _between_0_and_1(likeness, allowed)
        chosen.append(_best(found, scores[found], size))
    if likeness is not None:
        found = np.flatnonzero(allowed & ~np.isnan(likeness))
        chosen.append(_best(found, likeness[found], -(-size // 2)))
    return np.unique(np.concatenate(chosen)) if chosen else np.empty(0, np.int64)


def likeness_of(columns: Columns, question: Question, allowed: Mask) -> Vector | None:
    """Return the nearness of each allowed place to the question. Other places, and places without a vector, are nan.

    Returns None if no place has a vector. Context vectors come first. The other places use the static table, shifted
    and stretched to the same scale.
    """
    context = columns.context.cosines(question.context, allowed)
    if context is None:
        return columns.static.cosines(question.vector, allowed)
    known = ~np.isnan(context)
    static = None if np.array_equal(known, allowed) else columns.static.cosines(question.vector, allowed)
    if static is None:
        return context
    both = known & ~np.isnan(static)
    if np.count_nonzero(both) > 1 and (spread := float(static[both].std())):
        static = (static - static[both].mean()) * (context[both].std() / spread) + context[both].mean()
    return np.where(known, context, static)


def _between_0_and_1(likeness: Vector, allowed: Mask) -> Vector:
    """Scale likeness to 0 to 1 among the allowed places. Places without a vector get 0."""
    among = likeness[allowed & ~np.isnan(likeness)]
    if not len(among):
        return np.zeros_like(likeness)
    lowest, highest = among.min(), among.max()
    return np.nan_to_num((likeness - lowest) / ((highest - lowest) or 1))


def _best(found: Places, scores: Vector, size: int) -> Places:
    return found[best(scores, size)]
