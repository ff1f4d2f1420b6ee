"""Tenants and projects in the store."""

import pytest

from almanac.identity.tenants import Tenants
from almanac.kernel.errors import Conflict, InvalidInput, NotFound


def test_a_tenant_begins_with_one_project(tenants: Tenants) -> None:
    created = tenants.create("globex", "Globex Corporation", "moon")
    assert created in list(tenants.all())
    assert [project.id for project in tenants.projects("globex")] == ["moon"]


def test_a_tenant_is_created_once(tenants: Tenants) -> None:
    with pytest.raises(Conflict):
        tenants.create("acme")


def test_projects_belong_to_their_tenant(tenants: Tenants) -> None:
    tenants.create("globex")
    assert [project.id for project in tenants.projects("acme")] == ["default", "moon"]
    assert [project.id for project in tenants.projects("globex")] == ["default"]


def test_a_project_is_created_once(tenants: Tenants) -> None:
    with pytest.raises(Conflict):
        tenants.create_project("acme", "moon")


def test_a_project_needs_a_tenant(tenants: Tenants) -> None:
    with pytest.raises(NotFound):
        tenants.create_project("nobody", "moon")


@pytest.mark.parametrize("name", ["", "Acme", "a b", "a#b", "é", "-a", "a" * 65, "*"])
def test_a_name_has_only_plain_characters(tenants: Tenants, name: str) -> None:
    with pytest.raises(InvalidInput):
        tenants.create(name)


def test_tenants_are_listed_by_name(tenants: Tenants) -> None:
    for name in ("zeta", "beta"):
        tenants.create(name)
    assert [tenant.id for tenant in tenants.all()] == ["acme", "beta", "zeta"]
