"""Tenants and projects in the store."""

import pytest

from almanac.identity.access.directory import StoredDirectory
from almanac.identity.tenants import Tenants
from almanac.kernel.errors import Conflict, InvalidInput, NotFound
from almanac.platform.store.port import Store


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


def test_a_tenant_is_of_the_standard_tier_until_it_is_moved(tenants: Tenants, store: Store) -> None:
    tenants.create("globex")
    assert StoredDirectory(store).tier("globex") == "standard"
    tenants.edit("globex", tier="premium")
    assert StoredDirectory(store).tier("globex") == "premium"
    assert [tenant.tier for tenant in tenants.all()] == ["standard", "premium"]


def test_a_tenant_may_begin_in_any_tier_that_there_is(tenants: Tenants) -> None:
    assert tenants.create("globex", tier="trial").tier == "trial"
    with pytest.raises(InvalidInput):
        tenants.create("umbrella", tier="free")
    with pytest.raises(InvalidInput):
        tenants.edit("globex", tier="free")


def test_only_a_tenant_that_exists_has_a_tier_to_be_moved_from(tenants: Tenants) -> None:
    with pytest.raises(NotFound):
        tenants.edit("nobody", tier="trial")
    assert "nobody" not in [tenant.id for tenant in tenants.all()]


def test_tenants_are_listed_by_name(tenants: Tenants) -> None:
    for name in ("zeta", "beta"):
        tenants.create(name)
    assert [tenant.id for tenant in tenants.all()] == ["acme", "beta", "zeta"]
