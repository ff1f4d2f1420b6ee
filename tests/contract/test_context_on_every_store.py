"""The layers of context on every store: working sets under many writers, promotions that nothing comes between."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from multiprocessing import get_context
from pathlib import Path

import pytest

from almanac.families.context.core.context import Context
from almanac.families.context.storage.edits import Edit, edit
from almanac.families.context.storage.pages import Query, count_layer, list_page
from almanac.families.context.storage.records import WORKING_SETS
from almanac.families.context.storage.removal import remove
from almanac.families.context.storage.store_memory import StoreRequest, store, working_memories
from almanac.families.context.storage.working_sets import MOST
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES
from almanac.families.memory.memories.expiry import forget_lapsed
from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import Clock, FixedClock
from almanac.kernel.errors import NotFound
from almanac.platform.project import patient_backoff
from almanac.platform.services import Services
from almanac.platform.store.port import Store
from tests.contract.backends import Place

WRITERS = 4
EACH = 30
LATER = timedelta(days=1)


@pytest.fixture
def agent(place: Place, clock: FixedClock, scope: Scope) -> Callable[[], Context]:
    """An agent with a store of its own, as a process has."""
    return lambda: open_context(place, clock, scope)


def open_context(place: Place, clock: Clock, scope: Scope) -> Context:
    caller = Caller(scope, actor="ann", key_id="key", shares_memory=True)
    project = MemoryProject(
        place.open(clock), scope, "ann", clock, os.urandom, patient_backoff(), "UTC", "monday", shares=True
    )
    return Context(project, caller)


def note(context: Context, content: str, slot: str | None = None) -> str:
    return store(context, StoreRequest(type="scratchpad", content=content, session="s", slot=slot)).memory.id


def store_decision(context: Context, content: str, layer: int) -> str:
    asked = StoreRequest(
        type="decision", content=content, metadata={"x": [None, 1.5, {}]}, layer=2 if layer == 2 else 1
    )
    return store(context, asked).memory.id


def at_once() -> float:
    """A processor that takes no time."""
    return 0.0


def write_notes(place: Place, clock: FixedClock, scope: Scope, writer: int) -> None:
    context = open_context(place, clock, scope)
    for number in range(EACH):
        note(context, f"{writer}/{number}", slot=f"{writer}/{number % 10}")


def test_of_many_who_promote_at_once_one_moves_it_and_the_others_find_it_there(agent: Callable[[], Context]):
    context = agent()
    memory_id = store_decision(context, "Same", 2)

    with ThreadPoolExecutor(WRITERS) as threads:
        moving = [threads.submit(edit, agent(), memory_id, Edit(layer=3)) for _ in range(WRITERS)]
        moved = [each.result() for each in moving]

    assert {(each.memory.id, each.layer) for each in moved} == {(memory_id, 3)}
    assert [each.former for each in moved].count(2) == 1
    own, shared = context.projects
    assert [len(list(each.rows(MEMORIES).every())) for each in (own, shared)] == [0, 1]
    assert context.find(memory_id).memory.metadata == {"x": [None, 1.5, {}]}


@pytest.mark.parametrize("layer", [2, 3])
def test_a_promotion_against_a_deletion_leaves_it_once_or_not_at_all(agent: Callable[[], Context], layer: int):
    context = agent()
    for number in range(8):
        memory_id = store_decision(context, f"One {number}", layer - 1)
        with ThreadPoolExecutor(2) as threads:
            promoting = threads.submit(edit, agent(), memory_id, Edit(layer=2 if layer == 2 else 3))
            removing = threads.submit(remove, agent(), memory_id)
            failed = promoting.exception()
            removing.result()

        assert failed is None or isinstance(failed, NotFound)
        assert context.find_many([memory_id]) == {}


def test_working_sets_stay_bounded_and_end(agent: Callable[[], Context], clock: FixedClock, scope: Scope):
    context = agent()
    for number in range(MOST + 2):
        note(context, f"note {number}")
        clock.instant += timedelta(milliseconds=1)

    assert [each.content for each in working_memories(context, "s", 2)] == ["note 101", "note 100"]
    assert len(list(context.memory.rows(MEMORIES).every())) == MOST
    clock.instant += LATER
    for _ in range(2):
        forget_lapsed(Services({Store: lambda: context.memory.store, Clock: lambda: clock}), scope)

    assert list(context.memory.rows(MEMORIES).every()) == []
    assert list(context.memory.rows(WORKING_SETS).every()) == []
    assert note(context, "again") in {each.id for each in working_memories(context, "s", 5)}


def test_lists_and_counts_go_over_the_pages_of_the_store(agent: Callable[[], Context], clock: FixedClock):
    context = agent()
    for number in range(300):
        store(context, StoreRequest(type="decision", content=f"{number}", pinned=number % 100 == 0))
        clock.instant += timedelta(milliseconds=1)

    found = list_page(context, Query(layer=2, limit=3, offset=270), at_once)

    assert ([each.content for each in found.memories], found.total) == (["29", "28", "27"], 300)
    counts = count_layer(context, 2, at_once)
    assert (counts.total, counts.pinned, counts.is_at_least) == (300, 3, False)


@pytest.mark.slow
def test_of_processes_that_store_in_one_session_no_memory_is_lost_or_left_over(
    tmp_path: Path, clock: FixedClock, scope: Scope
):
    place = Place("sqlite", str(tmp_path / "store.db"))
    context = open_context(place, clock, scope)
    spawn = get_context("spawn")
    processes = [spawn.Process(target=write_notes, args=(place, clock, scope, writer)) for writer in range(WRITERS)]
    for each in processes:
        each.start()
    for each in processes:
        each.join()

    assert [each.exitcode for each in processes] == [0] * WRITERS
    newest = {f"{writer}/{number}" for writer in range(WRITERS) for number in range(EACH - 10, EACH)}
    assert {each.content for each in working_memories(context, "s", MOST)} == newest
    assert {each.content for each in context.memory.rows(MEMORIES).every()} == newest
