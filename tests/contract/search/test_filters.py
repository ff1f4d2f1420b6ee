"""Test that each leg of a search filters before it chooses. Better matches outside the filter displace no result."""

from typing import Any

import pytest

from almanac.kernel.caller import Scope
from almanac.search.port import LEGS, Filters, Leg
from tests.contract.search.index_samples import entry, in_profile
from tests.contract.search.settled_index import SettledIndex

DRINKS = [
    entry("tea", "ginger tea", kind="note", session="one", role="user", speaker="Ann", at=10, tags=("hot", "leaf")),
    entry("mate", "mate tea", kind="note", session="two", role="assistant", speaker="Bob", at=20, tags=("hot",)),
    entry("ice", "iced tea", kind="card", session="one", position=1, role="tool", at=30, fields={"path": "a.py"}),
    entry(
        "milk",
        "milk tea",
        kind="card",
        speaker="ANN",
        at=40,
        tags=("cold", 'a","b'),
        fields={"path": "b.py", "by": "x"},
    ),
]


NONE: set[str] = set()


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(), {"tea", "mate", "ice", "milk"}),
        (Filters(kinds=("note",)), {"tea", "mate"}),
        (Filters(kinds=("note", "card", "other")), {"tea", "mate", "ice", "milk"}),
        (Filters(kinds=("other",)), NONE),
        (Filters(sessions=("one",)), {"tea", "ice"}),
        (Filters(sessions=("one", "two")), {"tea", "mate", "ice"}),
        (Filters(roles=("assistant", "tool")), {"mate", "ice"}),
        (Filters(speakers=("aNN",)), {"tea", "milk"}),
        (Filters(tags=("hot",)), {"tea", "mate"}),
        (Filters(tags=("leaf", "hot")), {"tea"}),
        (Filters(tags=("leaf", "cold")), NONE),
        (Filters(tags=('a","b', "cold")), {"milk"}),
        (Filters(tags=("a",)), NONE),
        (Filters(tags=(",",)), NONE),
        (Filters(any_tags=("leaf", "cold")), {"tea", "milk"}),
        (Filters(any_tags=("leaf", "cold"), tags=("hot",)), {"tea"}),
        (Filters(any_tags=("other",)), NONE),
        (Filters(since=20), {"mate", "ice", "milk"}),
        (Filters(until=20), {"tea"}),
        (Filters(since=20, until=40), {"mate", "ice"}),
        (Filters(fields={"path": "b.py"}), {"milk"}),
        (Filters(fields={"path": "b.py", "by": "y"}), NONE),
        (Filters(fields={"missing": ""}), NONE),
        (Filters(fields={"path": 'b.py","by":"x'}), NONE),
        (Filters(among={"path": frozenset({"a.py", "b.py", "c.py"})}), {"ice", "milk"}),
        (Filters(among={"path": frozenset({"b.py"}), "by": frozenset({"y"})}), NONE),
        (Filters(among={"path": frozenset({"b.py"}), "by": frozenset({"x"})}, fields={"by": "x"}), {"milk"}),
        (Filters(among={"path": frozenset()}), NONE),
        (Filters(among={"path": frozenset({"", "b.py"})}), {"tea", "mate", "milk"}),
        (Filters(among={"path": frozenset({""})}), {"tea", "mate"}),
        (Filters(among={"pat": frozenset({""})}), {"tea", "mate", "ice", "milk"}),
        (Filters(except_ids=frozenset({"tea", "gone"})), {"mate", "ice", "milk"}),
        (Filters(except_fields={"path": "b.py"}), {"tea", "mate", "ice"}),
        (Filters(except_fields={"path": "a.py", "by": "x"}), {"tea", "mate"}),
        (Filters(except_fields={"by": "b.py", "missing": ""}), {"tea", "mate", "ice", "milk"}),
        (Filters(except_fields={"path": "a.py"}, fields={"path": "a.py"}), NONE),
        (Filters(kinds=("note",), speakers=("ann",), since=10, except_ids=frozenset({"mate"})), {"tea"}),
    ],
)
@pytest.mark.parametrize("leg", LEGS)
def test_each_filter_holds_in_each_leg(
    search_index: SettledIndex, scope: Scope, leg: Leg, filters: Filters, expected: set[str]
):
    search_index.write(scope, *DRINKS)
    assert search_index.search_ids(scope, "tea", filters, legs=[leg]) == expected


ASIDE: list[tuple[dict[str, Any], Filters]] = [
    ({"kind": "other"}, Filters(kinds=("turn",))),
    ({"session": "other"}, Filters(sessions=("",))),
    ({"role": "tool"}, Filters(roles=("user",))),
    ({"speaker": "Bob"}, Filters(speakers=("",))),
    ({"at": 99}, Filters(until=99)),
    ({"at": -1}, Filters(since=0)),
]


@pytest.mark.parametrize("profile", ["talk", "documents", "code"])
@pytest.mark.parametrize("leg", LEGS)
@pytest.mark.parametrize(("aside", "filters"), ASIDE)
def test_five_hundred_better_matches_that_are_left_out_take_nobodys_place(
    search_index: SettledIndex, scope: Scope, profile: Any, leg: Leg, aside: dict[str, Any], filters: Filters
):
    better = [entry(f"better-{at}", "ginger tea", position=at, **aside) for at in range(500)]
    worse = [entry(f"worse-{at}", f"ginger bread and butter {at}", position=at) for at in range(20)]
    search_index.write(scope, *in_profile(profile, [*better, *worse]))
    found = search_index.search_ids(scope, "ginger tea", filters, profile=profile, legs=[leg], size=20)
    assert len(found) >= 10
    assert all(each.startswith("worse") for each in found)


def test_a_question_without_words_and_vector_finds_nothing(search_index: SettledIndex, scope: Scope):
    search_index.write(scope, *DRINKS)
    assert search_index.search_ids(scope, "") == set()


def test_a_leg_that_was_not_asked_for_finds_nothing(search_index: SettledIndex, scope: Scope):
    search_index.write(scope, *DRINKS)
    assert search_index.search_ids(scope, "coffee", legs=["words"]) == set()
    assert search_index.search_ids(scope, "tea", legs=[]) == set()
