"""Test a search over fresh documents and the index together, and its remarks when a part is unavailable."""

from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from msgspec.structs import replace

from almanac.kernel.caller import Scope
from almanac.kernel.errors import Unavailable
from almanac.search.engine import fresh
from almanac.search.engine.candidate_query import LOST_INDEX, NO_INDEX, OF_WORDS
from almanac.search.engine.lazy_analyzer import Derivers
from almanac.search.frame import Frame
from almanac.search.port import Document, Filters, Leg, Profile, Question
from almanac.search.questions.port import NO_VECTORS, Search, SearchRequest
from tests.doubles.five_words import Table
from tests.doubles.search_index import MemoryIndex
from tests.doubles.searched_things import SCOPE, Things


class Ready:
    """Vectors that are there."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def ready(self) -> Table:
        return self._table


class LostIndex(MemoryIndex):
    """An index that does not answer."""

    asked = 0
    is_lost = False

    def candidates(
        self, scope: Scope, profile: Profile, question: Question, filters: Filters, legs: Sequence[Leg], size: int
    ) -> Frame:
        self.asked += 1
        if self.is_lost:
            raise Unavailable("The index does not answer.")
        return super().candidates(scope, profile, question, filters, legs, size)


def test_a_lost_index_leaves_what_is_fresh_and_says_so(tmp_path: Path) -> None:
    index = LostIndex()
    things = Things(tmp_path, index)
    things.write("old", "a yellow boat")
    things.deliver()
    things.write("new", "a yellow boat")
    index.is_lost = True
    answer = things.answer("yellow boat")
    assert [hit.id for hit in answer.hits] == ["new"]
    assert answer.notes == (LOST_INDEX,)


def test_a_lost_index_is_asked_once_even_where_nothing_is_found(tmp_path: Path) -> None:
    index = LostIndex()
    things = Things(tmp_path, index)
    things.write("new", "a yellow boat")
    index.is_lost = True
    things.answer("submarine", filters=Filters(tags=("none",), kinds=("thing",)))
    assert index.asked == 1


class Overtaken(MemoryIndex):
    """An index whose feed goes on while it is asked."""

    overtaking: Callable[[], object] | None = None

    def candidates(
        self, scope: Scope, profile: Profile, question: Question, filters: Filters, legs: Sequence[Leg], size: int
    ) -> Frame:
        frame = super().candidates(scope, profile, question, filters, legs, size)
        if self.overtaking is not None:
            self.overtaking()
        return frame


def test_what_is_indexed_while_a_search_goes_on_is_not_missed_in_between(tmp_path: Path) -> None:
    index = Overtaken()
    things = Things(tmp_path, index)
    things.write("boat", "a yellow boat")
    index.overtaking = things.deliver
    assert things.search_ids("yellow boat") == ["boat"]
    assert things.fresh() == []
    assert things.search_ids("yellow boat") == ["boat"]


def test_the_questions_of_one_call_read_what_is_fresh_once(things: Things, monkeypatch: pytest.MonkeyPatch) -> None:
    things.write("a", "a yellow boat")
    read: list[Scope] = []
    whole = fresh.FRESH.within

    def count_reads(store: Any, scope: Scope) -> Any:
        def every(**how: Any) -> Any:
            read.append(scope)
            yield from whole(store, scope).every(**how)

        return SimpleNamespace(every=every)

    monkeypatch.setattr(fresh, "FRESH", SimpleNamespace(within=count_reads))
    search: Search = things.services.get(Search)
    once, request = search.once(), SearchRequest(text="yellow boat", profile="documents")
    found = [[hit.id for hit in once.search(SCOPE, request).hits] for _ in range(3)]

    assert found == [["a"]] * 3
    assert len(read) == 1
    things.write("b", "a yellow boat")
    assert {hit.id for hit in search.once().search(SCOPE, request).hits} == {"a", "b"}


def test_without_an_index_the_newest_are_searched_and_what_was_not_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    things = Things(tmp_path, None)
    for name in ("first", "second", "third"):
        things.write(name, "a yellow boat")
    assert things.answer("yellow boat").notes == ()
    monkeypatch.setattr(fresh, "MOST", 2)
    answer = things.answer("yellow boat")
    assert sorted(hit.id for hit in answer.hits) == ["second", "third"]
    assert (answer.pending, answer.notes) == (1, (NO_INDEX,))


def test_what_was_not_reached_is_counted(things: Things, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(7):
        things.write(f"thing{number}", "a yellow boat")
    monkeypatch.setattr(fresh, "MOST", 4)
    assert things.answer("yellow boat").pending == 3
    monkeypatch.setattr(fresh, "MOST", 7)
    assert things.answer("yellow boat").pending == 0


def test_only_versions_that_the_question_asks_for_are_pending(things: Things, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(7):
        things.write(f"thing{number}", "a yellow boat")
    monkeypatch.setattr(fresh, "MOST", 4)
    asked = things.answer("green car", filters=Filters(kinds=("thing",)), reasons=True)
    assert (asked.pending, "could not be searched yet" in str(asked.empty)) == (3, True)
    others = things.answer("green car", filters=Filters(kinds=("note",)), reasons=True)
    assert (others.pending, "could not be searched yet" in str(others.empty)) == (0, False)
    things.profile = "talk"
    assert things.answer("green car").pending == 0


def test_texts_beyond_what_one_search_derives_are_reached_by_the_next(
    things: Things, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        things.write(f"thing{number}", "a yellow boat")
    monkeypatch.setattr(fresh, "DERIVED_AT_ONCE", 20)
    assert [things.answer("yellow boat").pending for _ in range(3)] == [1, 0, 0]


def test_words_alone_answer_while_there_are_no_vectors(tmp_path: Path) -> None:
    things = Things(tmp_path, MemoryIndex())
    things.open(things.index, vectors_of="")
    things.write("boat", "a yellow boat")
    answer = things.answer("yellow boat")
    assert ([hit.id for hit in answer.hits], answer.notes) == (["boat"], (NO_VECTORS,))


def test_what_is_fresh_ranks_with_what_is_indexed(things: Things) -> None:
    things.write("harbour", "the harbour has one yellow boat among many other things that lie there")
    things.deliver()
    things.write("boat", "yellow boat", title="yellow boat")
    things.write("car", "a red car")
    assert things.search_ids("yellow boat")[:2] == ["boat", "harbour"]
    things.deliver()
    assert things.search_ids("yellow boat")[:2] == ["boat", "harbour"]


def test_there_are_as_many_hits_as_asked_for_and_more_are_told_of(things: Things) -> None:
    for number in range(5):
        things.write(f"thing{number}", "a yellow boat")
    answer = things.answer("yellow boat", limit=3)
    assert (len(answer.hits), answer.cut) == (3, True)
    assert not things.answer("yellow boat", limit=5).cut


@pytest.mark.parametrize("indexed", [True, False])
def test_filters_hold_for_what_is_fresh_and_what_is_indexed(things: Things, indexed: bool) -> None:
    things.write("tagged", "a yellow boat", tags=("sea",))
    things.write("plain", "a yellow boat")
    if indexed:
        things.deliver()
    assert things.search_ids("yellow boat", filters=Filters(tags=("sea",))) == ["tagged"]
    assert things.search_ids("yellow boat", filters=Filters(except_ids=frozenset(["tagged"]))) == ["plain"]


@pytest.mark.parametrize("indexed", [True, False])
def test_neighbours_of_a_hit_are_those_of_its_session_in_their_order(tmp_path: Path, indexed: bool) -> None:
    things = Things(tmp_path, MemoryIndex(), profile="talk")
    for place, text in enumerate(["hello", "how are you", "I bought a submarine", "really", "for my aunt"]):
        things.write(f"turn{place}", text, session="monday", position=place)
    things.write("turn9", "the weather", session="tuesday", position=0)
    if indexed:
        things.deliver()
    (hit,) = things.answer("submarine", around=2, limit=1).hits
    assert (hit.id, hit.before, hit.after) == ("turn2", ("turn0", "turn1"), ("turn3", "turn4"))


def test_a_hit_says_why_only_where_it_is_asked(things: Things) -> None:
    things.write("boat", "a yellow boat")
    assert things.answer("yellow boat").hits[0].why is None
    assert things.answer("yellow boat", explain=True).hits[0].why is not None


def test_how_far_an_answer_reaches_is_said_of_fresh_and_indexed_documents_and_past_a_threshold(things: Things) -> None:
    things.write("boat", "a yellow boat")
    for _ in range(2):
        answer = things.answer("yellow boat", threshold=1.0)
        assert answer.hits == ()
        assert answer.coverage is not None
        assert (answer.coverage.verdict, answer.coverage.missing) == ("covered", ())
        other = things.answer("submarine").coverage
        assert other is not None
        assert (other.verdict, other.missing) == ("not_covered", ("submarine",))
        things.deliver()


def test_a_search_waits_for_some_rows_of_a_table_that_is_being_made_and_says_what_it_did_not_wait_for(
    things: Things, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fresh, "ROWS_AT_ONCE", 1)
    table = Table(frozenset([1, 2]))
    things.open_with(replace(things.indexing, deriver=Derivers(Ready(table))))
    for name, text in (("yellow", "yellow"), ("boat", "a boat"), ("car", "a car"), ("green", "green")):
        things.write(name, text)
    answer = things.answer("boat")
    assert answer.notes == (OF_WORDS.format(1),)
    assert answer.hits[0].id == "boat"
    table.lacking = frozenset()
    assert things.answer("boat").notes == ()


class Names:
    """A deriver whose entries say its own name. `meanwhile` runs while it derives one."""

    def __init__(self, name: str, meanwhile: Callable[[], object] = lambda: None) -> None:
        self.name = name
        self.meanwhile = meanwhile

    def count_missing_rows(self, _document: Document) -> int:
        return 0

    def entry(self, document: Document) -> Any:
        self.meanwhile()
        return SimpleNamespace(id=document.id, by=self.name)


def test_a_search_that_began_before_the_vectors_leaves_no_entries_to_those_after_it(things: Things) -> None:
    things.write("first", "a yellow boat")
    leg = fresh.FreshLeg(things.indexing, things.services)

    def by(deriver: Any) -> list[str]:
        return [cast("Any", entry).by for entry in leg.read(deriver, SCOPE, "documents").entries]

    later = Names("words and vectors")
    assert by(Names("words", lambda: by(later))) == ["words"]
    assert by(later) == ["words and vectors"]
