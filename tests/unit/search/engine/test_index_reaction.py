"""Test that the index follows writes whose events come twice, late or not at all."""

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from random import Random

import msgspec
import pytest

from almanac.kernel.caller import Scope
from almanac.kernel.errors import Unavailable
from almanac.kernel.instants import now_ms
from almanac.platform.store.port import Put
from almanac.search.engine import index_reaction
from almanac.search.engine.document_writes import WHOLE_BYTES
from almanac.search.engine.records import FRESH
from almanac.search.port import GONE_KEPT_MS, Entry
from tests.doubles.search_index import MemoryIndex
from tests.doubles.searched_things import SCOPE, Things


def test_a_document_is_found_before_and_after_it_is_indexed(things: Things) -> None:
    things.write("boat", "a yellow boat on the lake")
    assert things.search_ids("yellow boat") == ["boat"]
    assert (len(things.fresh()), things.deliver(), len(things.fresh())) == (1, 1, 0)
    assert things.search_ids("yellow boat") == ["boat"]


def test_the_last_version_is_found_and_the_former_is_not(things: Things) -> None:
    things.write("boat", "a yellow boat")
    things.deliver()
    things.write("boat", "a green bicycle")
    assert (things.search_ids("yellow boat"), things.search_ids("green bicycle")) == ([], ["boat"])
    things.deliver()
    assert (things.search_ids("yellow boat"), things.search_ids("green bicycle")) == ([], ["boat"])


@pytest.mark.parametrize("indexed", [True, False])
def test_a_removed_document_is_found_no_more_from_its_removal_on(things: Things, indexed: bool) -> None:
    things.write("boat", "a yellow boat")
    if indexed:
        things.deliver()
    things.drop("boat")
    assert things.search_ids("yellow boat") == []
    things.deliver()
    assert things.search_ids("yellow boat") == []
    assert things.fresh() == []


def test_events_that_come_once_more_bring_back_nothing(things: Things) -> None:
    things.write("boat", "a yellow boat")
    things.write("boat", "a green boat")
    things.write("car", "a yellow car")
    things.drop("car")
    things.deliver()
    things.repeat()
    assert (things.search_ids("yellow"), things.search_ids("green")) == ([], ["boat"])


def test_texts_that_are_long_are_read_from_where_they_are_stored(things: Things) -> None:
    long = "a yellow boat " + "and water " * WHOLE_BYTES
    things.write("boat", long)
    assert len(things.fresh()[0].written) < WHOLE_BYTES
    assert things.search_ids("yellow boat") == ["boat"]
    things.deliver()
    assert things.search_ids("yellow boat") == ["boat"]


def test_a_long_text_that_was_removed_before_it_was_indexed_harms_nothing(things: Things) -> None:
    things.write("boat", "a yellow boat " * WHOLE_BYTES)
    things.drop("boat")
    assert things.search_ids("yellow boat") == []
    assert things.deliver() == 2
    assert things.reports == []


def test_what_was_written_together_is_found_and_followed_with_one_event(things: Things) -> None:
    things.write_together({"boat": "a yellow boat", "car": "a red car"})
    things.write("sled", "a yellow sled")
    assert (things.search_ids("yellow boat")[0], things.search_ids("red car"), len(things.fresh())) == (
        "boat",
        ["car"],
        2,
    )
    assert (things.deliver(), things.fresh()) == (2, [])
    things.write_together({"boat": "a green boat"}, gone=["car"])
    assert (things.search_ids("yellow"), things.search_ids("green boat"), things.search_ids("red car")) == (
        ["sled"],
        ["boat"],
        [],
    )
    assert things.deliver() == 1
    assert (things.search_ids("yellow"), things.search_ids("green boat"), things.search_ids("red car")) == (
        ["sled"],
        ["boat"],
        [],
    )
    things.repeat()
    assert (things.search_ids("green boat"), things.search_ids("red car")) == (["boat"], [])


def test_only_removals_may_be_written_together(things: Things) -> None:
    things.write_together({"boat": "a yellow boat", "car": "a yellow car"})
    things.deliver()
    things.write_together({}, gone=["boat", "car"])
    assert things.search_ids("yellow") == []
    things.deliver()
    assert (things.search_ids("yellow"), things.fresh()) == ([], [])


def test_what_was_written_together_is_verified_and_let_go_when_all_of_it_is_held(things: Things) -> None:
    things.write_together({"boat": "a yellow boat", "car": "a yellow car"})
    assert things.upkeep.verify(SCOPE, lambda _: None).missing == 2
    assert things.fresh() == []


class LaggingIndex(MemoryIndex):
    visible_after_ms = 1000


def test_where_the_index_lags_a_fresh_document_stays_until_searches_see_it(tmp_path: Path) -> None:
    things = Things(tmp_path, LaggingIndex())
    things.write("boat", "a yellow boat")
    things.deliver()
    assert [each.visible_at > 0 for each in things.fresh()] == [True]
    things.still.instant += timedelta(milliseconds=1000)
    things.write("car", "a red car")
    things.deliver()
    assert [each.writes[0].document.id for each in things.fresh()] == ["car"]


@pytest.mark.usefixtures("same_ids")
@pytest.mark.parametrize("index", [MemoryIndex, LaggingIndex])
@pytest.mark.parametrize("seed", range(20))
def test_events_that_are_followed_at_once_leave_what_they_leave_one_by_one(
    tmp_path: Path, index: type[MemoryIndex], seed: int
) -> None:
    alone, at_once = (Things(_make_folder(tmp_path / name), index()) for name in ("alone", "at once"))
    for things in (alone, at_once):
        _write_at_random(things, Random(seed))
    alone.deliver()
    at_once.deliver_together(Random(seed).randint(2, 24))
    for words in ("yellow", "green", "boat", "water"):
        assert sorted(at_once.search_ids(words, limit=100)) == sorted(alone.search_ids(words, limit=100))
    for things in (alone, at_once):
        things.still.instant += timedelta(hours=2)
        assert things.fresh() == []
    assert alone.index is not None
    assert at_once.index is not None
    assert at_once.index.list_states(SCOPE, "documents") == alone.index.list_states(SCOPE, "documents")


def _write_at_random(things: Things, random: Random) -> None:
    """Write and remove at random. A removed thing comes back under another name, because its versions start again."""
    lives, there = dict.fromkeys(["boat", "car", "sled", "kite"], 0), set[str]()
    for _ in range(40):
        names = [f"{name} {lives[name]}" for name in random.sample(list(lives), random.randint(1, 3))]
        texts = {name: f"a {random.choice(['yellow', 'green'])} {name}" for name in names}
        gone = [name for name in sorted(there) if name not in names][:1]
        step = random.choice(["write", "long", "together", "drop"])
        if step in ("write", "long"):
            things.write(names[0], texts[names[0]] + (" and water" * WHOLE_BYTES if step == "long" else ""))
            there.add(names[0])
            continue
        if step == "together":
            things.write_together(texts, gone)
            there.update(names)
        else:
            for name in gone:
                things.drop(name)
        there.difference_update(gone)
        for name in gone:
            lives[name.split()[0]] += 1


def _make_folder(folder: Path) -> Path:
    folder.mkdir()
    return folder


def test_what_no_later_event_lets_go_ends_by_itself(tmp_path: Path) -> None:
    things = Things(tmp_path, LaggingIndex())
    things.write("boat", "a yellow boat")
    things.deliver()
    things.still.instant += timedelta(hours=2)
    assert things.fresh() == []


def test_what_lags_does_not_pile_up(tmp_path: Path) -> None:
    things = Things(tmp_path, LaggingIndex())
    for number in range(100):
        things.write(f"thing{number}")
        things.still.instant += timedelta(milliseconds=100)
        things.deliver()
    assert len(things.fresh()) <= 11


class Broken(MemoryIndex):
    def index(self, scope: Scope, entries: Sequence[Entry]) -> None:
        raise Unavailable("The index does not answer.")


def test_an_index_that_does_not_answer_loses_nothing(tmp_path: Path) -> None:
    things = Things(tmp_path, Broken())
    things.write("boat", "a yellow boat")
    with pytest.raises(AssertionError):
        things.deliver()
    assert things.search_ids("yellow boat") == ["boat"]


def test_a_version_whose_event_failed_is_not_found_once_a_later_one_is_indexed(things: Things) -> None:
    things.write("boat", "a yellow boat")
    things.write("car", "a yellow car")
    failed = things.fresh()
    things.write("boat", "a green boat")
    things.drop("car")
    things.deliver()
    # As if the events of the first versions had been parked.
    things.store.write([Put(FRESH.key(SCOPE, FRESH.own, (each.id,)), msgspec.to_builtins(each)) for each in failed])
    things.still.instant += timedelta(minutes=2)
    assert things.search_ids("yellow") == []
    assert things.search_ids("green") == ["boat"]


def test_without_an_index_the_newest_documents_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_reaction, "MOST", 100)
    things = Things(tmp_path, None)
    for number in range(200):
        things.write(f"thing{number}", "a yellow boat")
    things.deliver()
    kept = things.fresh()
    assert 100 <= len(kept) < 164
    assert kept[-1].writes[0].document.id == "thing199"


def test_projects_do_not_meet(things: Things) -> None:
    other = Scope("acme", "other")
    stranger = Scope("stranger", SCOPE.project)
    for scope in (SCOPE, other, stranger):
        things.write(f"boat of {scope.tenant} {scope.project}", "a yellow boat", scope=scope)
    for _ in range(2):
        assert things.search_ids("yellow boat") == ["boat of acme main"]
        assert things.search_ids("yellow boat", scope=other) == ["boat of acme other"]
        assert things.search_ids("yellow boat", scope=stranger) == ["boat of stranger main"]
        things.deliver()


def test_an_event_of_long_ago_brings_nothing_back_that_is_forgotten_to_be_gone(things: Things) -> None:
    things.write("boat", "a yellow boat")
    parked = things.fresh()
    things.drop("boat")
    things.deliver()
    things.still.instant += timedelta(hours=3)
    assert things.index is not None
    assert things.index.drop_removed(now_ms(things.clock) - GONE_KEPT_MS) == 1
    rows = FRESH.within(things.store, SCOPE)
    things.store.write([rows.put(each) for each in parked])
    things.repeat()
    assert things.search_ids("yellow boat") == []
