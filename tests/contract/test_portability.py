"""A tenant moves between installations and technologies, and is the same there."""

from itertools import count
from pathlib import Path

import pytest

from almanac.identity.tenants import Tenants
from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import NotFound
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import Item, OutboxPut, Put
from tests.contract.backends import Place
from tests.contract.installations import Installation

_names = count(1)


@pytest.fixture
def tenant() -> str:
    """A name of its own for every test: the emulators' table is shared."""
    return f"mover-{next(_names)}"


@pytest.fixture
def here(place: Place, tmp_path: Path, clock: FixedClock) -> Installation:
    return Installation(place, tmp_path, clock)


@pytest.fixture
def elsewhere(tmp_path: Path, clock: FixedClock) -> Installation:
    return Installation.on_sqlite(tmp_path / "elsewhere", clock)


def _fill(installation: Installation, tenant: str) -> None:
    """Every type of value, both levels, indexes, expiry, an event, a large value, over a page of items."""
    tenants = Tenants(installation.store, installation.clock)
    tenants.create(tenant, name="The movers")
    tenants.create_project(tenant, "web")
    now = int(installation.clock.now().timestamp() * 1000)
    web, own = Scope(tenant, "web"), Scope(tenant, "")
    notes, audit = Partition.in_project(web, "notes", f"a#b {tenant}"), Partition.in_tenant(own, "audit")
    every = {"text": "ü#%\0", "whole": -(2**63), "part": 0.1, "flag": True, "none": None, "bytes": b"\0\xff"}
    installation.whole.write(
        [
            Put(Key(notes, sort_key("n", -3)), {**every, "list": [1, 2.5, [b"x"], {"$bytes": "y"}], "empty": {}}),
            Put(Key(notes, sort_key("large")), {"body": "long " * 100_000, "more": b"\0" * 400_000}),
            Put(Key(notes, sort_key("soon")), {"a": 1}, expires_at=now + 1000),
            Put(Key(notes, sort_key("gone")), {"a": 1}, expires_at=now),
            Put(
                Key(audit, sort_key(1)),
                {"a": 1},
                indexes={"gsi1": Key(audit, "by#actor"), "gsi2": Key(Partition.in_project(web, "x"), "y")},
            ),
            OutboxPut(Key(notes, sort_key("happened")), {"a": 1}),
        ]
    )
    for start in range(0, 300, 50):
        installation.whole.write([Put(Key(notes, sort_key("many", start + each)), {"n": each}) for each in range(50)])


def _without(items: list[Item], tenant: str) -> list[tuple[object, ...]]:
    """The items as comparable values, the tenant's name taken out of their keys."""
    return [
        (
            item.key.partition.text.replace(tenant, "*", 1),
            item.key.sort,
            item.attributes,
            item.expires_at,
            {index: (key.partition.text.replace(tenant, "*", 1), key.sort) for index, key in item.indexes.items()},
        )
        for item in items
    ]


def test_a_tenant_is_the_same_in_another_installation(here: Installation, elsewhere: Installation, tenant: str):
    _fill(here, tenant)

    content, counts = here.export_with_counts(tenant, with_keys=True)
    imported = elsewhere.restore(content)

    assert imported.counts == counts
    assert counts.items == len(here.items(tenant)) == 307
    assert counts.blobs == 2
    assert elsewhere.items(tenant) == here.items(tenant)
    assert [one.name for one in Tenants(elsewhere.store, elsewhere.clock).all()] == ["The movers"]


def test_a_tenant_comes_back_from_another_technology_unchanged(
    here: Installation, elsewhere: Installation, tenant: str
):
    _fill(elsewhere, tenant)

    here.restore(elsewhere.export(tenant), into=f"{tenant}-back")

    assert _without(here.items(f"{tenant}-back"), f"{tenant}-back") == _without(elsewhere.items(tenant), tenant)


def test_an_index_finds_what_was_imported(here: Installation, elsewhere: Installation, tenant: str):
    _fill(elsewhere, tenant)

    here.restore(elsewhere.export(tenant))

    audit = Partition.in_tenant(Scope(tenant, ""), "audit")
    assert [item.key.sort for item in here.store.query(audit, index="gsi1").items] == [sort_key(1)]


def test_nothing_of_a_tenant_with_a_similar_name_is_taken(here: Installation, tenant: str):
    others = [f"{tenant}x", f"{tenant}-2", tenant[:-1] or "m"]
    for each in (tenant, *others):
        Tenants(here.store, here.clock).create(each)

    assert [item.key.partition.text for item in here.scan.items(tenant)] == [f"T#{tenant}#projects"]


def test_a_tenant_without_anything_but_its_project_moves(here: Installation, elsewhere: Installation, tenant: str):
    Tenants(here.store, here.clock).create(tenant)

    elsewhere.restore(here.export(tenant))

    assert [each.id for each in Tenants(elsewhere.store, elsewhere.clock).projects(tenant)] == ["default"]


def test_a_tenant_that_does_not_exist_cannot_be_exported(here: Installation):
    with pytest.raises(NotFound, match="There is no tenant nobody"):
        here.export("nobody")
