"""Test replacing the tenant in partition keys with any names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from almanac.kernel.caller import Scope
from almanac.platform.portability.lines import within_tenant, without_tenant
from almanac.platform.store.keys import Partition

names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)


@given(names, names, names, st.lists(names, max_size=3))
def test_a_partition_moves_to_another_tenant_by_its_names(tenant: str, other: str, project: str, collection: list[str]):
    def both(owner: str) -> tuple[Partition, Partition]:
        scope = Scope(owner, project)
        return Partition.in_project(scope, *collection), Partition.in_tenant(scope, *collection)

    for before, after in zip(both(tenant), both(other), strict=True):
        assert within_tenant(without_tenant(before, tenant), other) == after


def test_a_name_that_looks_like_the_tenant_stays():
    partition = Partition.in_project(Scope("acme", "acme"), "acme", "P#acme")

    moved = within_tenant(without_tenant(partition, "acme"), "birch")

    assert moved == Partition.in_project(Scope("birch", "acme"), "acme", "P#acme")


@pytest.mark.parametrize(
    "partition",
    [Partition.in_project(Scope("acme-2", "web")), Partition.in_tenant(Scope("birch", "")), Partition.system("acme")],
)
def test_a_partition_of_somebody_else_is_refused(partition: Partition):
    with pytest.raises(ValueError, match="is not of the tenant acme"):
        without_tenant(partition, "acme")


@pytest.mark.parametrize("wrong", [(), ("S", "keys"), ("P",), ("X", "a", "b")])
def test_no_partition_outside_a_tenant_can_be_written(wrong: tuple[str, ...]):
    with pytest.raises(ValueError, match="begins with P and a project, or with T"):
        within_tenant(wrong, "acme")
