"""Threads and processes that share an index."""

import multiprocessing
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path

import pytest

from almanac.kernel.caller import Scope
from almanac.search.port import LEGS, Filters, Removal
from almanac.search.sqlite.index import SqliteIndex
from almanac.search.sqlite.reader import query
from tests.contract.search.index_samples import entry, question

SCOPE = Scope("acme", "web")
spawn = multiprocessing.get_context("spawn")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "search"


def _found_ids(index: SqliteIndex) -> set[str]:
    return set(index.candidates(SCOPE, "talk", question("tea"), Filters(), LEGS, 1000).ids)


def _index(folder: str, name: str, times: int, written: "Synchronized[int] | None" = None) -> None:
    """Index documents of this process and versions of a shared one. Runs in another process; `written` counts them."""
    index = SqliteIndex(Path(folder))
    for at in range(times):
        index.index(SCOPE, [entry(f"{name}-{at}", f"tea number{at}"), entry("shared", f"tea {name}", version=at)])
        if written is not None:
            written.value = at + 1
        index.remove(SCOPE, [Removal(id=f"gone-{at}", profile="talk", version=1)])


@pytest.mark.slow
def test_processes_that_begin_an_index_at_once_all_write_to_it(folder: Path):
    processes = [spawn.Process(target=_index, args=(str(folder), name, 50)) for name in "abcd"]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * 4
    index = SqliteIndex(folder)
    assert _found_ids(index) == {"shared", *(f"{name}-{at}" for name in "abcd" for at in range(50))}
    status = index.status(SCOPE)
    assert (status.documents, status.removed) == (201, 50)


@pytest.mark.slow
def test_what_another_process_writes_during_rebuilds_is_not_lost(folder: Path):
    index = SqliteIndex(folder)
    index.index(SCOPE, [entry("kept", "tea")])
    written: Synchronized[int] = spawn.Value("i", 0)
    process = spawn.Process(target=_index, args=(str(folder), "a", 200, written))
    process.start()
    while process.is_alive():
        index.start_rebuild()
        # Whoever rebuilds goes through the store, which has what was in the former index.
        for each in index.list_states(SCOPE, "talk"):
            if not each.removed:
                index.index(SCOPE, [entry(each.id, "tea", version=each.version)])
        # A write that goes on may be in the former file and not yet in the new one; one that returned is in both.
        acknowledged = {"kept", *(f"a-{at}" for at in range(written.value))}
        index.finish_rebuild()
        assert acknowledged <= _found_ids(index), "what was written before a switch is found after it"
    process.join()
    assert process.exitcode == 0
    assert _found_ids(index) == {"kept", "shared", *(f"a-{at}" for at in range(200))}
    assert not index.needs_rebuild


def test_an_index_goes_on_in_a_forked_process(folder: Path):
    index = SqliteIndex(folder)
    index.index(SCOPE, [entry("parent", "tea")])
    assert _found_ids(index) == {"parent"}

    def child(name: str) -> None:
        for at in range(20):
            index.index(SCOPE, [entry(f"{name}-{at}", "tea")])
        assert f"{name}-19" in _found_ids(index)

    processes = [multiprocessing.get_context("fork").Process(target=child, args=(name,)) for name in "ab"]
    for process in processes:
        process.start()
    child("c")
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0]
    assert _found_ids(index) == {"parent", *(f"{name}-{at}" for name in "abc" for at in range(20))}


def test_eight_readers_see_whole_states_while_one_writes(folder: Path):
    index, done = SqliteIndex(folder), threading.Event()
    index.index(SCOPE, [entry("0", "tea")])

    def read() -> int:
        most = 0
        while not done.is_set():
            frame = index.candidates(SCOPE, "talk", question("tea"), Filters(), LEGS, 1000)
            # Every document has the word: its postings and the columns are of one state.
            assert frame.text_statistics.frequencies.tolist() == [frame.documents]
            assert len(frame.ids) == frame.documents >= 1
            most = max(most, frame.documents)
        return most

    with ThreadPoolExecutor(8) as pool:
        readers = [pool.submit(read) for _ in range(8)]
        try:
            for at in range(1, 150):
                index.index(SCOPE, [entry(f"{at}", "tea"), entry(f"{at // 2}", "tea milk", version=at)])
                if at % 10 == 0:
                    index.remove(SCOPE, [Removal(id=f"{at}", profile="talk", version=1000)])
        finally:
            done.set()
        assert all(reader.result() for reader in readers)
    assert index.status(SCOPE).documents == len(_found_ids(index)) == 136


def test_a_search_that_was_overtaken_sees_one_state_all_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch):
    index, read = SqliteIndex(folder), query._collection  # pyright: ignore[reportPrivateUsage]
    index.index(SCOPE, [entry("a", "tea"), entry("b", "tea")])

    def overtaken(connection: sqlite3.Connection, where: query.Where) -> tuple[int, int, int]:
        collection = read(connection, where)
        monkeypatch.setattr(query, "_collection", read)
        index.remove(SCOPE, [Removal(id="a", profile="talk", version=2)])
        index.index(SCOPE, [entry("c", "milk")])
        assert _found_ids(index) == {"b", "c"}
        return collection

    monkeypatch.setattr(query, "_collection", overtaken)
    frame = index.candidates(SCOPE, "talk", question("tea"), Filters(), LEGS, 1000)
    assert frame.ids == ["b", "c"]
    assert frame.text_statistics.frequencies.tolist() == [1]
    assert index.status(SCOPE).documents == frame.documents == 2


def test_what_another_process_removed_is_not_found(folder: Path):
    one, other = SqliteIndex(folder), SqliteIndex(folder)
    one.index(SCOPE, [entry("a", "tea"), entry("b", "tea")])
    assert _found_ids(one) == _found_ids(other) == {"a", "b"}
    other.remove(SCOPE, [Removal(id="a", profile="talk", version=2)])
    assert _found_ids(one) == {"b"}


def test_collections_beyond_what_is_cached_are_read_again(folder: Path):
    index = SqliteIndex(folder, cached_rows=5)
    scopes = [Scope("acme", f"project{number}") for number in range(4)]
    for scope in scopes:
        index.index(scope, [entry(f"{scope.project}-{at}", "tea") for at in range(3)])
    for scope in scopes * 3:
        frame = index.candidates(scope, "talk", question("tea"), Filters(), LEGS, 10)
        assert frame.ids == [f"{scope.project}-{at}" for at in range(3)]
