"""The index compared with the store and mended, made again, and looked at by the clock."""

from datetime import timedelta
from pathlib import Path

import pytest

from almanac.kernel.caller import Scope
from almanac.search.engine import maintenance
from almanac.search.engine.cleanup import cleanup_changes
from almanac.search.engine.consistency_check import AT_ONCE, Drift, sample
from almanac.search.engine.maintenance import VerificationResult
from almanac.search.port import Removal
from tests.doubles.search_index import MemoryIndex
from tests.doubles.searched_things import SCOPE, THINGS, Things
from tests.unit.search.samples import is_sound


def verify(things: Things) -> VerificationResult:
    return things.upkeep.verify(SCOPE, lambda _: None)


def test_an_index_that_followed_is_sound(things: Things) -> None:
    things.write("boat")
    things.write("boat", "green")
    things.write("car")
    things.drop("car")
    things.deliver()
    assert verify(things) == VerificationResult(documents=1)
    assert is_sound(verify(things))


def test_what_is_missing_is_brought_there(things: Things) -> None:
    for number in range(250):
        things.write(f"thing{number:03}", f"number {number} of the yellow boats")
    things.deliver()
    things.open(MemoryIndex())
    assert things.search_ids("yellow boats") == []
    assert verify(things) == VerificationResult(documents=250, missing=250)
    assert len(things.search_ids("yellow boats", limit=100)) == 100
    assert verify(things) == VerificationResult(documents=250)


def test_an_outdated_document_is_brought_up_to_date(things: Things) -> None:
    things.write("boat", "yellow")
    things.deliver()
    things.write("boat", "green")
    things.forget_events()
    found = verify(things)
    assert (found.outdated, is_sound(found)) == (1, False)
    assert things.search_ids("green") == ["boat"]


def test_what_no_source_has_is_removed_and_does_not_come_back(things: Things) -> None:
    things.write("boat", "yellow")
    things.deliver()
    things.drop("boat")
    things.forget_events()
    assert things.search_ids("yellow") == ["boat"]
    assert verify(things).superfluous == 1
    assert things.search_ids("yellow") == []
    things.repeat()
    assert things.search_ids("yellow") == []


def test_an_index_that_is_ahead_of_a_store_that_was_put_back_begins_anew(things: Things) -> None:
    things.write("boat", "yellow")
    things.write("car", "yellow")
    things.deliver()
    assert things.index is not None
    things.index.remove(SCOPE, [Removal(id="boat", profile="documents", version=7)])
    found = verify(things)
    assert (found.stuck, is_sound(found)) == (1, False)
    assert sorted(things.search_ids("yellow")) == ["boat", "car"]
    assert is_sound(verify(things))


def test_fresh_documents_whose_event_was_lost_go_once_the_index_has_them(things: Things) -> None:
    things.write("boat", "yellow")
    assert verify(things).fresh == 0
    assert things.fresh() == []
    assert things.search_ids("yellow") == ["boat"]


def test_a_rebuild_goes_through_every_project_and_tells_how_far_it_is(things: Things) -> None:
    told: list[int] = []
    for number in range(120):
        things.write(f"thing{number}")
    things.deliver()
    things.open(MemoryIndex())
    assert things.upkeep.rebuild([SCOPE], told.append) == 120
    assert told == [100, 120]
    assert is_sound(verify(things))


class Interruption(Exception):
    pass


@pytest.mark.parametrize("workers", [1, 3])
def test_an_interrupted_rebuild_goes_on_where_it_was(
    things: Things, workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maintenance, "BATCH", 5)
    kept = 5 * maintenance.KEPT_BATCHES
    for number in range(kept + 8):
        things.write(f"thing{number:02}")
    things.deliver()
    things.open(MemoryIndex())

    def interrupt(done: int) -> None:
        if done > kept:
            raise Interruption

    with pytest.raises(Interruption):
        things.upkeep.rebuild([SCOPE], interrupt, workers=workers)
    things.write("thing00", "yellow")
    things.drop("thing01")
    things.deliver()
    assert things.upkeep.rebuild([SCOPE], lambda _: None, workers=workers, resume=True) == 8
    assert things.search_ids("yellow") == ["thing00"]
    assert verify(things) == VerificationResult(documents=kept + 7)
    assert things.upkeep.rebuild([SCOPE], lambda _: None, resume=True) == kept + 7, "nothing was left unfinished"


def test_workers_bring_every_project_and_one_that_fails_ends_all(things: Things) -> None:
    scopes = [Scope(SCOPE.tenant, f"project-{number}") for number in range(8)]
    for scope in scopes:
        for number in range(3):
            things.write(f"thing{number}", scope=scope)
    things.deliver()
    things.open(MemoryIndex())
    told: list[int] = []
    assert things.upkeep.rebuild(scopes, told.append, workers=4) == 24
    assert sorted(told) == told == list(range(3, 25, 3))
    assert all(is_sound(things.upkeep.verify(scope, lambda _: None)) for scope in scopes)


def test_what_is_written_while_the_index_is_made_again_is_in_it(things: Things) -> None:
    for number in range(120):
        things.write(f"thing{number:03}", "old")
    things.deliver()

    def meanwhile(done: int) -> None:
        if done == 100:
            things.write("thing000", "yellow")
            things.drop("thing001")
            things.deliver()

    things.upkeep.rebuild([SCOPE], meanwhile)
    assert things.search_ids("yellow") == ["thing000"]
    assert "thing001" not in things.search_ids("old", limit=100)
    assert is_sound(verify(things))


def test_documents_of_several_kinds_and_projects_are_counted_apart(things: Things) -> None:
    things.write("boat")
    things.deliver()
    things.write("car")
    status, fresh = things.upkeep.status(SCOPE)
    assert (status.documents, fresh) == (1, 1)


def test_a_sample_of_a_sound_index_goes_through_all_documents_in_turns(things: Things) -> None:
    for number in range(AT_ONCE + 5):
        things.write(f"thing{number:03}")
    things.deliver()
    assert [sample(things.services, SCOPE) for _ in range(3)] == [AT_ONCE, 5, AT_ONCE]


def test_a_sample_that_finds_something_lost_says_so(things: Things) -> None:
    things.write("boat")
    things.deliver()
    things.open(MemoryIndex())
    with pytest.raises(Drift, match="lacks 1 of 1"):
        sample(things.services, SCOPE)


def test_what_is_on_its_way_is_not_lost(things: Things) -> None:
    things.write("boat")
    assert sample(things.services, SCOPE) == 1


def test_what_was_written_together_and_is_on_its_way_is_not_lost(things: Things) -> None:
    things.write_together({"boat": "yellow", "car": "red"})
    assert sample(things.services, SCOPE) == 2


def test_what_was_written_together_is_cleared_when_all_of_it_is_gone(tmp_path: Path) -> None:
    things = Things(tmp_path, None)
    things.write_together({"boat": "yellow", "car": "red"})
    assert cleanup_changes(things.store, SCOPE, {"boat"}, 10) == []
    assert len(cleanup_changes(things.store, SCOPE, {"boat", "car"}, 10)) == 1


def test_what_was_written_together_is_let_go_when_the_index_holds_all_of_it(things: Things) -> None:
    things.write_together({"boat": "yellow", "car": "red"})
    # A version that the index does not get: its thing is of an older one.
    things.store.write([THINGS.within(things.store, SCOPE).delete("car")])
    assert verify(things).fresh == 1


def test_without_an_index_there_is_nothing_to_look_at(tmp_path: Path) -> None:
    things = Things(tmp_path, None)
    things.write("boat")
    assert sample(things.services, SCOPE) == 0


def test_a_sample_is_not_blinded_by_what_was_removed(things: Things) -> None:
    things.write("thing")
    things.deliver()
    things.open(MemoryIndex())
    assert things.index is not None
    for start in range(0, 3000, 1000):
        gone = [Removal(id=f"gone{start + number}", profile="documents", version=2) for number in range(1000)]
        things.index.remove(SCOPE, gone)
    with pytest.raises(Drift, match="lacks 1 of 1"):
        sample(things.services, SCOPE)


def test_a_rebuild_and_a_comparison_forget_what_was_removed_long_ago(things: Things) -> None:
    index = things.index
    assert index is not None
    for make_whole in (lambda: things.upkeep.rebuild([SCOPE], lambda _: None), lambda: verify(things)):
        things.write("boat")
        things.drop("boat")
        things.deliver()
        make_whole()
        assert index.status(SCOPE).removed == 1
        things.still.instant += timedelta(hours=3)
        make_whole()
        assert index.status(SCOPE).removed == 0
