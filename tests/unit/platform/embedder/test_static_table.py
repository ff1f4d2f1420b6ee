"""The static table: read from its file as it was written, and never taken for whole where it is not."""

from pathlib import Path

import numpy as np
import pytest

from almanac.platform.embedder.packaged_model import DIMENSIONS, NAME
from almanac.platform.embedder.static_table import StaticTable
from almanac.platform.embedder.table_file import BrokenTable, open_table, write_table
from almanac.platform.embedder.word_pieces import WordPieces


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "embedder/static.table"


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


def test_what_was_checked_is_what_is_read_whatever_becomes_of_the_file(file: Path):
    write_table(file, np.ones((300, DIMENSIONS), np.float16))
    rows = open_table(file)
    file.write_bytes(b"")
    assert rows.sum(dtype=np.float32) == 300 * DIMENSIONS


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


def test_what_a_crash_left_over_goes_with_the_next_table_of_that_name(file: Path):
    file.parent.mkdir()
    for name in ("static", "another"):
        (file.parent / f".{name}.table.unfinished-1").write_bytes(b"half")
    write_table(file, np.ones((3, DIMENSIONS), np.float16))
    assert {each.name for each in file.parent.iterdir()} == {"static.table", ".another.table.unfinished-1"}


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
        assert (table.name, table.dimensions, len(table.words)) == (NAME, 4, len(table.rows(np.arange(30_522))))
        assert table.words[table.pieces("dog")[0]] == "dog"

    def test_a_very_long_text_takes_no_more_memory_than_the_table(self, table: StaticTable):
        assert table.vector(table.pieces("dog cat ") * 1_000_000) == pytest.approx(
            table.vector(table.pieces("dog cat"))
        )


def test_the_vector_of_a_text_is_the_mean_of_its_rows_as_numpy_adds_them():
    rows = np.random.default_rng(7).normal(0, 0.1, (50, DIMENSIONS)).astype(np.float16)
    rows[3, :4] = [6e-8, -6e-8, 65504, -0.0]  # the smallest, which halves alone can write, and the largest
    table = StaticTable(NAME, rows, WordPieces(["[UNK]", "[CLS]", "[SEP]", *map(str, range(47))]))
    for pieces in ([3], [3, 3, 8], list(range(50)) * 4):
        total = rows[pieces].sum(axis=0, dtype=np.float32)
        assert np.allclose(table.vector(pieces), total / np.sqrt(total @ total), rtol=1e-6, atol=1e-9)
