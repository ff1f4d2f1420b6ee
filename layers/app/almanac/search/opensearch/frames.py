"""Frames of packed documents. They are made column by column, because there may be thousands of documents."""

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from almanac.search.fields import cosines
from almanac.search.frame import Field, FieldStatistics, Frame, Matrix
from almanac.search.opensearch.document_codec import (
    MAX_COUNT,
    PackedDocument,
    PackedField,
    PackedVectors,
    digest_of,
)
from almanac.search.port import CONTEXT_BYTES, Question

_NONE = PackedVectors()
_DIGEST = np.uint64(0xFFFFFFFFFFFFFFFF ^ MAX_COUNT)


class PackedHits(Struct, frozen=True):
    """Documents by id. `vectors` has those of candidates. Documents without an item there are neighbours."""

    packed: dict[str, PackedDocument]
    vectors: dict[str, PackedVectors]


def frame_of_packed(
    found: PackedHits, question: Question, documents: int, statistics: Mapping[str, FieldStatistics]
) -> Frame:
    """Return the frame of candidates and their neighbours. `statistics` are by field."""
    rows = sorted(found.packed.values(), key=_place)
    vectors = [found.vectors.get(each.id, _NONE) for each in rows]
    session, sessions = _number_sessions([each.session for each in rows])
    return Frame(
        ids=[each.id for each in rows],
        kinds=[each.kind for each in rows],
        versions=[each.version for each in rows],
        session=session,
        sessions=sessions,
        position=np.array([each.position for each in rows], dtype=np.int64),
        candidates=np.array([each.id in found.vectors for each in rows], dtype=np.bool_),
        at=np.array([each.at for each in rows], dtype=np.int64),
        roles=[each.role for each in rows],
        speakers=[each.speaker for each in rows],
        asks=np.array([each.asks for each in rows], dtype=np.bool_),
        names=np.array([each.names for each in rows], dtype=np.float32),
        title=_field(
            [each.title for each in rows],
            [each.title for each in vectors],
            [each.title_context for each in vectors],
            question,
        ),
        text=_field(
            [each.text for each in rows],
            [each.text for each in vectors],
            [each.text_context for each in vectors],
            question,
        ),
        documents=documents,
        title_statistics=statistics["title"],
        text_statistics=statistics["text"],
    )


def _place(packed: PackedDocument) -> tuple[str, int, str]:
    return packed.session, packed.position, packed.id


def _number_sessions(sessions: Sequence[str]) -> tuple[NDArray[np.int32], list[str]]:
    """Return the number of each row's session, and the session of each number. A row without a session gets a number of
    its own."""
    names: list[str] = []
    numbers: list[int] = []
    for session in sessions:
        if not session or not names or names[-1] != session:
            names.append(session)
        numbers.append(len(names) - 1)
    return np.array(numbers, dtype=np.int32), names


def _field(
    fields: Sequence[PackedField], vectors: Sequence[bytes], contexts: Sequence[bytes], question: Question
) -> Field:
    return Field(
        tf=_counts([each.terms for each in fields], question.terms),
        length=np.array([each.length for each in fields], dtype=np.float32),
        pieces=[np.frombuffer(each.pieces, dtype="<u2") for each in fields],
        kept=np.array([each.kept for each in fields], dtype=np.float32),
        bits=[_bits(each.bits) for each in fields],
        similarity=cosines(vectors, question.vector),
        context=cosines(contexts, question.context),
    )


def _counts(stored: Sequence[bytes], terms: Sequence[str]) -> Matrix:
    """Return how often each row has each term."""
    counts = np.zeros((len(stored), len(terms)), dtype=np.float32)
    numbers: NDArray[np.uint64] = np.frombuffer(b"".join(stored), dtype="<u8")
    owners = np.repeat(np.arange(len(stored)), [len(each) // 8 for each in stored])
    digests = numbers & _DIGEST
    for column, term in enumerate(terms):
        places = np.flatnonzero(digests == np.uint64(digest_of(term)))
        counts[owners[places], column] = (numbers[places] & np.uint64(MAX_COUNT)).astype(np.float32)
    return counts


def _bits(stored: bytes) -> NDArray[np.uint8] | None:
    return np.frombuffer(stored, dtype=np.uint8).reshape(-1, CONTEXT_BYTES) if stored else None
