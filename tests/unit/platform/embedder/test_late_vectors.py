"""The vectors of a laptop: there at once, kept once for a machine, and never missed because of a folder."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from almanac.platform.embedder.late_vectors import LateVectors
from almanac.platform.embedder.lazy_rows import MakesRows
from almanac.platform.embedder.packaged_model import VOCABULARY
from almanac.platform.embedder.port import StaticEmbedder
from almanac.platform.embedder.table_file import open_table, write_table
from tests.doubles.row_makers import FakeRowMaker, whole_table

COUNT = 2000
PIECES = np.array([3, 1999])

Open = Callable[..., LateVectors]


@pytest.fixture
def small_model(model: Path, tmp_path: Path) -> Path:
    """A vocabulary that is made in no time."""
    words = (model / VOCABULARY).read_text("utf-8").split("\n")[:COUNT]
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / VOCABULARY).write_text("\n".join(words), "utf-8")
    return folder


@pytest.fixture
def notes() -> list[str]:
    return []


@pytest.fixture
def open_vectors(small_model: Path, notes: list[str]) -> Open:
    def report(where: str, cause: BaseException) -> None:
        notes.append(f"{where}: {type(cause).__name__}")

    def open_late(*files: Path, maker: MakesRows | None = None) -> LateVectors:
        return LateVectors(small_model, files, lambda: maker or FakeRowMaker(COUNT), notes.append, report, threads=2)

    return open_late


@pytest.fixture
def shared_table(tmp_path: Path) -> Path:
    return tmp_path / "cache/static.table"


@pytest.fixture
def own(tmp_path: Path) -> Path:
    return tmp_path / "data/embedder/static.table"


def ids_of(static: StaticEmbedder | None) -> list[float]:
    """The first number of two rows: their ids, as they are made."""
    assert static is not None
    return static.rows(PIECES)[:, 0].tolist()


def test_the_first_who_asks_has_vectors_and_the_log_says_what_is_made(
    open_vectors: Open, shared_table: Path, own: Path, notes: list[str]
):
    vectors = open_vectors(shared_table, own)
    assert ids_of(vectors.ready()) == PIECES.tolist()
    assert vectors.wait(60) is vectors.ready()
    assert notes[0] == "search vectors are made once for this machine, those that are needed first"
    assert notes[-1] == f"search vectors are ready: {shared_table}"
    assert any(note.endswith(" %") for note in notes)
    assert np.array_equal(open_table(shared_table), whole_table(COUNT))
    assert not own.exists()


def test_who_never_embeds_makes_none(open_vectors: Open, shared_table: Path, notes: list[str]):
    maker = FakeRowMaker(COUNT)
    vectors = open_vectors(shared_table, maker=maker)
    assert vectors.ready() is not None
    vectors.stop()
    assert (maker.requests, notes, shared_table.parent.exists()) == ([], [], False)


def test_a_second_data_folder_has_all_of_them_at_once(open_vectors: Open, shared_table: Path, tmp_path: Path):
    assert open_vectors(shared_table, tmp_path / "one/static.table").wait(60) is not None
    maker = FakeRowMaker(COUNT)
    second = open_vectors(shared_table, tmp_path / "other/static.table", maker=maker)
    assert ids_of(second.ready()) == PIECES.tolist()
    assert maker.requests == []


def test_the_table_of_an_older_data_folder_is_used_and_shared(open_vectors: Open, shared_table: Path, own: Path):
    write_table(own, whole_table(COUNT))
    maker = FakeRowMaker(COUNT)
    vectors = open_vectors(shared_table, own, maker=maker)
    assert ids_of(vectors.wait(60)) == PIECES.tolist()
    assert maker.requests == []
    assert np.array_equal(open_table(shared_table), whole_table(COUNT))


def test_an_older_table_serves_where_it_cannot_be_shared(
    open_vectors: Open, shared_table: Path, own: Path, notes: list[str]
):
    write_table(own, whole_table(COUNT))
    shared_table.parent.write_bytes(b"a file where the folder is to be")
    assert ids_of(open_vectors(shared_table, own).wait(60)) == PIECES.tolist()
    assert notes == []


@pytest.mark.parametrize("broken", ["half", "flipped", "empty", "shorter", "a folder"])
def test_a_table_in_the_cache_that_is_damaged_is_made_anew(
    open_vectors: Open, shared_table: Path, own: Path, broken: str
):
    write_table(shared_table, whole_table(COUNT))
    whole = shared_table.read_bytes()
    if broken == "half":
        shared_table.write_bytes(whole[: len(whole) // 2])
    elif broken == "flipped":
        shared_table.write_bytes(whole[:-1000] + bytes([whole[-1000] ^ 1]) + whole[-999:])
    elif broken == "empty":
        shared_table.write_bytes(b"")
    elif broken == "shorter":
        write_table(shared_table, whole_table(COUNT - 1))
    else:
        shared_table.unlink()
        shared_table.mkdir()
    vectors = open_vectors(shared_table, own)
    assert ids_of(vectors.ready()) == PIECES.tolist()
    assert ids_of(vectors.wait(60)) == PIECES.tolist()
    kept = own if broken == "a folder" else shared_table
    assert np.array_equal(open_table(kept), whole_table(COUNT))


def test_where_the_cache_cannot_be_written_the_data_folder_keeps_it(
    open_vectors: Open, shared_table: Path, own: Path, notes: list[str]
):
    shared_table.parent.write_bytes(b"a file where the folder is to be")
    assert ids_of(open_vectors(shared_table, own).wait(60)) == PIECES.tolist()
    assert np.array_equal(open_table(own), whole_table(COUNT))
    assert notes[0].startswith(f"search vectors cannot be kept in {shared_table.parent}: ")
    assert notes[-1] == f"search vectors are ready: {own}"


def test_where_none_can_be_kept_rows_are_made_as_they_are_needed(
    open_vectors: Open, shared_table: Path, own: Path, notes: list[str]
):
    for file in (shared_table, own):
        file.parent.parent.mkdir(exist_ok=True)
        file.parent.write_bytes(b"a file where the folder is to be")
    assert ids_of(open_vectors(shared_table, own).wait(60)) == PIECES.tolist()
    assert [note.split(":")[0] for note in notes] == [
        f"search vectors cannot be kept in {file.parent}" for file in (shared_table, own)
    ]


def test_a_model_that_cannot_be_opened_is_reported_once_and_words_remain(
    small_model: Path, shared_table: Path, notes: list[str]
):
    def fail_to_open() -> MakesRows:
        raise ValueError("no weights")

    vectors = LateVectors(small_model, [shared_table], fail_to_open, notes.append, lambda where, _: notes.append(where))
    assert vectors.ready() is None
    assert vectors.wait(1) is None
    assert notes == ["the opening of search vectors"]


def test_a_making_that_fails_is_reported_and_not_begun_again(open_vectors: Open, shared_table: Path, notes: list[str]):
    def fail(pieces: Sequence[int]) -> None:
        if 1000 in pieces:
            raise MemoryError

    vectors = open_vectors(shared_table, maker=FakeRowMaker(COUNT, fail))
    assert ids_of(vectors.wait(60)) == PIECES.tolist()
    assert ids_of(vectors.wait(60)) == PIECES.tolist()
    assert notes[1:] == ["the making of search vectors: MemoryError"]


def test_it_ends_with_its_process(open_vectors: Open, shared_table: Path):
    vectors = open_vectors(shared_table)
    vectors.stop()
    assert ids_of(vectors.wait(60)) == PIECES.tolist()
    assert not shared_table.exists()


def test_without_the_model_there_are_none(shared_table: Path, notes: list[str]):
    vectors = LateVectors(None, [shared_table], lambda: FakeRowMaker(COUNT), notes.append, lambda where, _: None)
    assert vectors.ready() is None
    assert vectors.wait(60) is None
    vectors.stop()
    assert notes == []
