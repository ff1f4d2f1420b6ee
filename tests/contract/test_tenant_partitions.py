"""Export and deletion read the partitions of their tenant, in a table of many; counted in read units."""

# pynamodb's connection carries no types of its answers.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

import os
from datetime import timedelta

import pytest

from almanac.identity.audit import Clerk
from almanac.identity.tenants import Tenants
from almanac.identity.transfer.deletion import ProjectDeletion
from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from almanac.platform.store.dynamodb.partition_registry import REMEMBERED_MS, WHOLE
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import Put
from almanac.platform.store.queries import every_item
from almanac.platform.store.tenant_scan import registry_of
from tests.contract.metered_table import MeteredTable


@pytest.fixture
def world(dynoxide_address: str, clock: FixedClock) -> MeteredTable:
    return MeteredTable(dynoxide_address, clock)


def test_export_and_deletion_of_one_tenant_cost_the_same_among_two_hundred(world: MeteredTable):
    world.settle("mine")
    world.meter.read = 0
    alone = world.export("mine")
    cost_alone = world.meter.read
    for start in range(0, 199, 10):
        others = [f"other-{number}" for number in range(start, min(start + 10, 199))]
        # By a store that registers nothing: their names are of no concern here.
        world.bare.write([row for other in others for row in world.rows(Scope(other, "web"))])

    world.meter.read = 0
    among = world.export("mine")
    cost_among = world.meter.read
    world.meter.read = 0
    gone = world.delete("mine")

    assert len(among.splitlines()) == len(alone.splitlines()) == 9
    assert cost_among == cost_alone < 40
    assert gone == 7
    assert world.meter.read < 3 * 40
    assert world.meter.scans == 0
    # That it was deleted is kept.
    assert [each["PK"]["S"] for each in world.items_of_tenant("mine")] == ["S#audit#mine"]


def test_a_write_to_partitions_that_are_known_costs_nothing_more(world: MeteredTable):
    world.settle("mine")
    turns = Partition.in_project(Scope("mine", "web"), "turns")
    world.meter.read = world.meter.written = 0

    world.store.write([Put(Key(turns, sort_key(2)), {"text": "x"})])

    assert (world.meter.read, world.meter.written) == (0, 1)
    # Another process reads two rows, and writes none.
    world.another().write([Put(Key(turns, sort_key(3)), {"text": "x"})])
    assert (world.meter.read, world.meter.written) == (2, 2)


def test_a_tenant_made_again_under_its_name_is_registered_again(world: MeteredTable):
    world.settle("mine")
    world.delete("mine")
    world.clock.instant += timedelta(milliseconds=REMEMBERED_MS)

    world.settle("mine")

    assert len(list(world.scan.items("mine"))) == 7


def test_a_deleted_project_leaves_no_name_of_its_partitions(world: MeteredTable):
    world.settle("mine")
    Tenants(world.store, world.clock).create_project("mine", "moon")
    moon = Partition.in_project(Scope("mine", "moon"), "windows", "s1")
    world.store.write([Put(Key(moon, "w"), {})])
    clerk = Clerk(world.store, world.clock, os.urandom, "ann")

    deletion = ProjectDeletion(world.store, world.scan, None, world.clock, clerk, "mine", "moon")
    deletion.run(lambda _: None, lambda: None)

    texts = {str(row.attributes["partition"]) for row in every_item(world.bare, registry_of("mine"), page=100)}
    assert {text.split("#")[2] for text in texts} == {"web"}


def test_what_was_written_before_there_was_a_registry_is_read_whole_once(world: MeteredTable):
    for tenant in ("mine", "other"):
        world.settle(tenant, world.bare)
    world.meter.scans_allowed = 3
    with pytest.raises(KeyboardInterrupt):
        world.export("mine")
    world.meter.scans_allowed = 0

    assert len(world.export("mine").splitlines()) == 9
    reads = world.meter.scans
    assert len(world.export("other").splitlines()) == 9
    assert world.meter.scans == reads
    world.delete("mine")
    assert [each["PK"]["S"] for each in world.items_of_tenant("mine")] == ["S#audit#mine"]
    assert world.bare.get(WHOLE) is not None


def test_a_name_that_ends_with_its_items_is_kept_once_something_stays(world: MeteredTable):
    world.settle("mine", world.bare)
    assert len(list(world.scan.items("mine"))) == 7
    done = Partition.in_project(Scope("mine", "web"), "done", "e1")

    world.store.write([Put(Key(done, "stays"), {})])
    world.clock.instant += timedelta(seconds=2)

    assert Key(done, "stays") in [item.key for item in world.scan.items("mine")]
