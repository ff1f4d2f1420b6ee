"""Short statements that an agent answers, on every store: proposed once by whichever worker reads a turn first."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from almanac.families.memory.candidates.proposals import follow_turn, propose
from almanac.families.memory.candidates.records import WAITING
from almanac.families.memory.candidates.review import listed
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import Role, Turn
from almanac.families.memory.memories.forget_and_restore import forget, restore
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock, FixedClock
from almanac.kernel.events import Event
from almanac.platform.project import patient_backoff
from almanac.platform.services import Services
from almanac.platform.store.port import Change, Store
from tests.contract.backends import Place

TALK: tuple[tuple[Role, str], ...] = (
    ("assistant", "The kiln holds its heat. Shall I change how long it cools?"),
    ("user", "nine then"),
    ("tool", "$ kiln set cooling=9"),
    ("assistant", "The kiln cools for nine hours now."),
)
WHOLE = "nine then (The kiln cools for nine hours now)"


def said(project: MemoryProject, session: str) -> list[Turn]:
    turns: list[Turn] = []
    for place, (role, content) in enumerate(TALK):
        turn_id, at = project.new_id(project.now()), place + 1
        known = {"actor": "ann", "session": session, "position": place, "role": role}
        turns.append(Turn(id=turn_id, content=content, at=at, recorded_at=at, **known))  # type: ignore[arg-type]
        project.store.write(project.put(turns[-1], is_new=True))
    return turns


def reacted(project: MemoryProject, turn: Turn, reaction: Callable[[Event, Services], object], field: str) -> None:
    """Do what a worker with this store does after an event about the turn."""
    services = Services({Store: lambda: project.store, Clock: lambda: project.clock})
    event = project.event("any", turn.id, {field: turn.id}, at=project.now())

    def attempt() -> None:
        changes: list[Change] = list(reaction(event, services))  # type: ignore[arg-type]
        if changes:
            project.store.write(changes)

    project.retry_on_conflict(attempt)


def waiting(project: MemoryProject) -> list[str]:
    found = [one.content for one in listed(project, "pending", 50, None).records]
    counted = project.rows(WAITING).get()
    assert (counted.count if counted else 0) == len(found)
    return found


def test_workers_at_once_propose_it_once_and_it_goes_and_returns_with_its_answer(
    place: Place, clock: FixedClock, scope: Scope
) -> None:
    def agent(actor: str) -> MemoryProject:
        return MemoryProject(place.open(clock), scope, actor, clock, os.urandom, patient_backoff())

    ann = agent("ann")
    turns = said(ann, "s1")
    with ThreadPoolExecutor(4) as threads:
        for each in [threads.submit(reacted, agent("worker"), turn, propose, "turn_id") for turn in turns * 2]:
            each.result()
    assert waiting(agent("ben")) == [WHOLE]
    forget(ann, turns[-1].id)
    reacted(agent("worker"), turns[-1], follow_turn, "memory_id")
    assert waiting(agent("ben")) == []
    restore(ann, turns[-1].id)
    reacted(agent("worker"), turns[-1], follow_turn, "memory_id")
    assert waiting(agent("ben")) == [WHOLE]
