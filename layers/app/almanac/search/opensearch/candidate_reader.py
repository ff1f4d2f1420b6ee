"""Candidates of a question, read in three requests. Each request needs the answer to the one before.

1. The number of documents, the number with each term, and the nearest documents by meaning.
2. The best documents by words. The weight of a word depends on how rare it is in this corpus.
3. The neighbours of these documents.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from msgspec import Struct

from almanac.kernel.errors import Unavailable
from almanac.search.frame import FieldStatistics, Frame
from almanac.search.opensearch import layout, queries
from almanac.search.opensearch.calls import NO_INDEX, Calls, IndexMissing, lines
from almanac.search.opensearch.document_codec import PackedDocument, unpack_document, unpack_vectors
from almanac.search.opensearch.frames import PackedHits, frame_of_packed
from almanac.search.port import Filters, Leg, Profile, Question

REACH = 6
"""Distance in positions up to which a document helps to score another."""

NEAR = 3
"""Distance in positions up to which a document may be found because of another's words."""

_MAX_HITS = 10_000


class _Fields(Struct, frozen=True, gc=False):
    packed: tuple[bytes]
    vectors: Sequence[bytes] = ()


class _Hit(Struct, frozen=True, gc=False):
    fields: _Fields


class _Total(Struct, frozen=True):
    value: int


class _Hits(Struct, frozen=True):
    hits: list[_Hit]
    total: _Total = _Total(0)


class _Error(Struct, frozen=True):
    type: str


class _Bucket(Struct, frozen=True):
    doc_count: int


class _Counts(Struct, frozen=True):
    """Result of an aggregation: numbers of documents by the place of a term, or a mean."""

    buckets: Mapping[str, _Bucket] = {}
    value: float | None = None


class _Answer(Struct, frozen=True):
    hits: _Hits = _Hits([])
    aggregations: Mapping[str, _Counts] = {}
    error: _Error | None = None


class _Answers(Struct, frozen=True):
    responses: list[_Answer]


class _Corpus(Struct, frozen=True):
    """Statistics of a corpus, known after the first request."""

    documents: int
    statistics: Mapping[str, FieldStatistics]


class CandidateReader:
    """Reads search candidates from the index behind `alias`. Raises IndexMissing if there is none yet."""

    def __init__(self, calls: Calls, alias: str) -> None:
        self._calls = calls
        self._alias = alias

    def candidates(
        self, corpus: str, profile: Profile, question: Question, filters: Filters, legs: Sequence[Leg], size: int
    ) -> Frame:
        known, nearest = self._first(corpus, question, filters, legs, size)
        found = PackedHits({}, {})
        _add(found, nearest)
        near: list[PackedDocument] = []
        if "words" in legs:
            worded, *others = self._by_words(corpus, profile, question, filters, size, known)
            _add(found, worded)
            # In talk an answer may lie near the question's words, so neighbours of these may be candidates too.
            near = [_unpack_hit(hit) for hits in (worded, *others) for hit in hits] if profile == "talk" else []
        self._add_around(found, corpus, near, filters)
        return frame_of_packed(found, question, known.documents, known.statistics)

    def _first(
        self, corpus: str, question: Question, filters: Filters, legs: Sequence[Leg], size: int
    ) -> tuple[_Corpus, list[_Hit]]:
        vectors = queries.vectors(question) if "meaning" in legs else {}
        bodies = [queries.statistics(corpus, question.terms)]
        bodies += [queries.nearest(corpus, field, vector, filters, -(-size // 2)) for field, vector in vectors.items()]
        counted, *answers = self._answers(corpus, bodies)
        return _corpus_of(counted, len(question.terms)), [hit for answer in answers for hit in answer.hits.hits]

    def _by_words(
        self, corpus: str, profile: Profile, question: Question, filters: Filters, size: int, known: _Corpus
    ) -> list[list[_Hit]]:
        """Return the best documents by words that meet the filters.

        In talk with filters other than sessions, also return the best documents without these filters, because a
        neighbour of theirs may meet them.
        """
        weights = {field: queries.weights(known.statistics[field], known.documents) for field in queries.FIELDS}
        if not any(any(each) for each in weights.values()):
            return [[]]
        # Only the filter for sessions stays, because neighbours belong to one session.
        wider = Filters(sessions=filters.sessions)
        attempts = [filters] if profile != "talk" or filters == wider else [filters, wider]
        bodies = [queries.words(corpus, question.terms, each, size, weights) for each in attempts]
        return [answer.hits.hits for answer in self._answers(corpus, bodies)]

    def _add_around(self, found: PackedHits, corpus: str, near: Sequence[PackedDocument], filters: Filters) -> None:
        """Add documents close to those in `near` that meet the filters, and all neighbours of the documents found by
        then."""
        standing = _places(corpus, found.packed.values(), 0)
        around = _places(corpus, [*found.packed.values(), *near], REACH) - standing
        close = _places(corpus, near, NEAR) - standing
        # If filters may leave out some of the close ones, these must also be read without filters.
        rest = around - close if filters == Filters() else around
        bodies = [queries.near(corpus, some, filters) for some in _slices(close)]
        bodies += [queries.neighbours(corpus, some) for some in _slices(rest)]
        for answer in self._answers(corpus, bodies) if bodies else ():
            _add(found, answer.hits.hits)
        if filters != Filters():
            _drop_strangers(found, corpus)

    def _answers(self, corpus: str, bodies: Sequence[queries.Body]) -> list[_Answer]:
        """Return the answers to several searches. Raises IndexMissing, and Unavailable if OpenSearch answered only some
        of them."""
        header: queries.Body = {"routing": layout.routing_of(corpus)}
        body = lines([each for body in bodies for each in (header, body)])
        answers = self._calls.call("POST", f"/{self._alias}/_msearch", _Answers, body).responses
        errors = [each.error.type for each in answers if each.error is not None]
        if NO_INDEX in errors:
            raise IndexMissing
        if errors:
            raise Unavailable(
                f"The search index answered only a part of the request ({errors[0]}).", "Repeat the call in a moment."
            )
        return answers


def _add(found: PackedHits, hits: Iterable[_Hit]) -> None:
    for hit in hits:
        packed = _unpack_hit(hit)
        found.packed[packed.id] = packed
        if hit.fields.vectors:
            found.vectors[packed.id] = unpack_vectors(hit.fields.vectors[0])


def _drop_strangers(found: PackedHits, corpus: str) -> None:
    """Drop rows that are neither candidates nor neighbours of one."""
    candidates = [found.packed[key] for key in found.vectors]
    around = _places(corpus, candidates, REACH)
    for key in found.packed.keys() - found.vectors.keys():
        each = found.packed[key]
        if layout.place_key(layout.session_key(corpus, each.session), each.position) not in around:
            del found.packed[key]


def _unpack_hit(hit: _Hit) -> PackedDocument:
    return unpack_document(hit.fields.packed[0])


def _places(corpus: str, documents: Iterable[PackedDocument], reach: int) -> set[str]:
    """Return the places up to `reach` around documents. A document without a session has none."""
    places: set[str] = set()
    for each in documents:
        if each.session:
            session = layout.session_key(corpus, each.session)
            positions = range(each.position - reach, each.position + reach + 1)
            places.update([layout.place_key(session, position) for position in positions])
    return places


def _slices(places: Iterable[str]) -> list[Sequence[str]]:
    ordered = sorted(places)
    return [ordered[first : first + _MAX_HITS] for first in range(0, len(ordered), _MAX_HITS)]


def _corpus_of(answer: _Answer, terms: int) -> _Corpus:
    statistics = {field: _statistics(answer.aggregations, field, terms) for field in queries.FIELDS}
    return _Corpus(answer.hits.total.value, statistics)


def _statistics(counts: Mapping[str, _Counts], field: str, terms: int) -> FieldStatistics:
    frequencies = [counts[field].buckets[str(place)].doc_count for place in range(terms)]
    length = counts[f"{field}_length"].value or 0.0
    return FieldStatistics(frequencies=np.array(frequencies, dtype=np.float32), length=length)
