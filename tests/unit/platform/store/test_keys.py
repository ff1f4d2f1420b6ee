"""Keys carry their tenant, cannot be forged through names, and sort as their components do."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from almanac.kernel.caller import Scope
from almanac.kernel.errors import InvalidInput
from almanac.platform.store.keys import NUMBER_LIMIT, Partition, past, sort_key, sort_prefix

names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
awkward = st.text("a#%23!\x00 é", min_size=1, max_size=4)
numbers = st.integers(1 - NUMBER_LIMIT, NUMBER_LIMIT - 1)


def test_a_partition_cannot_be_made_of_text():
    with pytest.raises(TypeError):
        Partition("P#acme#web#claims")  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Partition()


def test_a_partition_cannot_be_changed():
    partition = Partition.in_project(Scope("acme", "web"), "claims")
    with pytest.raises(AttributeError):
        partition.text = "P#other#web#claims"
    assert partition.text == "P#acme#web#claims"


@pytest.mark.parametrize(("tenant", "project", "name"), [("", "web", "a"), ("acme", "", "a"), ("acme", "web", "")])
def test_a_partition_without_a_tenant_a_project_or_a_name_is_refused(tenant: str, project: str, name: str):
    with pytest.raises(InvalidInput):
        Partition.in_project(Scope(tenant, project), name)


def _in_project(components: list[str]) -> Partition:
    return Partition.in_project(Scope(components[0], components[1]), *components[2:])


def _in_tenant(components: list[str]) -> Partition:
    return Partition.in_tenant(Scope(components[0], "any"), *components[1:])


def _system(components: list[str]) -> Partition:
    return Partition.system(*components)


KINDS = (_in_project, _in_tenant, _system)


@given(st.lists(awkward | names, min_size=3, max_size=5), st.lists(awkward | names, min_size=3, max_size=5))
def test_different_names_never_make_the_same_partition(one: list[str], other: list[str]):
    assume(one != other)
    for kind in KINDS:
        assert kind(one) != kind(other)
    assert len({kind(one) for kind in KINDS}) == 3


@given(awkward, awkward, awkward)
def test_no_name_reaches_another_tenant(tenant: str, project: str, name: str):
    partition = Partition.in_project(Scope(tenant, project), name)
    assert partition.text.count("#") == 3
    assert partition.text.startswith(Partition.in_project(Scope(tenant, "x"), "x").text.removesuffix("x#x"))


@given(st.lists(numbers, max_size=20))
def test_numbers_sort_by_their_value(values: list[int]):
    assert sorted(values) == sorted(values, key=sort_key)


plain = st.text(st.characters(min_codepoint=0x26, exclude_categories=["Cs"], exclude_characters="\x7f"), min_size=1)


@given(st.lists(st.tuples(plain, numbers, plain), max_size=10))
def test_keys_sort_component_by_component(tuples: list[tuple[str, int, str]]):
    assert sorted(tuples) == sorted(tuples, key=lambda components: sort_key(*components))


@given(st.lists(awkward, min_size=1, max_size=3), st.lists(awkward, min_size=1, max_size=3))
def test_a_prefix_selects_what_begins_with_its_components(prefix: list[str], components: list[str]):
    begins = len(components) > len(prefix) and components[: len(prefix)] == prefix
    assert sort_key(*components).startswith(sort_prefix(*prefix)) == begins


@given(names, names)
def test_past_a_prefix_lies_whatever_does_not_begin_with_it(prefix: str, text: str):
    end = past(prefix)
    assert (text >= prefix and (end is None or text < end)) == text.startswith(prefix)


@pytest.mark.parametrize("component", [NUMBER_LIMIT, -NUMBER_LIMIT, "", "\ud800", "x" * 1025])
def test_a_component_out_of_bounds_is_refused(component: str | int):
    with pytest.raises(InvalidInput):
        sort_key(component)


def test_a_partition_of_too_many_bytes_is_refused():
    with pytest.raises(InvalidInput):
        Partition.in_project(Scope("t" * 2000, "p" * 50), "x")
