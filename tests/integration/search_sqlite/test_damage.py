"""Test deleted, damaged and foreign index files. The index starts empty and says so, and never errs."""

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from almanac.kernel.caller import Scope
from almanac.search.port import LEGS, Filters
from almanac.search.sqlite.files.generation import DamagedFile, Generation
from almanac.search.sqlite.files.schema import make
from almanac.search.sqlite.index import SqliteIndex
from tests.contract.search.index_samples import entry, question

SCOPE = Scope("acme", "web")
IDS = {f"{at:03}" for at in range(200)}


class OpenedIndex:
    """An index, and the reasons why it had to start empty."""

    def __init__(self, folder: Path, made_by: str = "") -> None:
        self.reasons: list[str] = []
        self.index = SqliteIndex(folder, made_by=made_by, lost=self.reasons.append)

    def found_ids(self) -> set[str]:
        frame = self.index.candidates(SCOPE, "talk", question("tea"), Filters(), LEGS, 1000)
        return set(frame.ids)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Folder of a whole, closed index."""
    opened = OpenedIndex(tmp_path / "search")
    opened.index.start_rebuild()
    opened.index.index(SCOPE, [entry(each, f"ginger tea number{each}") for each in sorted(IDS)])
    opened.index.finish_rebuild()
    assert not opened.index.needs_rebuild
    opened.index.close()
    return tmp_path / "search"


def _file(folder: Path) -> Path:
    [file] = folder.glob("*/*.db")
    return file


def _pointer(folder: Path) -> Path:
    [pointer] = folder.glob("*/current")
    return pointer


def _overwritten(file: Path, begin: float, end: float, filling: bytes) -> None:
    content = bytearray(file.read_bytes())
    first, last = int(len(content) * begin), int(len(content) * end)
    content[first:last] = (filling * len(content))[: last - first]
    file.write_bytes(content)


def _execute(file: Path, statement: str) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(statement)
        connection.commit()


SPOILT: dict[str, Callable[[Path], object]] = {
    "the folder is deleted": shutil.rmtree,
    "the file is deleted": lambda folder: _file(folder).unlink(),
    "the file is empty": lambda folder: _file(folder).write_bytes(b""),
    "the file is cut in the midst": lambda folder: _overwritten(_file(folder), 0.4, 1, b""),
    "the file is cut within a page": lambda folder: _file(folder).write_bytes(_file(folder).read_bytes()[:10_001]),
    "the beginning is garbage": lambda folder: _overwritten(_file(folder), 0, 0.1, b"garbage "),
    "all but the beginning is garbage": lambda folder: _overwritten(_file(folder), 0.05, 1, b"\xff\x00\x13"),
    "the file is something else": lambda folder: _file(folder).write_text("something else" * 5000),
    "it has another format": lambda folder: _execute(_file(folder), "PRAGMA user_version=99"),
    "it is of another application": lambda folder: _execute(_file(folder), "PRAGMA application_id=7"),
    "a table is missing": lambda folder: _execute(_file(folder), "DROP TABLE texts"),
    "texts are missing": lambda folder: _execute(_file(folder), "DELETE FROM texts WHERE key % 2 = 0"),
    "postings are cut": lambda folder: _execute(_file(folder), "UPDATE postings SET body = x'010203'"),
    "postings name other places": lambda folder: _execute(_file(folder), "UPDATE postings SET body = x'ffffffff'"),
    "postings are text": lambda folder: _execute(_file(folder), "UPDATE postings SET body = 'tea!'"),
    "vectors are cut": lambda folder: _execute(_file(folder), "UPDATE texts SET text_pieces = x'010203'"),
    "tags are no list": lambda folder: _execute(_file(folder), "UPDATE documents SET tags = '{'"),
    "names are no text": lambda folder: _execute(_file(folder), "UPDATE documents SET id = cast(x'ff' || id AS TEXT)"),
    "positions are no numbers": lambda folder: _execute(_file(folder), "UPDATE documents SET position = 'here'"),
    "the pointer is garbage": lambda folder: _pointer(folder).write_bytes(b"\xff{"),
    "the pointer is gone": lambda folder: _pointer(folder).unlink(),
    "the pointer names another file": lambda folder: _pointer(folder).write_text('{"answering": 77}'),
}


@pytest.mark.parametrize("spoilt", SPOILT)
@pytest.mark.parametrize("was_open", [False, True])
def test_what_is_lost_is_begun_anew_by_the_next_search(folder: Path, spoilt: str, was_open: bool):
    opened = OpenedIndex(folder)
    if was_open:
        assert opened.found_ids() == IDS
    SPOILT[spoilt](folder)
    filters = Filters(tags=("none",))
    opened.index.candidates(SCOPE, "talk", question("tea"), filters, LEGS, 10)
    found = opened.found_ids()
    assert found == IDS or (found == set() and opened.index.needs_rebuild)
    for _ in range(2):  # what the first one meets may turn out to be damaged by the search that follows
        opened.index.index(SCOPE, [entry("new", "ginger tea")])
        found = opened.found_ids()
    assert found in ({"new"}, IDS | {"new"})


@pytest.mark.parametrize("spoilt", SPOILT)
def test_what_is_lost_is_begun_anew_by_the_next_write(folder: Path, spoilt: str):
    SPOILT[spoilt](folder)
    opened = OpenedIndex(folder)
    opened.index.index(SCOPE, [entry("new", "ginger tea")])
    found = opened.found_ids()
    assert found == IDS | {"new"} or (found <= {"new"} and opened.index.needs_rebuild)


def test_a_rebuild_makes_it_whole_again(folder: Path):
    _file(folder).write_bytes(b"")
    opened = OpenedIndex(folder)
    assert opened.found_ids() == set()
    assert [reason.partition(":")[0] for reason in opened.reasons] == ["The file of the index is damaged"]
    assert OpenedIndex(folder).index.needs_rebuild
    opened.index.start_rebuild()
    opened.index.index(SCOPE, [entry("001", "ginger tea")])
    assert opened.index.needs_rebuild
    opened.index.finish_rebuild()
    assert not OpenedIndex(folder).index.needs_rebuild
    assert OpenedIndex(folder).found_ids() == {"001"}
    assert len(list(folder.glob("*/*.db"))) == 1


def test_all_who_have_it_open_go_on_with_the_new_one(folder: Path):
    one, other = OpenedIndex(folder), OpenedIndex(folder)
    assert one.found_ids() == other.found_ids() == IDS
    _file(folder).unlink()
    one.index.index(SCOPE, [entry("new", "ginger tea")])
    assert one.found_ids() == other.found_ids() == {"new"}
    assert len(one.reasons) == 1
    assert other.reasons == []


def test_a_folder_that_is_deleted_after_a_rebuild_leaves_nothing_behind_in_memory(folder: Path):
    opened = OpenedIndex(folder)
    for text in ("milk", "ginger"):
        opened.index.start_rebuild()
        opened.index.index(SCOPE, [entry("a", f"{text} tea"), entry("b", "tea")])
        opened.index.finish_rebuild()
        assert opened.found_ids() == {"a", "b"}
        shutil.rmtree(folder)
        for name in ("c", "d"):
            opened.index.index(SCOPE, [entry(name, "tea")])
        assert opened.found_ids() == {"c", "d"}


def test_what_is_being_made_is_given_up_where_it_is_lost(folder: Path):
    opened = OpenedIndex(folder)
    opened.index.start_rebuild()
    max(folder.glob("*/*.db"), key=lambda file: int(file.stem)).unlink()
    opened.index.index(SCOPE, [entry("new", "ginger tea")])
    assert opened.found_ids() == IDS | {"new"}
    assert not opened.index.status(SCOPE).rebuilding


def test_an_index_of_another_embedder_is_not_read(folder: Path):
    other = OpenedIndex(folder, made_by="another")
    assert other.found_ids() == set()
    assert other.index.needs_rebuild
    assert other.reasons == []
    assert OpenedIndex(folder).found_ids() == IDS
    other.index.start_rebuild()
    other.index.index(SCOPE, [entry("new", "ginger tea")])
    other.index.finish_rebuild()
    assert not other.index.needs_rebuild
    assert len(list(folder.glob("*/*.db"))) == 1, "the former one goes"
    assert OpenedIndex(folder, made_by="another").found_ids() == {"new"}


def test_a_file_that_goes_between_a_look_and_its_opening_is_left_for_the_one_in_its_place(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    """As when another process ends a rebuild just then."""
    file, stat = folder / "1.db", os.stat
    make(file)

    def look_and_lose(path: Path, **follow: bool) -> os.stat_result:
        found = stat(path, **follow)
        if path == file:
            file.unlink()
        return found

    monkeypatch.setattr(os, "stat", look_and_lose)
    with pytest.raises(DamagedFile, match="is gone"):
        Generation(1, file).is_whole()
