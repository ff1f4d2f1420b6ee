"""The file of the table is made where it is missing or not to be trusted, and left alone where it is whole."""

from pathlib import Path

import numpy as np
import pytest

from almanac.platform.embedder.lazy_rows import LazyRows
from almanac.platform.embedder.shared_table import keep_table, pieces_made, share_table
from almanac.platform.embedder.table_file import open_table, write_table
from tests.doubles.row_makers import FakeRowMaker, whole_table

COUNT = 2000
SHAPE = FakeRowMaker(COUNT).shape


def go_on() -> bool:
    return False


def silent(_: float) -> None:
    pass


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "cache/static.table"


@pytest.mark.parametrize("broken", [None, b"", b"not a table at all"])
def test_a_missing_or_broken_table_is_made(file: Path, broken: bytes | None):
    if broken is not None:
        file.parent.mkdir()
        file.write_bytes(broken)
    shares: list[float] = []
    assert keep_table(LazyRows(FakeRowMaker(COUNT)), file, shares.append, go_on)
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0, 1)
    assert np.array_equal(open_table(file), whole_table(COUNT))


def test_a_table_of_another_length_is_made_anew(file: Path):
    write_table(file, whole_table(COUNT - 1))
    assert keep_table(LazyRows(FakeRowMaker(COUNT)), file, silent, go_on)
    assert len(open_table(file)) == COUNT


def test_a_whole_table_is_taken_as_it_is(file: Path):
    write_table(file, whole_table(COUNT) * np.float16(0.5))
    maker, shares = FakeRowMaker(COUNT), list[float]()
    rows = LazyRows(maker)
    assert keep_table(rows, file, shares.append, go_on)
    assert (shares, maker.requests) == ([], [])
    assert rows[np.array([8])][0, 0] == 4


def test_making_ends_when_it_is_to_stop_and_leaves_nothing_behind(file: Path):
    maker = FakeRowMaker(COUNT)
    assert not keep_table(LazyRows(maker), file, silent, lambda: len(maker.requests) > 1)
    assert [each.name for each in file.parent.iterdir()] == ["static.lock"]


def test_what_is_kept_on_the_machine_is_for_its_owner_only(file: Path):
    assert keep_table(LazyRows(FakeRowMaker(COUNT)), file, silent, go_on)
    assert (file.parent.stat().st_mode & 0o777, file.stat().st_mode & 0o777) == (0o700, 0o600)


def test_a_whole_table_is_shared_unless_one_is_there(file: Path):
    share_table(whole_table(COUNT), file)
    assert np.array_equal(open_table(file), whole_table(COUNT))
    share_table(np.zeros(SHAPE, np.float16), file)
    assert np.array_equal(open_table(file), whole_table(COUNT))


def test_it_is_said_how_much_is_made_while_it_is_made(file: Path):
    counted: list[int] = []
    assert pieces_made(file, SHAPE) == 0
    assert keep_table(LazyRows(FakeRowMaker(COUNT)), file, lambda _: counted.append(pieces_made(file, SHAPE)), go_on)
    assert counted[0] == 0
    assert 1000 < counted[1] < COUNT
    assert counted[-1] == pieces_made(file, SHAPE) == COUNT


def test_what_a_killed_process_said_of_its_progress_is_not_believed(file: Path):
    file.parent.mkdir()
    file.with_suffix(".progress").write_text("1500")
    assert pieces_made(file, SHAPE) == 0
