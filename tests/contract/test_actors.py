"""An actor with the longest and oddest name that is taken works in every tool of every family."""

import os
from pathlib import Path

import pytest

from almanac.composition.families import every_family
from almanac.composition.services import services_for
from almanac.identity.access.principal import Principal
from almanac.identity.access.principal_fields import from_context, to_context
from almanac.identity.keys import ApiKeys
from almanac.identity.records import Grant
from almanac.identity.tenants import Tenants
from almanac.kernel.caller import Caller, Scope
from tests.bench.scale.typical_calls import AT_PROVIDERS
from tests.contract.tenancy.consequences import follow_all
from tests.contract.tenancy.crossings import in_order, live
from tests.contract.tenancy.world import Tenant, World

ODD = "O'Neil%x#y+" + "a" * 231 + "@Example.ORG"
ACTORS = ["Ann.Lee+work@Example.ORG", "o'neil%x#y@example.org", ODD]


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_every_tool_works_for_an_actor_of_the_longest_and_oddest_name(tmp_path: Path) -> None:
    assert len(ODD) == 254
    world = World(tmp_path / "almanac.db", lambda store, clock: every_family(services_for(store, clock)), follow_all)
    Tenants(world.store, world.clock).create("acme", project="web")
    grant = Grant(tenant="acme", project="web", actor=ODD, default_timezone="Europe/Berlin")
    key = ApiKeys(world.store, world.clock, os.urandom).issue(grant).key.text

    made = live(world, Tenant("acme", "web", key, ODD), 2, failing=AT_PROVIDERS)

    assert world.defects.causes == []
    worked = {one.tool.name for one in made if one.answer.has_succeeded}
    assert {tool.name for tool in in_order(world)} - AT_PROVIDERS == worked


@pytest.mark.parametrize("actor", ACTORS)
def test_api_gateway_carries_an_actor_of_any_name(actor: str) -> None:
    allowed = Principal(Caller(Scope("acme", "web"), actor, "key"))
    assert from_context(to_context(allowed)) == allowed
