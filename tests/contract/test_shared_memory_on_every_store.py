"""Test the shared memory of a tenant on every store: summaries in several writes, restoring, decay, and pages."""

import os
from datetime import timedelta

import pytest
from msgspec.structs import replace as altered

from almanac.families.context.decay.unused_memories import forget_faded
from almanac.families.context.summaries.originals import Choice
from almanac.families.context.summaries.restoration import restore_originals
from almanac.families.context.summaries.writer import SummaryRequest, settle, summarise
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES
from almanac.families.memory.memories.forget_and_restore import forget
from almanac.families.memory.memories.new_memory import new_memory
from almanac.families.memory.memories.write_plan import write_memory
from almanac.families.memory.redactions.pages import read_redactions
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock, FixedClock
from almanac.platform.project import patient_backoff
from almanac.platform.services import Services
from almanac.platform.store.port import Store
from tests.contract.backends import Place

SECRET = "AKIAZ7Q3MNPLX4RW2TUV"


@pytest.fixture
def project(place: Place, clock: FixedClock, scope: Scope) -> MemoryProject:
    own = MemoryProject(place.open(clock), scope, "ann", clock, os.urandom, patient_backoff())
    return altered(own, shares=True)


@pytest.fixture
def shared_project(project: MemoryProject) -> MemoryProject:
    assert project.shared is not None
    return project.shared


def share(shared: MemoryProject, count: int) -> list[str]:
    wanted = [new_memory("semantic", f"Host {number} stands in rack {7 * number}.") for number in range(count)]
    return [write_memory(shared, one).memory.id for one in wanted]


def holders(shared: MemoryProject, ids: list[str]) -> set[str | None]:
    return {memory.superseded_by for memory in shared.rows(MEMORIES).by_id(ids).values()}


def test_a_summary_takes_the_place_of_more_than_one_write_has_room_for(
    shared_project: MemoryProject, clock: FixedClock
):
    ids = share(shared_project, 30)
    clock.instant += timedelta(days=40)

    done = summarise(shared_project, SummaryRequest(choice=Choice(until=shared_project.now()), target_tokens=400))

    assert done.summary is not None
    assert (done.count, holders(shared_project, ids)) == (30, {done.summary.id})
    forget(shared_project, ids[0])
    again = settle(shared_project, done.summary.id)
    assert again is not None
    assert again.metadata["summarizedCount"] == 29

    forget(shared_project, done.summary.id)
    assert restore_originals(shared_project, again) == 30
    assert holders(shared_project, ids) == {None}


def test_what_fades_is_forgotten_once(shared_project: MemoryProject, clock: FixedClock):
    (old,) = share(shared_project, 1)
    clock.instant += timedelta(days=30)
    services = Services({Store: lambda: shared_project.store, Clock: lambda: clock})

    for _ in range(2):
        forget_faded(services, shared_project.scope)

    kept = shared_project.rows(MEMORIES).get(old)
    assert kept is not None
    assert [step.what for step in kept.history] == ["recorded", "faded"]


def test_redactions_of_both_are_listed_page_by_page(
    project: MemoryProject, shared_project: MemoryProject, clock: FixedClock
):
    made: list[str] = []
    for where in (shared_project, project, shared_project, project):
        made.append(write_memory(where, new_memory("semantic", f"Key {len(made)}: {SECRET}.")).memory.id)
        clock.instant += timedelta(seconds=1)

    found, cursor = list[str](), None
    while not found or cursor:
        page = read_redactions(project, "escalated", 1, cursor)
        found += [row.item for row in (*page.own, *page.shared)]
        cursor = page.cursor
    assert found == [made[3], made[1], made[2], made[0]]
