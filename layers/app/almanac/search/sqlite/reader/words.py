"""The words leg, which scores all documents of a collection by BM25 from the postings of the question's terms.

Constants and formulas are those of the ranking. Here they are applied to columns, where few of many rows have the words
of a question.
"""

import sqlite3
from typing import TypeAlias

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from almanac.search.frame import FieldStatistics, Matrix, Vector
from almanac.search.port import Profile
from almanac.search.ranking.words import KERNEL, Saturation, idf, saturation_of
from almanac.search.sqlite.files.generation import DamagedFile, damage_as_error
from almanac.search.sqlite.files.postings import BLOCK_PLACES
from almanac.search.sqlite.files.schema import BLOCK_BITS
from almanac.search.sqlite.reader.blocks import Places
from almanac.search.sqlite.reader.columns import Columns, FieldColumns

TITLE, TEXT, EXACT = range(3)
_POSTINGS = "SELECT block, body FROM postings WHERE collection = ? AND field = ? AND term = ?"


class Postings(Struct, frozen=True):
    """Documents that have a term, each once, with the number of its occurrences."""

    places: NDArray[np.int64]
    counts: Vector


_NOWHERE = Postings(np.empty(0, np.int64), np.empty(0, np.float32))
"""Postings of a term that no document has. Half of all terms have none in titles, because most documents of talk have
no title."""

FieldPostings: TypeAlias = list[Postings]
"""Postings of each term of a question."""


class Words(Struct, frozen=True):
    """Matches of a question's words in a collection."""

    columns: Columns
    title: FieldPostings
    text: FieldPostings

    def scores(self, profile: Profile) -> Vector:
        """Return the score of every place. It is 0 if neither the document nor, in talk, a neighbour has a word of the
        question."""
        scores = np.zeros(self.columns.size, np.float32)
        if profile == "talk":
            self._add_kernel(scores)
        else:
            (title, text), saturation = self.columns.mean_lengths, saturation_of(profile)
            self._add_plain(scores, self.title, self.columns.title, title, saturation)
            self._add_plain(scores, self.text, self.columns.text, text, saturation)
        return scores

    def counts(self, postings: FieldPostings, places: Places) -> Matrix:
        """Return how often each of some places has each term."""
        of_all = np.zeros(self.columns.size, np.float32)
        counts = np.zeros((len(places), len(postings)), np.float32)
        for column, term in enumerate(postings):
            of_all[term.places] = term.counts
            counts[:, column] = of_all[places]
            of_all[term.places] = 0
        return counts

    def statistics(self, postings: FieldPostings, length: float, kernel_length: float | None) -> FieldStatistics:
        return FieldStatistics(frequencies=_frequencies(postings), length=length, kernel_length=kernel_length)

    def _add_kernel(self, scores: Vector) -> None:
        arrangement = self.columns.arrangement
        norm = _norm(arrangement.kernel_length, arrangement.mean_kernel_length, KERNEL)
        for term, weight in zip(self.text, idf(_frequencies(self.text), self.columns.documents), strict=True):
            if not arrangement.gives(term.places):
                scores[term.places] += weight * (term.counts / (term.counts + norm[term.places]))
            else:
                counts = arrangement.spread(term.places, term.counts)
                counts[term.places] += term.counts
                scores += weight * (counts / (counts + norm))

    def _add_plain(
        self, scores: Vector, postings: FieldPostings, field: FieldColumns, mean: float, saturation: Saturation
    ) -> None:
        for term, weight in zip(postings, idf(_frequencies(postings), self.columns.documents), strict=True):
            norm = _norm(field.length[term.places], mean, saturation)
            scores[term.places] += weight * (term.counts / (term.counts + norm))


def read_words(connection: sqlite3.Connection, number: int, columns: Columns, terms: tuple[str, ...]) -> Words:
    """Read the postings of a question's terms. Raises DamagedFile if they make no sense, or contain a document that
    does not exist."""
    title, text = (
        [postings_of(connection.execute(_POSTINGS, (number, field, term)).fetchall(), columns) for term in terms]
        for field in (TITLE, TEXT)
    )
    return Words(columns, title, text)


def postings_of(blocks: list[tuple[int, bytes]], columns: Columns) -> Postings:
    """Return the postings in `blocks`. Blocks of several terms may repeat places."""
    if not blocks:
        return _NOWHERE
    with damage_as_error("Postings"):
        packed = np.frombuffer(b"".join(body for _, body in blocks), "<u4").astype(np.int64)
        begins = np.repeat([block << BLOCK_BITS for block, _ in blocks], [len(body) // 4 for _, body in blocks])
        places = begins.astype(np.int64) + packed % BLOCK_PLACES
    if len(places) and (places.max() >= columns.size or not columns.alive[places].all()):
        raise DamagedFile("Postings in the index name documents that are not there.")
    return Postings(places, (packed >> BLOCK_BITS).astype(np.float32))


def _frequencies(postings: FieldPostings) -> Vector:
    return np.array([len(term.places) for term in postings], np.float32)


def _norm(length: Vector, mean: float, saturation: Saturation) -> Vector:
    b = saturation.b
    return np.float32(saturation.k1) * (np.float32(1 - b) + np.float32(b / (mean or 1)) * length)
