"""Test that documents and statistics of other tenants, projects and profiles have no part in an answer."""

from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from almanac.kernel.caller import Scope
from almanac.search.port import LEGS, DocumentState, Filters, Leg, Profile
from tests.contract.search.frames import frame_values
from tests.contract.search.index_samples import context, entry, in_profile, question, talk
from tests.contract.search.settled_index import SettledIndex, next_scope

OURS = talk("s", "ginger tea", "black tea with milk", "which bread ?", "ginger bread")
ASKED = question("ginger tea bread", contextual=True)
ALL = [
    Filters(),
    Filters(kinds=("turn",)),
    Filters(sessions=("s",)),
    Filters(roles=("user",)),
    Filters(speakers=("",)),
    Filters(since=0),
    Filters(until=1),
    Filters(except_ids=frozenset({"s-1"})),
]
words = st.lists(st.sampled_from(["ginger", "tea", "bread", "milk"]), min_size=1, max_size=30).map(" ".join)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=25)
@given(
    foreign=st.lists(st.tuples(st.integers(0, 2), st.sampled_from([each.id for each in OURS]), words), min_size=1),
    removed=st.lists(st.tuples(st.integers(0, 2), st.sampled_from([each.id for each in OURS])), max_size=3),
    filters=st.sampled_from(ALL),
    legs=st.sampled_from([LEGS, LEGS[:1], LEGS[1:]]),
)
def test_what_others_write_changes_no_answer(
    search_index: SettledIndex,
    foreign: Sequence[tuple[int, str, str]],
    removed: Sequence[tuple[int, str]],
    filters: Filters,
    legs: Sequence[Leg],
):
    scope = next_scope()
    search_index.write(scope, *OURS)
    search_index.enrich(scope, *(context(each, "ginger tea") for each in OURS[:2]))
    before = frame_values(search_index.frame(scope, ASKED, filters, legs=legs))
    for whose, name, text in foreign:
        other, profile = _others(scope)[whose]
        theirs = entry(name, text, session="s", version=5, position=1, profile=profile)
        search_index.index.index(other, [theirs])
        search_index.index.enrich(other, [context(theirs, text)])
    for whose, name in removed:
        other, profile = _others(scope)[whose]
        search_index.remove(other, name, version=9, profile=profile)
    search_index.settle()
    assert frame_values(search_index.frame(scope, ASKED, filters, legs=legs)) == before
    assert search_index.state_by_id(scope) == {
        each.id: DocumentState(each.id, 1, enriched=each in OURS[:2]) for each in OURS
    }


def _others(scope: Scope) -> list[tuple[Scope, Profile]]:
    """Another project, another tenant, another profile."""
    return [
        (Scope(scope.tenant, "other"), "talk"),
        (Scope(f"{scope.tenant}-other", scope.project), "talk"),
        (scope, "documents"),
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("a", "b"), ("b", "a")),
        (("a", "b"), ("A", "b")),
        (("a/b", "c"), ("a", "b/c")),
        (("a-b", "c"), ("a", "b-c")),
        (("a#b", "c"), ("a", "b#c")),
        (("a b", "c"), ("a", "b c")),
        (("a*", "c"), ("ab", "c")),
        (("a%", "c"), ("ab", "c")),
    ],
)
def test_scopes_that_look_alike_are_apart(search_index: SettledIndex, one: tuple[str, str], other: tuple[str, str]):
    prefix = next_scope().tenant
    mine, theirs = Scope(prefix + one[0], one[1]), Scope(prefix + other[0], other[1])
    search_index.write(theirs, *OURS)
    assert search_index.frame(mine, ASKED).ids == []
    assert search_index.state_by_id(mine) == {}
    assert search_index.index.list_unenriched(mine, 10) == []
    assert search_index.index.status(mine).documents == 0
    search_index.remove(mine, "s-0", version=9)
    assert search_index.search_ids(theirs, "ginger", legs=["words"]) >= {"s-0"}


def test_profiles_of_a_project_have_documents_and_statistics_of_their_own(search_index: SettledIndex, scope: Scope):
    profiles: list[Profile] = ["talk", "documents", "code"]
    for number, profile in enumerate(profiles):
        search_index.write(
            scope, *in_profile(profile, [entry(f"{profile}-{at}", "ginger tea") for at in range(number + 1)])
        )
    for number, profile in enumerate(profiles):
        frame = search_index.frame(scope, "tea", profile=profile)
        assert frame.documents == number + 1
        assert frame.text_statistics.frequencies.tolist() == [number + 1]
        assert all(each.startswith(profile) for each in frame.ids)
    assert search_index.index.status(scope).documents == 6
