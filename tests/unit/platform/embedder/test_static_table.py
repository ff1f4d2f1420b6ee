"""The static table: made of the model, the same each time, and never taken for whole where it is not."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from almanac.platform.embedder.late_vectors import LateVectors
from almanac.platform.embedder.minilm import MiniLm
from almanac.platform.embedder.opening import open_static
from almanac.platform.embedder.static_table import StaticTable
from almanac.platform.embedder.table_file import DIMENSIONS, NAME, BrokenTable, open_table, write_table
from almanac.platform.embedder.table_making import make_table
from almanac.platform.embedder.table_rows import rows_of, vectors_of_pieces
from almanac.platform.embedder.word_pieces import WordPieces

Vectors = NDArray[np.float32]

COUNT = 300


def go_on() -> bool:
    return False


@pytest.fixture(scope="module")
def vectors(minilm: MiniLm) -> Vectors:
    return np.concatenate(list(vectors_of_pieces(minilm, COUNT)))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "embedder/static.table"


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
    lengths = np.linalg.norm(rows_of(random, 7).astype(np.float32), axis=1)
    means = [
        float(lengths[part].mean())
        for part in (slice(0, 1996), slice(1996, 2100), slice(3000, 4000), slice(25_000, None))
    ]
    assert means == sorted(means)
    assert means[-1] > 15 * means[0]


def test_components_point_the_same_way_on_every_machine():
    along_axes = np.random.default_rng(7).standard_normal((1000, 8)) * [80, 40, 20, 10, 5, 2.5, 1.2, 0.6]
    rows = rows_of(along_axes.astype(np.float32), 7).astype(np.float32)
    for component in range(7):
        assert np.corrcoef(rows[:, component], along_axes[:, component + 1])[0, 1] > 0.9


def test_the_rows_are_the_same_each_time(minilm: MiniLm, vectors: Vectors):
    again = np.concatenate(list(vectors_of_pieces(minilm, COUNT)))
    assert rows_of(vectors).tobytes() == rows_of(again).tobytes()


def test_a_table_reads_back_as_it_was_written(file: Path):
    rows = np.arange(6 * DIMENSIONS, dtype=np.float16).reshape(6, -1)
    write_table(file, rows)
    read = open_table(file)
    assert np.array_equal(read, rows)
    assert not read.flags.writeable


def test_one_changed_byte_anywhere_is_noticed(file: Path):
    write_table(file, np.ones((3, 4), np.float16))
    whole = file.read_bytes()
    for place in range(len(whole)):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 0x41]) + whole[place + 1 :])
        try:
            read = open_table(file)
        except BrokenTable:
            continue
        # A header may be written in other words.
        assert np.array_equal(read, np.ones((3, 4), np.float16)), place


@pytest.mark.parametrize("share", [0, 0.01, 0.5, 0.99])
def test_half_a_table_is_none(file: Path, share: float):
    write_table(file, np.ones((300, DIMENSIONS), np.float16))
    whole = file.read_bytes()
    file.write_bytes(whole[: int(len(whole) * share)])
    for checked in (True, False):
        with pytest.raises(BrokenTable):
            open_table(file, checked=checked)


def test_a_table_of_another_version_is_none(file: Path, monkeypatch: pytest.MonkeyPatch):
    write_table(file, np.ones((3, DIMENSIONS), np.float16))
    monkeypatch.setattr("almanac.platform.embedder.table_file.NAME", "another/2")
    with pytest.raises(BrokenTable, match="another/2"):
        open_table(file)


def test_what_a_crash_left_over_goes_with_the_next_table(file: Path):
    file.parent.mkdir()
    (file.parent / ".unfinished-1").write_bytes(b"half")
    write_table(file, np.ones((3, DIMENSIONS), np.float16))
    assert [each.name for each in file.parent.iterdir()] == ["static.table"]


@pytest.mark.parametrize("broken", [None, b"", b"not a table at all"])
def test_a_missing_or_broken_table_is_made(model: Path, file: Path, broken: bytes | None):
    if broken is not None:
        file.parent.mkdir()
        file.write_bytes(broken)
    shares: list[float] = []
    assert make_table(model, file, shares.append, go_on, COUNT)
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0, 1)
    assert open_table(file).shape == (COUNT, DIMENSIONS)


def test_a_whole_table_is_left_as_it_is(model: Path, file: Path):
    write_table(file, np.ones((3, DIMENSIONS), np.float16))
    shares: list[float] = []
    assert make_table(model, file, shares.append, go_on)
    assert shares == []


def test_making_ends_when_it_is_to_stop(model: Path, file: Path):
    shares: list[float] = []
    assert not make_table(model, file, shares.append, lambda: len(shares) > 1, COUNT)
    assert not file.exists()


class TestStaticTable:
    @pytest.fixture
    def table(self, word_pieces: WordPieces) -> StaticTable:
        rows = np.zeros((30_522, 4), np.float16)
        rows[word_pieces.pieces("dog cat bird")] = [[2, 0, 0, 0], [0, 1, 0, 0], [-2, 0, 0, 0]]
        return StaticTable(NAME, rows, word_pieces)

    @pytest.mark.parametrize(
        ("text", "vector"),
        [
            ("dog", [1, 0, 0, 0]),
            ("Dog, cat!", [2 / 5**0.5, 1 / 5**0.5, 0, 0]),
            ("cat dog cat", [2**-0.5, 2**-0.5, 0, 0]),
            ("dog bird", [0, 0, 0, 0]),
            ("", [0, 0, 0, 0]),
            ("of the", [0, 0, 0, 0]),
            ("dog cat cat " * 1000, [2**-0.5, 2**-0.5, 0, 0]),
        ],
    )
    def test_a_text_is_the_normalised_mean_of_its_rows(self, table: StaticTable, text: str, vector: list[float]):
        found = table.vector(table.pieces(text))
        assert found.dtype == np.float32
        assert found.tolist() == pytest.approx(vector, abs=1e-6)

    def test_it_says_what_it_is(self, table: StaticTable):
        assert (table.name, table.dimensions, len(table.words)) == (NAME, 4, len(table.table()))
        assert table.words[table.pieces("dog")[0]] == "dog"

    def test_a_very_long_text_takes_no_more_memory_than_the_table(self, table: StaticTable):
        assert table.vector(table.pieces("dog cat ") * 1_000_000) == pytest.approx(
            table.vector(table.pieces("dog cat"))
        )


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_whole_table_knows_what_is_alike(model: Path, file: Path):
    assert make_table(model, file, lambda _: None, go_on)
    static = open_static(model, file)

    def alike(text: str, other: str) -> float:
        return float(static.vector(static.pieces(text)) @ static.vector(static.pieces(other)))

    assert static.table().shape == (30_522, DIMENSIONS)
    assert file.stat().st_size < 16_000_000
    assert alike("puppy", "dog") > 0.5 > 0.2 > alike("puppy", "parliament")
    assert (
        alike("the price of the house", "what does a home cost?")
        > alike("the price of the house", "the cat of the aunt") + 0.2
    )


class TestLateVectors:
    @pytest.fixture
    def notes(self) -> list[str]:
        return []

    @pytest.fixture
    def late(self, model: Path, file: Path, notes: list[str]) -> Callable[[], LateVectors]:
        def report(where: str, cause: BaseException) -> None:
            notes.append(f"{where}: {type(cause).__name__}")

        return lambda: LateVectors(model, file, notes.append, report, count=COUNT)

    def test_vectors_come_later_and_the_log_says_so(self, late: Callable[[], LateVectors], notes: list[str]):
        vectors = late()
        assert vectors.ready() is None
        found = vectors.wait(60)
        assert found is not None
        assert found is vectors.ready()
        assert notes[0] == "search vectors are made once for this folder; until then, search answers from words"
        assert notes[-1] == "search vectors are ready"
        assert "search vectors: 50 %" not in notes[:1]

    def test_who_comes_after_has_them_at_once(self, late: Callable[[], LateVectors], file: Path, notes: list[str]):
        write_table(file, np.ones((COUNT, DIMENSIONS), np.float16))
        assert late().ready() is not None
        assert notes == []

    def test_a_damaged_table_is_made_again(self, late: Callable[[], LateVectors], file: Path):
        file.parent.mkdir()
        file.write_bytes(b"damaged")
        vectors = late()
        assert vectors.ready() is None
        assert vectors.wait(60) is not None

    def test_a_making_that_fails_is_reported_and_not_begun_again(
        self, late: Callable[[], LateVectors], file: Path, notes: list[str]
    ):
        file.parent.write_bytes(b"a file where the folder is to be")
        vectors = late()
        assert vectors.wait(60) is None
        assert vectors.wait(60) is None
        assert notes == ["the making of search vectors: NotADirectoryError"]

    def test_it_ends_with_its_process(self, late: Callable[[], LateVectors], file: Path):
        vectors = late()
        vectors.ready()
        vectors.stop()
        assert vectors.ready() is None
        assert not file.exists()

    def test_without_the_model_there_are_none(self, file: Path, notes: list[str]):
        vectors = LateVectors(None, file, notes.append, lambda where, _: notes.append(where))
        assert vectors.wait(60) is None
        vectors.stop()
