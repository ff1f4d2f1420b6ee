"""Memories on every store: pinned once, forgotten, restored, and purged with all that leads to them."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES, REPLAYS, TURNS, Turn, TurnReplay
from almanac.families.memory.edges.records import SOURCES
from almanac.families.memory.edges.sources import edges_of
from almanac.families.memory.memories.expiry import forget_lapsed
from almanac.families.memory.memories.forget_and_restore import forget, restore
from almanac.families.memory.memories.new_memory import new_memory
from almanac.families.memory.memories.purge import purge_forgotten
from almanac.families.memory.memories.recall_effects import MEMORY_RECALLED, raise_salience
from almanac.families.memory.memories.records import DIGESTS, PURGES
from almanac.families.memory.memories.write_plan import WritePlan, write_memory
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock, FixedClock
from almanac.kernel.errors import NotFound
from almanac.platform.project import patient_backoff
from almanac.platform.services import Services
from almanac.platform.store.port import Store
from tests.contract.backends import Place


@pytest.fixture
def agent(place: Place, clock: FixedClock, scope: Scope) -> Callable[[], MemoryProject]:
    """An agent with a store of its own, as a process has."""

    def agent() -> MemoryProject:
        return MemoryProject(place.open(clock), scope, "ann", clock, os.urandom, patient_backoff())

    return agent


def services_of(project: MemoryProject) -> Services:
    return Services({Store: lambda: project.store, Clock: lambda: project.clock})


def pin(project: MemoryProject, content: str, *sources: str, ttl_ms: int | None = None) -> WritePlan:
    return write_memory(project, new_memory("pinned", content, tags=["a"], derived_from=list(sources), ttl_ms=ttl_ms))


def record_turn(project: MemoryProject) -> Turn:
    turn = Turn(id=project.new_id(project.now()), content="x", at=1, recorded_at=1, actor="ann", role="user")
    project.store.write(project.put(turn, is_new=True))
    return turn


def test_of_the_same_memory_at_once_one_is_pinned(agent: Callable[[], MemoryProject]):
    with ThreadPoolExecutor(8) as threads:
        pinning = [threads.submit(pin, agent(), "Same") for _ in range(8)]
        made = [each.result() for each in pinning]

    assert len({each.memory.id for each in made}) == 1
    assert [each.is_new for each in made].count(True) == 1


def test_the_largest_memory_is_one_write_and_is_found_from_its_sources(agent: Callable[[], MemoryProject]):
    project = agent()
    sources = [record_turn(project) for _ in range(50)]

    made = pin(project, "é" * 4096, *(each.id for each in sources)).memory

    assert project.find(made.id) == made
    assert [each.id for each in edges_of(project, sources[-1]).derives] == [made.id]


def test_what_is_forgotten_comes_back_once_and_is_gone_in_the_end(
    agent: Callable[[], MemoryProject], clock: FixedClock, scope: Scope
):
    project, turn = agent(), record_turn(agent())
    replay = TurnReplay(actor="ann", client_turn_id="c", turn=turn.id, digest="d")
    project.store.write([project.rows(REPLAYS).insert(replay)])
    memory = pin(project, "One", turn.id).memory
    for each in (turn.id, memory.id):
        assert not forget(project, each).already
        assert not restore(project, each).already
        assert not forget(project, each).already

    clock.instant += timedelta(days=30)
    with pytest.raises(NotFound):
        restore(project, memory.id)
    purge_forgotten(services_of(project), scope)

    left = [*project.rows(TURNS).every(), *project.rows(MEMORIES).every()]
    assert [*left, *project.rows(DIGESTS).every(), *project.rows(PURGES).every()] == []
    assert project.rows(SOURCES).query(turn.id).records == ()
    assert project.rows(REPLAYS).get("ann", "c") is None


def test_a_memory_lapses_and_leaves_the_list_of_those_that_do(
    agent: Callable[[], MemoryProject], clock: FixedClock, scope: Scope
):
    project = agent()
    memory = pin(project, "Soon", ttl_ms=1000).memory
    clock.instant += timedelta(seconds=1)

    forget_lapsed(services_of(project), scope)

    kept = project.rows(MEMORIES).get(memory.id)
    assert kept is not None
    assert (kept.forgotten_at, kept.lapses_at) == (memory.lapses_at, None)
    assert project.rows(MEMORIES).query(index="gsi2").records == ()


def test_a_use_is_counted_in_place(agent: Callable[[], MemoryProject]):
    project = agent()
    memory = pin(project, "Useful").memory
    event = project.event(MEMORY_RECALLED, "recalled", {"ids": [memory.id]}, at=project.now())

    for _ in range(2):
        project.store.write(raise_salience(event, services_of(project)))

    kept = project.rows(MEMORIES).get(memory.id)
    assert kept is not None
    assert (kept.uses, kept.version) == (2, memory.version)
    assert not forget(project, memory.id).already
