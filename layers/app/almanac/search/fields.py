"""Operations on one field of every row of a frame: making it from stored entries, selecting rows, joining, counting."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from almanac.search.frame import Field, FieldStatistics, Vector
from almanac.search.port import CONTEXT_BYTES, FieldContext, FieldEntry, Question

if TYPE_CHECKING:
    from numpy.typing import NDArray


def field_of(entries: Sequence[FieldEntry], contexts: Sequence[FieldContext | None], question: Question) -> Field:
    """Make the field of rows from their entries and, for some of them, contexts."""
    tf = [[each.terms.get(term, 0) for term in question.terms] for each in entries]
    return Field(
        tf=np.array(tf, dtype=np.float32).reshape(len(entries), len(question.terms)),
        length=np.array([each.length for each in entries], dtype=np.float32),
        pieces=[np.frombuffer(each.pieces, dtype="<u2") for each in entries],
        kept=np.array([each.kept for each in entries], dtype=np.float32),
        bits=[_bits(each) for each in contexts],
        similarity=cosines([each.vector for each in entries], question.vector),
        context=cosines([each.vector if each else b"" for each in contexts], question.context),
    )


def cosines(vectors: Sequence[bytes], question: Vector | None) -> Vector:
    """Return the cosines of a unit vector with stored ones (little-endian float16).

    A row without a vector, or with one of another table, is nan.
    """
    found = np.full(len(vectors), np.nan, dtype=np.float32)
    if question is None:
        return found
    there = [row for row, vector in enumerate(vectors) if len(vector) == 2 * len(question)]
    stored = np.frombuffer(b"".join(vectors[row] for row in there), dtype="<f2").reshape(len(there), len(question))
    found[there] = stored.astype(np.float32) @ question
    return found


def statistics_of(entries: Sequence[FieldEntry], question: Question) -> FieldStatistics:
    """Return the term statistics of a corpus that consists of `entries`."""
    frequencies = [sum(term in each.terms for each in entries) for term in question.terms]
    lengths = [each.length for each in entries if each.length]
    return FieldStatistics(
        frequencies=np.array(frequencies, dtype=np.float32), length=sum(lengths) / len(lengths) if lengths else 0.0
    )


def take_rows(field: Field, rows: "NDArray[np.intp]") -> Field:
    chosen = rows.tolist()
    return Field(
        tf=field.tf[rows],
        length=field.length[rows],
        pieces=[field.pieces[row] for row in chosen],
        kept=field.kept[rows],
        bits=[field.bits[row] for row in chosen],
        similarity=field.similarity[rows],
        context=field.context[rows],
    )


def join_fields(one: Field, other: Field) -> Field:
    return Field(
        tf=np.concatenate([one.tf, other.tf]),
        length=np.concatenate([one.length, other.length]),
        pieces=one.pieces + other.pieces,
        kept=np.concatenate([one.kept, other.kept]),
        bits=one.bits + other.bits,
        similarity=np.concatenate([one.similarity, other.similarity]),
        context=np.concatenate([one.context, other.context]),
    )


def adjust_statistics(corpus: FieldStatistics, documents: int, dropped: Field, added: Field) -> FieldStatistics:
    """Return the statistics of a corpus of `documents` after some were dropped and others added.

    The corpus may not have contained all dropped documents, so no statistic falls below zero.
    """
    frequencies = corpus.frequencies - (dropped.tf > 0).sum(axis=0) + (added.tf > 0).sum(axis=0)
    total = corpus.length * documents - dropped.length.sum() + added.length.sum()
    count = documents - len(dropped.length) + len(added.length)
    return FieldStatistics(
        frequencies=np.maximum(frequencies, 0).astype(np.float32),
        length=max(float(total), 0.0) / max(count, 1),
        kernel_length=corpus.kernel_length,
    )


def _bits(context: FieldContext | None) -> "NDArray[np.uint8] | None":
    if context is None or not context.bits:
        return None
    return np.frombuffer(context.bits, dtype=np.uint8).reshape(-1, CONTEXT_BYTES)
