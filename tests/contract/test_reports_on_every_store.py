"""Visits, reports and sessions on every store: noted, found again, counted, also by many at once."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest

from almanac.families.context.core.context import Context
from almanac.families.context.orientation.arrivals import arrivals
from almanac.families.context.orientation.visits import last_visit, note_visit
from almanac.families.context.reports.event_report import EventReport, report
from almanac.families.context.reports.parsed_event import Event, EventType, read
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES
from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import FixedClock
from almanac.platform.project import patient_backoff
from almanac.search.questions.port import Answer, Search
from tests.contract.backends import Place


class NothingAlike:
    """Search that finds nothing."""

    def search(self, scope: object, request: object) -> Answer:
        return Answer()

    def once(self) -> Search:
        return self


@pytest.fixture
def agent(place: Place, clock: FixedClock, scope: Scope) -> Callable[[], Context]:
    """An agent with a store of its own, as a process has."""

    def agent() -> Context:
        memory = MemoryProject(place.open(clock), scope, "ann", clock, os.urandom, patient_backoff(), shares=True)
        return Context(memory, Caller(scope, "ann", "key", shares_memory=True))

    return agent


def report_event(context: Context, kind: EventType, payload: Any) -> EventReport:
    event = Event(type=kind, payload=payload, session_id="work")
    return report(context, NothingAlike(), read(event, context.now(), "UTC"))


def test_a_visit_is_found_again_by_its_key_and_place_until_it_is_old(
    agent: Callable[[], Context], clock: FixedClock
) -> None:
    note_visit(agent(), "/a", agent().now())
    assert last_visit(agent(), "/a", agent().now()) == agent().now()
    assert last_visit(agent(), None, agent().now()) is None
    clock.instant += timedelta(days=401)
    assert last_visit(agent(), "/a", agent().now()) is None


def test_what_was_added_since_is_told_the_newest_first(agent: Callable[[], Context], clock: FixedClock) -> None:
    since = agent().now() + 1
    for number in range(3):
        clock.instant += timedelta(seconds=1)
        report_event(agent(), "decision_made", f"Decision {number}")
        report_event(agent(), "user_feedback", f"Feedback {number}")
    found = arrivals(agent(), since)
    assert [row.layer for row in found.memories].count(3) == 3
    assert [row.created_at for row in found.memories] == sorted(
        (row.created_at for row in found.memories), reverse=True
    )
    assert (found.count, found.more) == (6, False)


def test_of_the_same_error_at_once_one_memory_is_made_and_each_report_counts(agent: Callable[[], Context]) -> None:
    with ThreadPoolExecutor(4) as threads:
        reports = [threads.submit(report_event, agent(), "error_occurred", "It broke.") for _ in range(8)]
        answers = [each.result() for each in reports]
    assert len({each.memory_id for each in answers}) == 1
    memory = agent().memory.rows(MEMORIES).get(answers[0].memory_id)
    assert memory is not None
    assert memory.metadata["occurrences"] == 8
    assert report_event(agent(), "session_end", {}).message.endswith(": 8 errors.")
