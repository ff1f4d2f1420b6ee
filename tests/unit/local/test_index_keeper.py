"""The index of a laptop is made again where it is new, lost, or of words alone."""

import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from almanac.kernel.caller import Scope
from almanac.local.search.index_rebuilder import IndexRebuilder
from almanac.platform.bus.delivery import Report
from almanac.search.engine.maintenance import Upkeep
from almanac.search.sqlite.index import SqliteIndex
from tests.doubles.searched_things import SCOPE, Things


class KeptIndex:
    """Things and an index in a data folder, with the keeper of the index."""

    def __init__(self, folder: Path, vectors_of: str = "") -> None:
        self.folder = folder
        self.notes: list[str] = []
        self.scopes: Callable[[], list[Scope]] = lambda: [SCOPE]
        self.index = SqliteIndex(folder / "index")
        self.things = Things(folder, self.index)
        self.open(vectors_of)

    def open(self, vectors_of: str) -> None:
        self.things.open(self.index, vectors_of=vectors_of)
        upkeep = Upkeep(self.index, self.things.indexing, self.things.services)
        mark = self.folder / "made-by"
        self.keeper = IndexRebuilder(
            self.index, self.things.indexing, upkeep, self._all, mark, self.notes.append, self.things.clock
        )

    def _all(self) -> list[Scope]:
        return self.scopes()


def _report(errors: list[BaseException]) -> Report:
    return lambda _, error: errors.append(error)


def test_what_was_written_before_there_was_an_index_is_brought_there(tmp_path: Path) -> None:
    kept = KeptIndex(tmp_path)
    kept.things.write("boat", "a yellow boat")
    kept.things.forget_events()
    assert kept.things.search_ids("yellow boat") == []
    assert kept.keeper.look()
    assert kept.things.search_ids("yellow boat") == ["boat"]
    assert kept.notes == ["search index is made: 1 documents, words alone"]


def test_an_index_that_is_whole_is_left_alone(tmp_path: Path) -> None:
    kept = KeptIndex(tmp_path)
    kept.keeper.look()
    assert not kept.keeper.look()
    again = KeptIndex(tmp_path)
    assert not again.keeper.look()


def test_the_index_is_made_once_more_when_there_are_vectors_and_once_only(tmp_path: Path) -> None:
    kept = KeptIndex(tmp_path)
    kept.keeper.look()
    kept.open("table/1")
    assert kept.keeper.look()
    assert not kept.keeper.look()
    assert not KeptIndex(tmp_path, "table/1").keeper.look()
    assert KeptIndex(tmp_path, "table/2").keeper.look()


def test_vectors_that_were_lost_are_made_into_the_index_again(tmp_path: Path) -> None:
    KeptIndex(tmp_path, "table/1").keeper.look()
    without = KeptIndex(tmp_path, "")
    assert not without.keeper.look()
    without.open("table/1")
    assert without.keeper.look()


def test_an_index_that_was_lost_is_made_again_with_what_was_removed_still_gone(tmp_path: Path) -> None:
    kept = KeptIndex(tmp_path, "table/1")
    kept.keeper.look()
    kept.things.write("boat", "a yellow boat")
    kept.things.write("car", "a yellow car")
    kept.things.drop("car")
    kept.things.deliver()
    for file in (tmp_path / "index").rglob("*.db*"):
        file.write_bytes(b"no database")
    again = KeptIndex(tmp_path, "table/1")
    assert again.keeper.look()
    assert again.things.search_ids("yellow") == ["boat"]


def test_the_keeper_looks_until_it_is_stopped_and_reports_what_goes_wrong(tmp_path: Path) -> None:
    kept = KeptIndex(tmp_path)
    errors: list[BaseException] = []
    reported = threading.Event()

    def scopes() -> list[Scope]:
        reported.set()
        raise ValueError("no scopes")

    kept.scopes = scopes
    thread = threading.Thread(target=kept.keeper.run, args=[_report(errors)])
    thread.start()
    assert reported.wait(30)
    kept.keeper.stop()
    thread.join(30)
    assert not thread.is_alive()
    assert [str(each) for each in errors] == ["no scopes"]


def test_a_rebuild_ends_when_the_server_does_and_the_former_index_goes_on(tmp_path: Path) -> None:
    kept = KeptIndex(tmp_path)
    kept.keeper.look()
    for number in range(150):
        kept.things.write(f"thing{number}", "yellow")
    kept.things.deliver()
    kept.open("table/1")

    def scopes() -> list[Scope]:
        kept.keeper.stop()
        return [SCOPE]

    kept.scopes = scopes
    kept.keeper.run(_report([]))
    assert not (tmp_path / "made-by").exists()
    assert len(kept.things.search_ids("yellow", limit=100)) == 100


def test_what_was_removed_is_forgotten_after_two_hours(tmp_path: Path) -> None:
    kept = KeptIndex(tmp_path)
    kept.things.write("boat", "a yellow boat")
    kept.things.drop("boat")
    kept.things.deliver()
    kept.keeper.tidy()
    assert kept.index.status(SCOPE).removed == 1
    kept.things.still.instant += timedelta(hours=2, minutes=1)
    kept.keeper.tidy()
    assert kept.index.status(SCOPE).removed == 0
