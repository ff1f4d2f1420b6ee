"""Test memory candidates on every store, with workers at once.

Those that a project's setting accepts are counted and taken back once. A short statement that an agent answers is
proposed once, by whichever worker reads a turn first."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from msgspec.structs import replace as altered

from almanac.families.memory.candidates.auto_accept import MOST_A_DAY
from almanac.families.memory.candidates.proposals import follow_turn, propose
from almanac.families.memory.candidates.records import WAITING, Candidate
from almanac.families.memory.candidates.review import decide, list_by_status
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES, Role, Turn, is_remembered
from almanac.families.memory.memories.forget_and_restore import forget, restore
from almanac.identity.tenants import Tenants
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock, FixedClock
from almanac.kernel.events import Event
from almanac.platform.project import patient_backoff
from almanac.platform.services import Services
from almanac.platform.store.port import Change, Store
from tests.contract.backends import Place

Agent = Callable[[str], MemoryProject]
TALK: tuple[tuple[Role, str], ...] = (
    ("assistant", "The kiln holds its heat. Shall I change how long it cools?"),
    ("user", "nine then"),
    ("tool", "$ kiln set cooling=9"),
    ("assistant", "The kiln cools for nine hours now."),
)
WHOLE = "nine then (The kiln cools for nine hours now)"


@pytest.fixture
def agent(place: Place, clock: FixedClock, scope: Scope) -> Agent:
    """An agent with a store of its own, as a process has."""

    def agent(actor: str) -> MemoryProject:
        return MemoryProject(place.open(clock), scope, actor, clock, os.urandom, patient_backoff())

    tenants = Tenants(place.open(clock), clock)
    tenants.create(scope.tenant, project=scope.project)
    tenants.edit_project(scope.tenant, scope.project, auto_accept=["decision"])
    return agent


def say(project: MemoryProject, content: str) -> Turn:
    turn = Turn(id=project.new_id(project.now()), content=content, at=1, recorded_at=1, actor="ann", role="user")
    project.store.write(project.put(turn, is_new=True))
    return turn


def run_reaction(
    project: MemoryProject, turn: Turn, reaction: Callable[[Event, Services], Sequence[Change]], field: str
) -> None:
    """React to an event about the turn, as a worker with this store does."""
    services = Services({Store: lambda: project.store, Clock: lambda: project.clock})
    event = project.event("any", turn.id, {field: turn.id}, at=project.now())

    def attempt() -> None:
        if changes := reaction(event, services):
            project.store.write(changes)

    project.retry_on_conflict(attempt)


def list_all(project: MemoryProject, status: str) -> tuple[Candidate, ...]:
    return tuple(list_by_status(project, status, 200, None).records)


def test_workers_at_once_accept_no_more_than_a_day_has(agent: Agent) -> None:
    first = agent("ann")
    turns = [say(first, f"We decided to use the library number {n} for letters.") for n in range(MOST_A_DAY + 5)]
    with ThreadPoolExecutor(4) as threads:
        for each in [threads.submit(run_reaction, agent("worker"), turn, propose, "turn_id") for turn in turns]:
            each.result()
    assert len(list_all(agent("ben"), "accepted")) == MOST_A_DAY
    assert len(list_all(agent("ben"), "pending")) == 5
    assert len(agent("ben").rows(MEMORIES).query("pinned", index="gsi1").records) == MOST_A_DAY


def test_of_candidates_proposed_at_once_one_is_told_of_and_all_are_counted(agent: Agent) -> None:
    ann = agent("ann")
    turns = [say(ann, f"I prefer the library number {n} for letters.") for n in range(8)]
    with ThreadPoolExecutor(4) as threads:
        for each in [threads.submit(run_reaction, agent("worker"), turn, propose, "turn_id") for turn in turns]:
            each.result()
    stored = agent("ben").rows(WAITING).get()
    assert stored is not None
    assert stored.count == 8
    pending = list_all(ann, "pending")
    with ThreadPoolExecutor(4) as threads:
        for each in [threads.submit(decide, agent("ben"), one.id, "rejected") for one in pending]:
            each.result()
    assert agent("cy").rows(WAITING).get() is None


def test_of_two_reviewers_one_takes_it_back_and_it_does_not_return_with_its_turn(agent: Agent) -> None:
    ann = agent("ann")
    turn = say(ann, "We decided to use Postgres.")
    run_reaction(ann, turn, propose, "turn_id")
    (accepted,) = list_all(ann, "accepted")
    assert accepted.auto
    with ThreadPoolExecutor(2) as threads:
        deciding = [threads.submit(decide, agent(actor), accepted.id, "rejected") for actor in ("ann", "ben")]
        outcomes = [each.result() for each in deciding]
    assert sorted(one.was_first for one in outcomes) == [False, True]
    assert len({one.candidate.reviewed_by for one in outcomes}) == 1
    for change, reaction in ((forget, follow_turn), (restore, follow_turn)):
        change(ann, turn.id)
        run_reaction(agent("worker"), turn, reaction, "memory_id")
    again = agent("cy")
    memory = again.rows(MEMORIES).get(accepted.memory or "")
    assert memory is not None
    assert not is_remembered(memory, again.now())
    assert [one.id for one in list_all(again, "rejected")] == [accepted.id]


def test_a_project_without_the_setting_pins_nothing(agent: Agent) -> None:
    ann = agent("ann")
    other = altered(ann, scope=Scope(ann.scope.tenant, "other"))
    Tenants(ann.store, ann.clock).create_project(ann.scope.tenant, "other")
    run_reaction(other, say(other, "We decided to use Postgres."), propose, "turn_id")
    assert (len(list_all(other, "pending")), list_all(other, "accepted")) == (1, ())


def test_a_statement_with_its_answer_is_proposed_once_and_goes_and_returns_with_the_answer(
    place: Place, clock: FixedClock, scope: Scope
) -> None:
    def agent(actor: str) -> MemoryProject:
        return MemoryProject(place.open(clock), scope, actor, clock, os.urandom, patient_backoff())

    ann = agent("ann")
    turns = record_talk(ann)
    with ThreadPoolExecutor(4) as threads:
        for each in [threads.submit(run_reaction, agent("worker"), turn, propose, "turn_id") for turn in turns * 2]:
            each.result()
    assert list_waiting(agent("ben")) == [WHOLE]
    forget(ann, turns[-1].id)
    run_reaction(agent("worker"), turns[-1], follow_turn, "memory_id")
    assert list_waiting(agent("ben")) == []
    restore(ann, turns[-1].id)
    run_reaction(agent("worker"), turns[-1], follow_turn, "memory_id")
    assert list_waiting(agent("ben")) == [WHOLE]


def record_talk(project: MemoryProject) -> list[Turn]:
    turns: list[Turn] = []
    for place, (role, content) in enumerate(TALK):
        turn = Turn(
            id=project.new_id(project.now()),
            content=content,
            at=place + 1,
            recorded_at=place + 1,
            actor="ann",
            session="s1",
            position=place,
            role=role,
        )
        project.store.write(project.put(turn, is_new=True))
        turns.append(turn)
    return turns


def list_waiting(project: MemoryProject) -> list[str]:
    """Return the texts of pending candidates, after a check that they are counted rightly."""
    found = [one.content for one in list_by_status(project, "pending", 50, None).records]
    counted = project.rows(WAITING).get()
    assert (counted.count if counted else 0) == len(found)
    return found
