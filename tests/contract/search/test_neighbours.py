"""Neighbours help to find, and are not found themselves."""

import pytest

from almanac.kernel.caller import Scope
from almanac.search.port import Filters, Leg
from tests.contract.search.index_samples import entry, talk
from tests.contract.search.settled_index import SettledIndex

TURNS = talk("s", *(f"turn number{at}" for at in range(20)))


@pytest.mark.parametrize("leg", ["words", "meaning"])
def test_a_candidate_comes_with_the_six_before_and_after_it(search_index: SettledIndex, scope: Scope, leg: Leg):
    search_index.write(scope, *TURNS)
    frame = search_index.frame(scope, "number10", Filters(except_ids=_all_but(10)), legs=[leg])
    assert frame.ids == [f"s-{at}" for at in range(4, 17)]
    assert frame.candidates.tolist() == [at == 10 for at in range(4, 17)]


def test_neighbours_pass_no_filter_and_are_no_candidates(search_index: SettledIndex, scope: Scope):
    search_index.write(scope, *talk("s", "ginger tea", "ginger tea", "ginger tea"))
    frame = search_index.frame(scope, "ginger tea", Filters(except_ids=frozenset({"s-0", "s-2"})))
    assert dict(zip(frame.ids, frame.candidates.tolist(), strict=True)) == {"s-0": False, "s-1": True, "s-2": False}


def test_neighbours_are_of_the_same_session(search_index: SettledIndex, scope: Scope):
    search_index.write(scope, *talk("s", "ginger tea", "black tea"), *talk("t", "oat milk", "soy milk"))
    frame = search_index.frame(scope, "ginger", legs=["words"])
    assert frame.ids == ["s-0", "s-1"]
    assert [frame.sessions[number] for number in frame.session.tolist()] == ["s", "s"]


def test_what_has_no_session_has_no_neighbours(search_index: SettledIndex, scope: Scope):
    search_index.write(scope, *(entry(f"{at}", f"number{at}", position=at) for at in range(5)))
    assert search_index.frame(scope, "number2", legs=["words"]).ids == ["2"]


def test_a_removed_turn_leaves_its_place_empty(search_index: SettledIndex, scope: Scope):
    search_index.write(scope, *TURNS)
    search_index.remove(scope, "s-9", version=2)
    frame = search_index.frame(scope, "number10", Filters(except_ids=_all_but(10)), legs=["words"])
    assert frame.ids == [f"s-{at}" for at in (4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16)]


def test_a_turn_far_away_by_its_position_is_no_neighbour(search_index: SettledIndex, scope: Scope):
    far = [entry(f"{at}", f"number{at}", session="s", position=at) for at in (-(2**62), 0, 6, 13, 2**62)]
    search_index.write(scope, *far)
    frame = search_index.frame(scope, "number0", Filters(except_ids=frozenset({"6"})), legs=["words"])
    assert frame.ids == ["0", "6"]


def test_a_turn_that_came_late_stands_where_its_position_says(search_index: SettledIndex, scope: Scope):
    search_index.write(scope, *TURNS[:9], *TURNS[10:])
    search_index.frame(scope, "number10")
    search_index.write(scope, TURNS[9])
    frame = search_index.frame(scope, "number10", Filters(except_ids=_all_but(10)), legs=["words"])
    assert frame.ids == [f"s-{at}" for at in range(4, 17)]


def test_a_turn_is_found_by_the_words_of_its_neighbours(search_index: SettledIndex, scope: Scope):
    search_index.write(scope, *talk("s", "which tea do you like ?", "ginger", "of course"))
    assert search_index.search_ids(scope, "tea", Filters(except_ids=frozenset({"s-0"})), legs=["words"]) == {
        "s-1",
        "s-2",
    }


def _all_but(position: int) -> frozenset[str]:
    return frozenset(f"s-{at}" for at in range(20) if at != position)
