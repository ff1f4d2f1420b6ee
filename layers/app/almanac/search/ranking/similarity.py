"""Nearness of rows to a question by meaning, as wholes and piece by piece."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from almanac.platform.embedder.bits import bit_similarity
from almanac.search.analysis.parsed_question import ParsedQuestion, QuestionPieces
from almanac.search.analysis.unit_rows import UnitRows
from almanac.search.frame import Field, Frame, Matrix, Vector
from almanac.search.ranking.sessions import distance_weights, pairs_within
from almanac.search.ranking.words import idf, product

if TYPE_CHECKING:
    from numpy.typing import NDArray

REACH = 4
_BEFORE = distance_weights(0.9, 0.8, REACH)
_AFTER = distance_weights(0.9, 0.7, REACH)
_TABLE_FLOOR = 0.5
_BITS_FLOOR = 0.1
"""Similarities of pieces up to these floors are chance."""


def pool_similarity(field: Field) -> Vector | None:
    """Return the cosine of each row with the question, or None if no row has one.

    Rows use context vectors if they have them, and otherwise the static table. Both are brought to one scale. Rows
    without any vector get the mean.
    """
    static, context = field.similarity, field.context
    known = ~np.isnan(context)
    if not known.any():
        found = static
    elif known.all():
        found = context
    else:
        found = np.where(known, context, _on_scale_of(context, static))
    there = ~np.isnan(found)
    if not there.any():
        return None
    return np.where(there, found, found[there].mean())


def _on_scale_of(target: Vector, values: Vector) -> Vector:
    """Return `values`, shifted and stretched to agree in mean and spread with `target` on the rows that have both."""
    both = ~np.isnan(target) & ~np.isnan(values)
    if both.sum() < 2 or not values[both].std():
        return values
    stretch = target[both].std() / values[both].std()
    return (values - values[both].mean()) * stretch + target[both].mean()


def piece_weights(pieces: QuestionPieces, frequencies: Vector, documents: int) -> Vector:
    """Return the weight of each piece: the idf of the word that contains it, reduced for weak pieces. The weights sum
    to 1."""
    unknown = idf(np.zeros(1, dtype=np.float32), documents)
    weights = np.concatenate([idf(frequencies, documents), unknown])[pieces.terms] * pieces.factors
    return weights / np.maximum(weights.sum(), np.float32(1e-9))


def closeness(parsed: ParsedQuestion, field: Field, rows: Iterable[int]) -> Matrix:
    """Return the nearness, 0 to 1, of each row of the frame to each piece of the question. Rows other than `rows` are
    zero.

    A row uses its context bits if it has them, and otherwise the static table. A row without pieces counts the words
    that it has.
    """
    wanted = parsed.pieces
    if wanted is None:
        return np.zeros((len(field.length), 0), dtype=np.float32)
    found = np.zeros((len(field.length), len(wanted.texts)), dtype=np.float32)
    by_bits: dict[int, NDArray[np.uint8]] = {}
    by_table: dict[int, NDArray[np.uint16]] = {}
    by_words: list[int] = []
    for row in rows:
        bits, pieces = field.bits[row], field.pieces[row]
        if bits is not None and len(bits) and parsed.states is not None:
            by_bits[row] = bits
        elif len(pieces):
            by_table[row] = pieces
        else:
            by_words.append(row)
    if by_bits and parsed.states is not None:
        nearest = _nearest_by_bits(list(by_bits.values()), parsed.states.vectors)
        found[list(by_bits), : nearest.shape[1]] = _above(nearest, _BITS_FLOOR)
    if by_table and parsed.rows is not None:
        nearest = _nearest_by_table(list(by_table.values()), wanted.vectors, parsed.rows)
        found[list(by_table)] = _above(nearest, _TABLE_FLOOR)
    formed = np.flatnonzero(np.isin(wanted.terms, [place for place, _ in parsed.forms]))
    if len(formed):
        # Another form of a word counts as the word, even if the table and the model place them far apart.
        judged = np.array([*by_bits, *by_table], dtype=np.intp)[:, None]
        there = field.tf[judged, wanted.terms[formed]] > 0
        found[judged, formed] = np.maximum(found[judged, formed], there)
    if by_words and field.tf.shape[1]:
        found[by_words] = (field.tf[by_words][:, wanted.terms] > 0) & (wanted.terms >= 0)
    return found


def with_neighbours(frame: Frame, close: Matrix, counted: Vector) -> Matrix:
    """Return, for each row and piece, the best of the row and its neighbours, each weighted by `counted`."""
    best = np.sqrt(counted)[:, None] * close
    for pairs in pairs_within(frame, REACH):
        before = (_BEFORE[pairs.distance] * counted[pairs.earlier])[:, None] * close[pairs.earlier]
        after = (_AFTER[pairs.distance] * counted[pairs.later])[:, None] * close[pairs.later]
        best[pairs.later] = np.maximum(best[pairs.later], before)
        best[pairs.earlier] = np.maximum(best[pairs.earlier], after)
    return best


def _above(similarity: Matrix, floor: float) -> Matrix:
    return np.clip((similarity - np.float32(floor)) / np.float32(1 - floor), 0, 1)


def _nearest_by_table(rows: "Sequence[NDArray[np.uint16]]", question: Matrix, table: UnitRows) -> Matrix:
    pieces = np.concatenate(rows).astype(np.intp)
    # Compare each distinct piece once. These are a third of all pieces.
    present = np.zeros(len(table), dtype=np.bool_)
    present[pieces] = True
    different = np.flatnonzero(present)
    place = np.cumsum(present) - 1
    similar = product(table.of(different), question.T)
    return np.maximum.reduceat(similar[place[pieces]], _starts(rows), axis=0)


def _nearest_by_bits(rows: "Sequence[NDArray[np.uint8]]", question: Matrix) -> Matrix:
    """Return the largest cosine of each question piece with the signs of a row's pieces."""
    similar = bit_similarity(question, np.concatenate(rows))
    return np.maximum.reduceat(similar, _starts(rows), axis=1).T


def _starts(rows: "Sequence[NDArray[np.uint16]] | Sequence[NDArray[np.uint8]]") -> "NDArray[np.intp]":
    lengths = np.array([len(row) for row in rows], dtype=np.intp)
    return np.cumsum(lengths) - lengths
