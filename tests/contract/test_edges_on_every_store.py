"""Edges on every store: made once, found from both ends, without cycles, removed, and moved with their tenant."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from almanac.families.knowledge.core.knowledge import Knowledge, PlannerOpener
from almanac.families.knowledge.graph.connections import EdgePage, EdgeQuery, list_connected
from almanac.families.knowledge.graph.edge_writes import make, new_edge, remove
from almanac.families.knowledge.graph.ends import Ends
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES, Memory
from almanac.families.memory.edges.records import EDGES
from almanac.families.memory.edges.walk import EVERY
from almanac.families.memory.memories.new_memory import new_memory
from almanac.families.memory.memories.write_plan import write_memory as remember
from almanac.families.planner.factory import open_planner
from almanac.identity.tenants import Tenants
from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import AlmanacError, Conflict
from almanac.platform.project import patient_backoff
from almanac.platform.services import Services
from almanac.platform.store.port import Store
from tests.contract.backends import Place
from tests.contract.installations import Installation


@pytest.fixture
def agent(place: Place, clock: FixedClock, scope: Scope) -> Callable[[], Ends]:
    """An agent with a store of its own, as a process has."""
    return lambda: ends_over(place.open(clock), clock, scope)


def ends_over(store: Store, clock: FixedClock, scope: Scope) -> Ends:
    memory = MemoryProject(store, scope, "ann", clock, os.urandom, patient_backoff())
    knowledge = Knowledge(store, scope, "ann", clock, os.urandom, patient_backoff(), memory)
    services = Services({Store: lambda: store})
    planner = open_planner(services, Caller(scope, "ann", "key"), clock, ask_providers=False)
    return Ends(knowledge, PlannerOpener(lambda: planner))


def remember_text(ends: Ends, content: str, *sources: str) -> str:
    made = remember(ends.knowledge.memory, new_memory("semantic", content, derived_from=list(sources)))
    return made.memory.id


def stored_memory(ends: Ends, memory_id: str) -> Memory:
    found = ends.knowledge.rows(MEMORIES).get(memory_id)
    assert found is not None
    return found


def list_edges(ends: Ends, start: str, hops: int = 1, limit: int = 50, cursor: str | None = None) -> EdgePage:
    return list_connected(ends, EdgeQuery(start, EVERY, "both", hops, limit, cursor))


def test_an_edge_does_all_of_it_and_its_removal_takes_it_back(agent: Callable[[], Ends]):
    ends = agent()
    older, newer = remember_text(ends, "On Tuesdays."), remember_text(ends, "On Thursdays.")

    made = make(ends, new_edge(newer, older, "supersedes", 0.5, {"because": 1.5}))

    assert [told.effect for told in made.side_effects] == ["superseded", "salience_moved"]
    assert (stored_memory(ends, older).superseded_by, stored_memory(ends, older).salience) == (newer, 0.35)
    assert stored_memory(ends, newer).salience == pytest.approx(1.0)
    assert make(agent(), new_edge(newer, older, "supersedes")).edge.id == made.edge.id
    for start in (older, newer):
        (edge,) = list_edges(agent(), start).edges
        assert (edge.src_id, edge.dst_id, edge.metadata) == (newer, older, {"because": 1.5})
    remove(agent(), new_edge(newer, older, "supersedes"))
    assert stored_memory(ends, older).superseded_at is None
    assert [stored_memory(ends, one).salience for one in (older, newer)] == pytest.approx([0.7, 0.7])
    assert list_edges(ends, older).edges == ()


@pytest.mark.slow
def test_agents_at_once_close_no_cycle(agent: Callable[[], Ends]):
    ends = agent()
    ids = [remember_text(ends, f"Version {number}.") for number in range(4)]
    pairs = [(src, dst) for src in ids for dst in ids if src != dst]

    def attempt(pair: tuple[str, str]) -> None:
        with suppress(AlmanacError):
            make(agent(), new_edge(*pair, "derives_from"))

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(attempt, pairs))

    connected = {(edge.src, edge.dst) for one in ids for edge in ends.knowledge.rows(EDGES).every(one)}
    # One edge of each pair, which four things in a row have six of: with a cycle there were another order or more.
    assert len(connected) == 6
    assert sorted(sum(src == one for src, _ in connected) for one in ids) == [0, 1, 2, 3]
    with pytest.raises(Conflict):
        make(ends, new_edge(*next((dst, src) for src, dst in connected), "derives_from"))


def test_pages_and_walks_are_the_same_on_every_store(agent: Callable[[], Ends]):
    ends = agent()
    hub = remember_text(ends, "The hub.")
    made = [remember_text(ends, f"Made of it {number}.", hub) for number in range(3)]
    others = [remember_text(ends, f"Beside it {number}.") for number in range(5)]
    for one in others:
        make(ends, new_edge(hub, one, "contradicts"))
    last = remember_text(ends, "The last.", made[0])

    found: list[str] = []
    cursor, pages = None, 0
    while pages == 0 or cursor is not None:
        page = list_edges(ends, hub, limit=3, cursor=cursor)
        found += [edge.src_id if edge.dst_id == hub else edge.dst_id for edge in page.edges]
        cursor, pages = page.cursor, pages + 1

    assert sorted(found) == sorted([*made, *others])
    assert pages == 3
    walked = list_edges(ends, last, hops=5)
    assert {node.id for node in walked.nodes} == {last, hub, *made, *others}


def test_edges_move_with_their_tenant(place: Place, clock: FixedClock, scope: Scope, tmp_path: Path):
    here, there = Installation(place, tmp_path, clock), Installation.on_sqlite(tmp_path / "there", clock)
    Tenants(here.store, clock).create(scope.tenant, project=scope.project)
    ends = ends_over(here.store, clock, scope)
    older, newer = remember_text(ends, "On Tuesdays."), remember_text(ends, "On Thursdays.")
    make(ends, new_edge(newer, older, "supersedes"))

    there.restore(here.export(scope.tenant))

    moved = ends_over(there.store, clock, scope)
    assert list_edges(moved, older) == list_edges(ends, older)
    assert stored_memory(moved, older) == stored_memory(ends, older)
    assert remove(moved, new_edge(newer, older, "supersedes")).side_effects[0].effect == "restored"
