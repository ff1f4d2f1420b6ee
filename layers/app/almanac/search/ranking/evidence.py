"""Nearness of rows to a question, by their pieces if they have any and otherwise by their words."""

from typing import TYPE_CHECKING

import numpy as np

from almanac.search.analysis.parsed_question import ParsedQuestion
from almanac.search.frame import Field, Matrix, Vector
from almanac.search.ranking.parts import Evidence
from almanac.search.ranking.words import product

if TYPE_CHECKING:
    from numpy.typing import NDArray


def by_words(tf: Matrix, scores: Vector, weights: Vector) -> Evidence:
    """Return the evidence from words. `scores` are BM25 scores, which cannot exceed the sum of the terms' `weights`."""
    bound = np.maximum(weights.sum(), np.float32(1e-9))
    none = np.zeros(len(scores), dtype=np.bool_)
    own = product((tf > 0).astype(np.float32), weights)
    return Evidence(near=scores / bound, own=own / bound, by_bits=none, by_table=none)


def by_pieces(
    parsed: ParsedQuestion, field: Field, rows: "NDArray[np.intp]", close: tuple[Vector, Vector], others: Evidence
) -> Evidence:
    """Return the evidence from pieces.

    `close` is the nearness of each row with its neighbours, and by itself. `others` is the evidence for rows without
    pieces. It is also returned for a question such as C++, whose pieces are all signs and lone letters, because texts
    keep none of these.
    """
    if parsed.pieces is None or parsed.pieces.factors.max(initial=0) < 1:
        return others
    bits = np.array(
        [parsed.states is not None and field.bits[row] is not None for row in rows.tolist()], dtype=np.bool_
    )
    pieces = field.kept[rows] > 0
    near, own = close
    return Evidence(
        near=np.where(pieces, near, others.near),
        own=np.where(pieces, own, others.own),
        by_bits=bits & pieces,
        by_table=pieces & ~bits,
    )
