"""Rows of the static table: made of the model, the same each time, one by one or all together."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from almanac.platform.embedder.minilm import MiniLm
from almanac.platform.embedder.packaged_model import DIMENSIONS
from almanac.platform.embedder.static_table import StaticTable
from almanac.platform.embedder.table_rows import (
    Basis,
    RowMaker,
    basis_of,
    read_basis,
    vectors_of_pieces,
    write_basis,
)
from almanac.platform.embedder.word_pieces import WordPieces

Vectors = NDArray[np.float32]

COUNT = 300


@pytest.fixture(scope="module")
def vectors(minilm: MiniLm) -> Vectors:
    return np.concatenate(list(vectors_of_pieces(minilm, COUNT)))


@pytest.fixture(scope="module")
def maker(minilm: MiniLm) -> RowMaker:
    return RowMaker(minilm, read_basis())


class ModelOfVectors:
    """A model in which the state of a piece, and of the specials beside it, is the piece's vector."""

    def __init__(self, vectors: Vectors) -> None:
        self.words = [str(place) for place in range(len(vectors))]
        self._vectors = vectors

    def states(self, texts: list[list[int]]) -> list[Vectors]:
        return [np.repeat(self._vectors[text], 3, axis=0) for text in texts]


def rows_of(vectors: Vectors, dimensions: int) -> Vectors:
    """Make rows with the basis of these vectors."""
    maker = RowMaker(ModelOfVectors(vectors), basis_of(vectors, dimensions))  # pyright: ignore[reportArgumentType]
    return maker.rows(range(len(vectors))).astype(np.float32)


def test_a_piece_is_read_alone(minilm: MiniLm, vectors: Vectors):
    for piece in (0, 100, COUNT - 1):
        (embedded,) = minilm.embed_pieces([[piece]])
        length = np.linalg.norm(vectors[piece])
        assert np.allclose(vectors[piece] / length, embedded.pooled, atol=1e-5)


def test_rows_keep_what_makes_pieces_differ(vectors: Vectors):
    rows = rows_of(vectors, 383).astype(np.float64)
    centred = vectors - vectors.mean(axis=0)
    _, _, components = np.linalg.svd(centred.astype(np.float64))
    rest = centred - np.outer(centred @ components[0], components[0])
    # Pieces before the first word weigh the same, so products of rows are those of the vectors times one number.
    ours, theirs = rows @ rows.T, rest @ rest.T
    assert np.allclose(ours / ours[7, 7], theirs / theirs[7, 7], atol=1e-2)


def test_rare_words_weigh_more_and_signs_least():
    random = np.random.default_rng(7).standard_normal((30_522, 8)).astype(np.float32)
    lengths = np.linalg.norm(rows_of(random, 7), axis=1)
    means = [
        float(lengths[part].mean())
        for part in (slice(0, 1996), slice(1996, 2100), slice(3000, 4000), slice(25_000, None))
    ]
    assert means == sorted(means)
    assert means[-1] > 15 * means[0]


def test_components_point_the_same_way_on_every_machine():
    along_axes = np.random.default_rng(7).standard_normal((1000, 8)) * [80, 40, 20, 10, 5, 2.5, 1.2, 0.6]
    rows = rows_of(along_axes.astype(np.float32), 7)
    for component in range(7):
        assert np.corrcoef(rows[:, component], along_axes[:, component + 1])[0, 1] > 0.9


def test_rows_are_the_same_each_time_and_whatever_they_are_made_with(maker: RowMaker):
    pieces = range(2000, 2040)
    together = maker.rows(pieces)
    assert maker.rows(pieces).tobytes() == together.tobytes()
    apart = np.concatenate([maker.rows([piece]) for piece in reversed(pieces)])[::-1]
    # Another processor may round otherwise.
    assert np.abs(apart.astype(np.float32) - together).max() < 0.01
    assert np.abs(together).max() > 0.1


def test_a_basis_reads_back_as_it_was_written(tmp_path: Path):
    basis = Basis(np.arange(384, dtype=np.float32), np.ones((384, DIMENSIONS), np.float32))
    write_basis(tmp_path / "basis", basis)
    read = read_basis(tmp_path / "basis")
    assert np.array_equal(read.mean, basis.mean)
    assert np.array_equal(read.components, basis.components)


def test_a_basis_of_another_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    write_basis(tmp_path / "basis", basis_of(np.eye(384, dtype=np.float32)))
    monkeypatch.setattr("almanac.platform.embedder.table_rows.NAME", "another/2")
    with pytest.raises(ValueError, match="another/2"):
        read_basis(tmp_path / "basis")


# The whole vocabulary goes through the model: a minute. The model and what is packaged are pinned files.
@pytest.mark.soak
def test_the_packaged_basis_is_that_of_the_model(minilm: MiniLm, word_pieces: WordPieces):
    vectors = np.concatenate(list(vectors_of_pieces(minilm, len(minilm.words))))
    made, packaged = basis_of(vectors), read_basis()
    assert np.abs(made.mean - packaged.mean).max() < 0.002
    alike = np.einsum("ij,ij->j", made.components, packaged.components)
    assert alike[:100].min() > 0.999

    rows = RowMaker(ModelOfVectors(vectors), packaged).rows(range(len(vectors)))  # pyright: ignore[reportArgumentType]
    static = StaticTable("whole", rows, word_pieces)

    def similarity(text: str, other: str) -> float:
        return float(static.vector(static.pieces(text)) @ static.vector(static.pieces(other)))

    assert similarity("puppy", "dog") > 0.5 > 0.2 > similarity("puppy", "parliament")
    assert (
        similarity("the price of the house", "what does a home cost?")
        > similarity("the price of the house", "the cat of the aunt") + 0.2
    )
