"""Deleting tenants and projects, on every store, also after a kill."""

import os
from itertools import count
from pathlib import Path

import pytest

from almanac.identity.access.authorize import authorize
from almanac.identity.access.directory import StoredDirectory
from almanac.identity.access.principal import Principal
from almanac.identity.audit import Clerk, audit_page
from almanac.identity.keys import ApiKeys
from almanac.identity.records import Grant
from almanac.identity.tenants import Tenants
from almanac.identity.transfer.deletion import ProjectDeletion, TenantDeletion
from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import NotFound
from almanac.kernel.instants import now_ms
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import Indexes, Put
from tests.contract.backends import Place
from tests.contract.installations import Installation

_names = count(1)


class World:
    """An installation with two tenants that have two projects each, notes, a large value and keys."""

    def __init__(self, here: Installation) -> None:
        self.here = here
        self.mine, self.other = f"goer-{next(_names)}", f"stayer-{next(_names)}"
        self.keys = ApiKeys(here.store, here.clock, os.urandom)
        self.issued: dict[tuple[str, str], str] = {}
        for tenant in (self.mine, self.other):
            Tenants(here.store, here.clock).create(tenant)
            Tenants(here.store, here.clock).create_project(tenant, "moon")
            for project in ("default", "moon", "*"):
                grant = Grant(tenant=tenant, project=project, actor="ann@Example.org")
                self.issued[tenant, project] = self.keys.issue(grant).key.text
            for project in ("default", "moon"):
                notes = Partition.in_project(Scope(tenant, project), "notes")
                gsi: Indexes = {"gsi1": Key(Partition.in_project(Scope(tenant, project), "by"), "x")}
                here.whole.write([Put(Key(notes, sort_key(each)), {"n": each}, indexes=gsi) for each in range(90)])
                here.whole.write([Put(Key(notes, sort_key("large")), {"text": "long " * 100_000})])
                here.whole.write([Put(Key(notes, sort_key("old")), {"a": 1}, expires_at=now_ms(here.clock))])

    @property
    def clerk(self) -> Clerk:
        return Clerk(self.here.store, self.here.clock, os.urandom, "cli:ann")

    def tenant_deletion(self) -> TenantDeletion:
        here = self.here
        return TenantDeletion(here.store, here.scan, here.blobs, here.clock, self.clerk, self.mine)

    def project_deletion(self, project: str) -> ProjectDeletion:
        here = self.here
        return ProjectDeletion(here.store, here.scan, here.blobs, here.clock, self.clerk, self.mine, project)

    def works(self, tenant: str, project: str, named: str = "") -> bool:
        headers = {"x-api-key": self.issued[tenant, project], "x-almanac-project": named}
        directory = StoredDirectory(self.here.store)
        return isinstance(authorize(headers, "/mcp", directory, now_ms(self.here.clock)), Principal)

    def blobs_of(self, *scope: str) -> int:
        text = "#".join(("P", *scope))
        return sum(stored.name.key.partition.text.startswith(text + "#") for stored in self.here.blobs.list_blobs())


@pytest.fixture
def world(place: Place, tmp_path: Path, clock: FixedClock) -> World:
    return World(Installation(place, tmp_path, clock))


def ignore(*_: object) -> None:
    return None


def test_a_tenant_goes_with_everything_and_its_neighbour_stays(world: World) -> None:
    before = world.here.items(world.other)
    told: list[int] = []
    gone = world.tenant_deletion().run(told.append, ignore)

    assert list(world.here.scan.items(world.mine, expired=True)) == []
    assert world.blobs_of(world.mine) == 0
    assert not Tenants(world.here.store, world.here.clock).exists(world.mine)
    assert not any(world.works(world.mine, project) for project in ("default", "moon"))
    assert list(world.keys.of_tenant(world.mine)) == []
    assert told[-1] == gone >= 184
    assert world.here.items(world.other) == before
    assert world.blobs_of(world.other) == 2
    assert world.works(world.other, "default")
    (entry,) = audit_page(world.here.store, world.mine, limit=5, is_deleted=True).entries
    assert (entry.tool, entry.actor, entry.subject) == ("tenants delete", "cli:ann", world.mine)


def test_a_tenant_of_that_name_can_be_made_again_and_is_empty(world: World) -> None:
    world.tenant_deletion().run(ignore, ignore)
    Tenants(world.here.store, world.here.clock).create(world.mine)
    assert [item.attributes["id"] for item in world.here.items(world.mine)] == ["default"]
    assert not world.works(world.mine, "default")


def test_a_project_goes_with_its_keys_and_the_others_stay(world: World) -> None:
    rest = [item for item in world.here.items(world.mine) if "#moon#" not in item.key.partition.text]
    world.project_deletion("moon").run(ignore, ignore)

    assert not any("#moon#" in item.key.partition.text for item in world.here.scan.items(world.mine, expired=True))
    assert (world.blobs_of(world.mine, "moon"), world.blobs_of(world.mine, "default")) == (0, 1)
    assert not world.works(world.mine, "moon")
    assert not world.works(world.mine, "*", "moon")
    assert world.works(world.mine, "default")
    assert world.works(world.mine, "*", "default")
    kept = world.here.items(world.mine)
    assert [item for item in rest if item.attributes.get("id") != "moon"] == [
        item for item in kept if not item.key.partition.text.endswith("#audit")
    ]
    (entry,) = audit_page(world.here.store, world.mine, limit=5).entries
    assert (entry.tool, entry.project) == ("projects delete", "moon")


@pytest.mark.parametrize("kill_at", [1, 2, 4, 6])
def test_a_killed_deletion_leaves_no_key_that_works_and_goes_on(world: World, kill_at: int) -> None:
    writes = count(1)
    write = world.here.store.write

    class ProcessKilled(BaseException):
        pass

    def write_until_killed(changes: object) -> None:
        write(changes)  # type: ignore[arg-type]
        if next(writes) == kill_at:
            raise ProcessKilled

    deletion = world.tenant_deletion()
    world.here.store.write = write_until_killed  # type: ignore[method-assign]
    try:
        with pytest.raises(ProcessKilled):
            deletion.run(ignore, ignore)
    finally:
        world.here.store.write = write  # type: ignore[method-assign]

    assert not any(world.works(world.mine, project) for project in ("default", "moon"))
    assert not world.works(world.mine, "*", "moon")
    with pytest.raises(NotFound):
        Tenants(world.here.store, world.here.clock).create_project(world.mine, "new")
    world.tenant_deletion().run(ignore, ignore)
    assert list(world.here.scan.items(world.mine, expired=True)) == []
    assert world.blobs_of(world.mine) == 0
    with pytest.raises(NotFound):
        world.tenant_deletion().run(ignore, ignore)


def test_what_a_late_call_writes_meanwhile_goes_too(world: World) -> None:
    late = Key(Partition.in_project(Scope(world.mine, "moon"), "notes"), "late")
    wrote: list[int] = []

    def meanwhile(gone: int) -> None:
        if not wrote:
            wrote.append(gone)
            world.here.whole.write([Put(late, {"a": 1})])

    world.tenant_deletion().run(meanwhile, ignore)
    assert wrote
    assert list(world.here.scan.items(world.mine, expired=True)) == []
