"""Turns on every store: each is recorded once, in its own place, however many agents record at once."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import SESSIONS, TURNS, Turn
from almanac.families.memory.turns.batch import Defaults, check_turn, record_batch
from almanac.families.memory.turns.pages import TurnFilter, page_of
from almanac.families.memory.turns.plan import RecordedTurn
from almanac.families.memory.turns.recorder import record
from almanac.families.memory.turns.turn_input import TurnInput
from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from almanac.platform.project import patient_backoff
from tests.contract.backends import Place

WRITERS = 8
TURNS_OF_A_WRITER = 5


@pytest.fixture
def agent(place: Place, clock: FixedClock, scope: Scope) -> Callable[[str], MemoryProject]:
    """An agent with a store of its own, as a process has."""

    def agent(actor: str) -> MemoryProject:
        return MemoryProject(place.open(clock), scope, actor, clock, os.urandom, patient_backoff())

    return agent


def record_turn(project: MemoryProject, **given: Any) -> RecordedTurn:
    return record(project, check_turn(project, TurnInput(**given)))


def turns_of(project: MemoryProject, session: str) -> list[Turn]:
    return list(project.rows(TURNS).every(session, index="gsi2"))


def at_once(count: int, call: Callable[[int], Any]) -> list[Any]:
    with ThreadPoolExecutor(count) as agents:
        return list(agents.map(call, range(count)))


def test_eight_writers_of_one_session_have_a_place_each(agent: Callable[[str], MemoryProject]):
    def write(number: int) -> list[str]:
        project = agent(f"agent-{number}")
        return [
            record_turn(project, content=f"{number}/{each}", session_id="s").turn_id
            for each in range(TURNS_OF_A_WRITER)
        ]

    ids = [turn_id for each in at_once(WRITERS, write) for turn_id in each]

    kept = turns_of(agent("ann"), "s")
    assert [each.position for each in kept] == list(range(WRITERS * TURNS_OF_A_WRITER))
    assert sorted(each.id for each in kept) == sorted(ids)
    for number in range(WRITERS):
        own = [each.content for each in kept if each.actor == f"agent-{number}"]
        assert own == [f"{number}/{each}" for each in range(TURNS_OF_A_WRITER)]


def test_batches_of_one_session_stay_together(agent: Callable[[str], MemoryProject]):
    def write(number: int) -> list[Any]:
        turns = [{"content": f"{number}/{each}"} for each in range(20)]
        return record_batch(agent("ann"), turns, Defaults("s"))

    outcomes = [one for each in at_once(4, write) for one in each]

    assert all(isinstance(one, RecordedTurn) and not one.deduped for one in outcomes)
    kept = [each.content for each in turns_of(agent("ann"), "s")]
    starts = [kept[start] for start in range(0, 80, 20)]
    assert sorted(starts) == [f"{number}/0" for number in range(4)]
    assert kept == [f"{start[0]}/{each}" for start in starts for each in range(20)]


@pytest.mark.parametrize("replayed", [False, True])
def test_of_the_same_turn_at_once_one_is_recorded(agent: Callable[[str], MemoryProject], *, replayed: bool):
    more = {"client_turn_id": "c"} if replayed else {}

    told: list[RecordedTurn] = at_once(
        WRITERS, lambda _: record_turn(agent("ann"), content="x", session_id="s", **more)
    )

    assert len({each.turn_id for each in told}) == 1
    assert sorted(each.deduped for each in told) == [False] + [True] * (WRITERS - 1)
    project = agent("ann")
    assert [each.position for each in turns_of(project, "s")] == [0]
    kept = project.rows(SESSIONS).get("s")
    assert kept is not None
    assert kept.turns == 1


def test_of_two_turns_under_one_id_of_the_caller_one_is_recorded(agent: Callable[[str], MemoryProject]):
    told = at_once(WRITERS, lambda number: record_turn(agent("ann"), content=f"x{number}", client_turn_id="c"))

    assert sorted(each.deduped for each in told) == [False] + [True] * (WRITERS - 1)
    assert len({each.turn_id for each in told}) == 1


def test_the_largest_group_is_one_write(agent: Callable[[str], MemoryProject]):
    project = agent("ann")
    turns = [{"content": f"{each} " + "é" * 32_000, "metadata": {"m": "x" * 16_000}} for each in range(20)]

    outcomes = record_batch(project, turns, Defaults("s"))

    assert all(isinstance(one, RecordedTurn) for one in outcomes)
    assert [each.position for each in turns_of(project, "s")] == list(range(20))


def test_turns_are_listed_in_pages(agent: Callable[[str], MemoryProject], clock: FixedClock):
    project = agent("ann")
    record_batch(project, [{"content": str(each)} for each in range(30)], Defaults("s"))

    for wanted in (TurnFilter(), TurnFilter(session="s")):
        seen: list[str] = []
        place: str | None = None
        while True:
            found, place = page_of(project, wanted, limit=7, before=place)
            seen += [each.content for each in found]
            if place is None:
                break
        assert seen == [str(each) for each in reversed(range(30))]
