"""Test edges that several agents make at once, and changes between reading and writing."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest
from msgspec.structs import replace as altered

from almanac.families.knowledge.core.knowledge import PlannerOpener
from almanac.families.knowledge.graph.edge_writes import EdgeWrite, make, new_edge, remove
from almanac.families.knowledge.graph.ends import Ends
from almanac.families.memory.core.records import MEMORIES
from almanac.families.memory.edges.records import EDGES, EdgeKind
from almanac.families.planner.factory import open_planner
from almanac.kernel.errors import AlmanacError, Conflict, NotFound
from almanac.platform.store.port import Store
from tests.doubles.observed_store import ObservedStore, Request
from tests.project_app import ProjectApp
from tests.unit.families.knowledge.stored_graph import connect, extract_memory, fact, fact_of, knowledge_of, note_of
from tests.unit.families.memory.remembered import all_of


def ends_of(app: ProjectApp, store: Store | None = None) -> Ends:
    """Return the collaborators of a process."""
    knowledge, planner = knowledge_of(app), open_planner(app.services, app.caller, app.clock, ask_providers=False)
    if store is not None:
        knowledge = altered(knowledge, store=store, memory=altered(knowledge.memory, store=store))
    return Ends(knowledge, PlannerOpener(lambda: planner))


def with_interruption(app: ProjectApp, act: Callable[[], Any]) -> Ends:
    """Has `act` happen ahead of the first write."""
    left = [act]

    def observe(request: Request) -> None:
        if request[0] == "write" and left:
            left.pop()()

    return ends_of(app, ObservedStore(app.store, observe))


def memories(app: ProjectApp, count: int) -> list[str]:
    return [extract_memory(app, f"Version {number} of the plan.") for number in range(count)]


def edges(app: ProjectApp, ids: list[str]) -> set[tuple[str, str]]:
    rows = EDGES.within(app.store, app.caller.scope)
    return {(edge.src, edge.dst) for one in ids for edge in rows.every(one)}


def has_cycle(connected: set[tuple[str, str]]) -> bool:
    """Look for a cycle by removing things without outgoing edges, again and again."""
    left = set(connected)
    while left:
        kept_back = {(src, dst) for src, dst in left if any(other == dst for other, _ in left)}
        if kept_back == left:
            return True
        left = kept_back
    return False


@pytest.mark.parametrize("kind", ["supersedes", "derives_from"])
def test_of_two_opposite_edges_at_once_one_is_made(app: ProjectApp, kind: EdgeKind):
    one, other = memories(app, 2)

    with pytest.raises(Conflict, match="cycle"):
        make(with_interruption(app, lambda: connect(app, other, kind, one)), new_edge(one, other, kind))

    assert edges(app, [one, other]) == {(other, one)}


def test_two_edges_without_a_common_end_close_no_cycle_either(app: ProjectApp):
    a, b, c, d = memories(app, 4)
    connect(app, a, "derives_from", b)
    connect(app, c, "derives_from", d)

    with pytest.raises(Conflict, match="cycle"):
        make(with_interruption(app, lambda: connect(app, d, "derives_from", a)), new_edge(b, c, "derives_from"))

    assert not has_cycle(edges(app, [a, b, c, d]))


@pytest.mark.parametrize("kind", ["supersedes", "derives_from"])
def test_many_agents_at_once_close_no_cycle(app: ProjectApp, kind: EdgeKind):
    ids = memories(app, 6)
    pairs = [(src, dst) for src in ids for dst in ids if src != dst]

    def attempt(pair: tuple[str, str]) -> None:
        with suppress(AlmanacError):
            make(ends_of(app), new_edge(*pair, kind))

    with ThreadPoolExecutor(6) as threads:
        list(threads.map(attempt, pairs))

    connected = edges(app, ids)
    assert len(connected) == 15
    assert not has_cycle(connected)


def test_the_same_edge_by_many_at_once_is_one(app: ProjectApp):
    one, other = memories(app, 2)

    with ThreadPoolExecutor(8) as threads:
        making = [threads.submit(make, ends_of(app), new_edge(one, other, "supersedes")) for _ in range(8)]
        made = [each.result() for each in making]

    assert len({each.edge.id for each in made}) == 1
    assert [each.is_new for each in made].count(True) == 1
    assert sum(len(each.side_effects) == 2 for each in made) == 1


def test_salience_leaves_and_arrives_once_whoever_takes_it(app: ProjectApp):
    newer, *older = memories(app, 5)

    with ThreadPoolExecutor(4) as threads:
        for each in [threads.submit(make, ends_of(app), new_edge(newer, one, "supersedes")) for one in older]:
            each.result()

    salience = {one.id: one.salience for one in all_of(app, MEMORIES)}
    assert [salience[one] for one in older] == [0.35] * 4
    assert salience[newer] == 1.0


@pytest.mark.parametrize("end", [0, 1], ids=["the newer", "the older"])
@pytest.mark.parametrize("kind", ["supersedes", "contradicts"])
def test_what_is_forgotten_meanwhile_gets_no_edge(app: ProjectApp, kind: EdgeKind, end: int):
    ids = memories(app, 2)

    with pytest.raises(NotFound, match="was forgotten"):
        make(
            with_interruption(app, lambda: app.do("forget_memory", memory_id=ids[end])), new_edge(ids[0], ids[1], kind)
        )

    assert edges(app, ids) == set()
    assert [one.superseded_at for one in all_of(app, MEMORIES)] == [None, None]


@pytest.mark.parametrize("end", [0, 1], ids=["src", "dst"])
def test_what_is_forgotten_meanwhile_is_not_connected_again(app: ProjectApp, end: int):
    ids = memories(app, 2)
    connect(app, ids[0], "derives_from", ids[1])
    again = with_interruption(app, lambda: app.do("forget_memory", memory_id=ids[end]))

    with pytest.raises(NotFound, match="was forgotten"):
        make(again, new_edge(ids[0], ids[1], "derives_from"))


def test_a_use_that_is_counted_meanwhile_is_not_lost(app: ProjectApp):
    newer, older = memories(app, 2)

    def use() -> None:
        app.do("get_memory", memory_id=newer)
        app.react()

    make(with_interruption(app, use), new_edge(newer, older, "supersedes"))

    (stored,) = [one for one in all_of(app, MEMORIES) if one.id == newer]
    assert (stored.uses, stored.salience) == (1, 1.0)


def test_what_is_said_of_a_fact_meanwhile_is_not_lost(app: ProjectApp):
    knowledge, (one, other) = knowledge_of(app), memories(app, 2)
    older = fact(knowledge, "Ann", "Berlin")

    make(with_interruption(app, lambda: connect(app, other, "supersedes", older)), new_edge(one, older, "supersedes"))

    assert [ending.reason for ending in fact_of(knowledge, older).endings] == [f"Superseded by {other}."]


def test_an_edge_that_changes_while_it_is_removed_is_removed_all_the_same(app: ProjectApp):
    one, other = memories(app, 2)
    connect(app, one, "supersedes", other)
    again = lambda: connect(app, one, "supersedes", other, confidence=0.5)  # noqa: E731

    removed = remove(with_interruption(app, again), new_edge(one, other, "supersedes"))

    assert [told.effect for told in removed.side_effects] == ["restored", "salience_returned"]
    assert edges(app, [one]) == set()


@pytest.mark.parametrize("kind", ["supersedes", "derives_from"])
def test_of_two_who_remove_an_edge_one_does(app: ProjectApp, kind: EdgeKind):
    one, other = memories(app, 2)
    connect(app, one, kind, other)

    removing = with_interruption(app, lambda: connect(app, one, kind, other, remove=True))

    with pytest.raises(NotFound):
        remove(removing, new_edge(one, other, kind))

    assert sorted(memory.salience for memory in all_of(app, MEMORIES)) == [0.7, 0.7]


@pytest.mark.parametrize("text", ["@", "a@", "x" * 2_000])
def test_a_text_that_can_be_no_id_hides_no_other_thing(app: ProjectApp, text: str):
    note = note_of(app)

    assert list(ends_of(app).find([text, note])) == [note]


def test_all_that_an_edge_does_is_one_write(app: ProjectApp):
    one, other = memories(app, 2)
    written: list[int] = []

    def observe(request: Request) -> None:
        if request[0] == "write":
            written.append(len(request[1]))

    made: EdgeWrite = make(ends_of(app, ObservedStore(app.store, observe)), new_edge(one, other, "supersedes"))

    assert len(made.side_effects) == 2
    # The edge, the turn of its kind, the older memory, what search finds of it, that it changed, the newer one's
    # salience.
    assert written == [6]
