"""Test that removals are remembered while older writes may come, and then leave nothing behind."""

import sqlite3
from contextlib import closing
from pathlib import Path

from almanac.kernel.caller import Scope
from almanac.search.port import LEGS, Entry, Filters, Removal
from almanac.search.sqlite.files.schema import make
from almanac.search.sqlite.index import SqliteIndex
from tests.contract.search.index_samples import entry, question

SCOPE = Scope("acme", "main")
WORDS = "the quick brown fox jumps over the lazy dog while nobody looks at it"


def lapsing_entries(first: int, count: int) -> list[Entry]:
    return [entry(f"lapsing{number}", f"{WORDS} {number} {number * 7}") for number in range(first, first + count)]


def lapse(index: SqliteIndex, count: int, at: int) -> None:
    for first in range(0, count, 1000):
        entries = lapsing_entries(first, min(1000, count - first))
        index.index(SCOPE, entries)
        index.remove(SCOPE, [Removal(id=each.id, profile="talk", version=2, at=at) for each in entries])


def find_ids(index: SqliteIndex, words: str) -> list[str]:
    frame = index.candidates(SCOPE, "talk", question(words), Filters(), LEGS, 100)
    return sorted(one for one, is_found in zip(frame.ids, frame.candidates, strict=True) if is_found)


def bytes_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*.db*"))


def only_file(folder: Path) -> Path:
    (path,) = folder.rglob("*.db")
    return path


def test_lapsed_documents_leave_little_behind(tmp_path: Path) -> None:
    index = SqliteIndex(tmp_path)
    index.index(SCOPE, [entry(f"live{number}", f"{WORDS} {number}") for number in range(300)])
    before = index.status(SCOPE)
    lapse(index, 12_000, at=1000)
    assert (index.status(SCOPE).bytes or 0) > 5 * (before.bytes or 0)
    assert index.drop_removed(1000) == 0
    assert index.drop_removed(1001) == 12_000
    after = index.status(SCOPE)
    assert (after.documents, after.removed) == (300, 0)
    rebuilt = SqliteIndex(tmp_path / "again")
    rebuilt.index(SCOPE, [entry(f"live{number}", f"{WORDS} {number}") for number in range(300)])
    assert bytes_of(tmp_path) - bytes_of(tmp_path / "again") <= 2 * bytes_of(tmp_path / "again")
    assert len(find_ids(index, "quick fox")) == 100


def test_a_file_of_an_earlier_version_shrinks_too(tmp_path: Path) -> None:
    index = SqliteIndex(tmp_path)
    assert find_ids(index, "fox") == []
    path = only_file(tmp_path)
    index.close()
    for each in path.parent.glob(f"{path.name}*"):
        each.unlink()
    make(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP INDEX documents_removed")
        connection.execute("PRAGMA auto_vacuum=NONE")
        connection.execute("VACUUM")
        assert connection.execute("PRAGMA auto_vacuum").fetchone()[0] == 0
    old = SqliteIndex(tmp_path)
    old.index(SCOPE, [entry("live", WORDS)])
    lapse(old, 3000, at=0)
    assert old.drop_removed(1) == 3000
    assert bytes_of(path.parent) < 400_000
    assert find_ids(old, "quick fox") == ["live"]


def test_whoever_looked_before_does_not_find_what_was_dropped_since(tmp_path: Path) -> None:
    index, other = SqliteIndex(tmp_path), SqliteIndex(tmp_path)
    index.index(SCOPE, [entry("stays", "a yellow boat"), entry("goes", "a green boat")])
    assert find_ids(other, "boat") == ["goes", "stays"]
    index.remove(SCOPE, [Removal(id="goes", profile="talk", version=2, at=5)])
    assert index.drop_removed(6) == 1
    index.index(SCOPE, [entry("comes", "a red boat")])
    assert find_ids(other, "boat") == ["comes", "stays"]
    assert find_ids(index, "boat") == ["comes", "stays"]


def test_what_was_removed_lately_stays_removed(tmp_path: Path) -> None:
    index = SqliteIndex(tmp_path)
    index.remove(SCOPE, [Removal(id="late", profile="talk", version=2, at=7)])
    index.drop_removed(7)
    index.index(SCOPE, [entry("late", "a yellow boat")])
    assert find_ids(index, "boat") == []


def test_a_rebuild_carries_over_only_what_may_still_be_needed(tmp_path: Path) -> None:
    index = SqliteIndex(tmp_path)
    old, young = (Removal(id=each, profile="talk", version=2, at=at) for each, at in (("old", 6), ("young", 7)))
    index.remove(SCOPE, [old, young])
    index.start_rebuild(7)
    index.finish_rebuild(7)
    assert index.status(SCOPE).removed == 1
    index.index(SCOPE, [entry("old", "a yellow boat"), entry("young", "a yellow boat")])
    assert find_ids(index, "boat") == ["old"]


def test_the_places_of_a_deleted_project_are_dropped_too(tmp_path: Path) -> None:
    index = SqliteIndex(tmp_path)
    index.index(SCOPE, lapsing_entries(0, 50))
    index.forget(SCOPE)
    assert index.drop_removed(1) == 50
    index.index(SCOPE, lapsing_entries(0, 3))
    assert find_ids(index, "fox") == ["lapsing0", "lapsing1", "lapsing2"]
