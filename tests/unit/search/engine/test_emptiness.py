"""Test that an empty answer names its reason and a call to make next."""

from pathlib import Path
from typing import Any

import pytest

from almanac.search.engine import fresh
from almanac.search.engine.emptiness import FILTERS, active_filters, without
from almanac.search.port import Filters
from almanac.search.questions.port import Emptiness
from tests.doubles.search_index import MemoryIndex
from tests.doubles.searched_things import Things


def emptiness_of(things: Things, text: str, **request: Any) -> Emptiness:
    answer = things.answer(text, **request)
    assert answer.hits == ()
    assert answer.empty is not None
    return answer.empty


def test_a_project_without_documents_says_that_nothing_is_stored(things: Things) -> None:
    assert emptiness_of(things, "yellow boat").reason == "nothing_stored"


@pytest.mark.parametrize("indexed", [True, False])
def test_nothing_alike_is_told_from_nothing_stored(things: Things, indexed: bool) -> None:
    things.write("boat", "a yellow boat")
    if indexed:
        things.deliver()
    assert emptiness_of(things, "submarine").reason == "nothing_alike"


def test_whoever_does_not_ask_for_reasons_gets_none(things: Things) -> None:
    things.write("boat", "a yellow boat")
    answer = things.answer("submarine", reasons=False)
    assert (answer.hits, answer.empty) == ((), None)


@pytest.mark.parametrize("indexed", [True, False])
def test_a_filter_that_leaves_nothing_is_named(things: Things, indexed: bool) -> None:
    things.write("boat", "a yellow boat", tags=("sea",))
    if indexed:
        things.deliver()
    empty = emptiness_of(things, "yellow boat", filters=Filters(tags=("land",), kinds=("thing",)))
    assert (empty.reason, empty.filters) == ("filters", ("tags",))
    assert "without tags" in empty.text


def test_filters_that_leave_nothing_only_together_are_told_as_such(things: Things) -> None:
    things.write("boat", "a yellow boat", tags=("sea",))
    empty = emptiness_of(things, "yellow boat", filters=Filters(tags=("land",), kinds=("other",)))
    assert (empty.reason, empty.filters) == ("filters", ())
    assert "together" in empty.text


def test_a_filter_is_not_blamed_where_nothing_is_alike_anyway(things: Things) -> None:
    things.write("boat", "a yellow boat", tags=("sea",))
    assert emptiness_of(things, "submarine", filters=Filters(tags=("land",))).reason == "nothing_alike"


def test_what_the_threshold_kept_out_is_said_with_a_threshold_that_lets_it_in(things: Things) -> None:
    things.write("boat", "a yellow boat on a lake in the north, far from everything else")
    things.write("car", "a red car")
    empty = emptiness_of(things, "yellow submarine in the deep sea", threshold=1.0)
    assert empty.reason == "threshold"
    assert empty.best is not None
    assert things.search_ids("yellow submarine in the deep sea", threshold=int(empty.best * 100) / 100)[:1] == ["boat"]


def test_documents_out_of_reach_come_before_other_reasons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    things = Things(tmp_path, MemoryIndex())
    for number in range(3):
        things.write(f"thing{number}", "a yellow boat")
    monkeypatch.setattr(fresh, "MOST", 1)
    empty = emptiness_of(things, "submarine")
    assert empty.reason == "behind"
    assert "2 documents" in empty.text


def test_every_filter_can_be_named_and_left_out() -> None:
    full = Filters(
        kinds=("a",),
        sessions=("a",),
        roles=("a",),
        speakers=("a",),
        tags=("a",),
        any_tags=("a",),
        since=1,
        until=2,
        fields={"path": "a", "actor": "b"},
        among={"lang": frozenset(["a", "b"])},
        except_ids=frozenset(["a"]),
        except_fields={"kind": "a"},
    )
    assert set(FILTERS) == set(Filters.__struct_fields__)
    names = list(active_filters(full))
    assert len(names) == len(FILTERS) + 1
    for name in names:
        assert list(active_filters(without(full, name))) == [each for each in names if each != name]
