"""Test reflections, which merge the summaries of quiet sessions."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from almanac.families.memory.core.records import Session
from almanac.families.memory.sessions.records import WINDOWS
from almanac.families.memory.sessions.triggers import reflect
from almanac.kernel.caller import Scope
from tests.project_app import ProjectApp
from tests.unit.families.memory.memory_builder import forget, memories_of, project_of, session_of
from tests.unit.families.memory.sessions.talks import sentence_for, talk


@pytest.fixture
def app(tmp_path: Path) -> ProjectApp:
    return ProjectApp(tmp_path)


def summarise_sessions(app: ProjectApp, count: int, first: int = 0) -> None:
    """Record `count` sessions of two turns each, and summarise them."""
    for number in range(first, first + count):
        talk(app, 2, f"session-{number}", first=2 * number)
        app.do("summarize_session", session_id=f"session-{number}", force=True)


def run_next_night(app: ProjectApp) -> None:
    """Go two days on, to 04:00 UTC, and run the jobs."""
    app.wait(days=2)
    app.clock.instant = app.clock.now().replace(hour=4, minute=0)
    app.run_jobs()


def test_summaries_of_quiet_sessions_are_merged_into_one(app: ProjectApp) -> None:
    summarise_sessions(app, 3)
    sources = memories_of(app, "consolidated")
    run_next_night(app)
    (reflection,) = memories_of(app, "reflection")
    assert set(reflection.derived_from) == {one.id for one in sources}
    assert f"2026-02-18 Ann: {sentence_for(0)}" in reflection.content.splitlines()
    assert reflection.metadata == {"memories": 3, "sessions": 3}
    assert (reflection.from_at, reflection.to_at) == (sources[0].from_at, sources[-1].to_at)
    payload = app.events("consolidation_completed")[-1].payload
    assert (payload["kind"], payload["memory_id"], payload["turns_compressed"]) == ("reflection", reflection.id, 6)


def test_a_summary_is_merged_once(app: ProjectApp) -> None:
    summarise_sessions(app, 2)
    run_next_night(app)
    run_next_night(app)
    assert len(memories_of(app, "reflection")) == 1
    summarise_sessions(app, 2, first=2)
    run_next_night(app)
    first, second = memories_of(app, "reflection")
    assert not set(first.derived_from) & set(second.derived_from)


def test_it_happens_once_a_day_and_not_before_three(app: ProjectApp) -> None:
    summarise_sessions(app, 2)
    app.wait(days=2)
    app.clock.instant = app.clock.now().replace(hour=2, minute=59)
    app.run_jobs()
    assert memories_of(app, "reflection") == []
    app.wait(minutes=1)
    app.run_jobs()
    assert len(memories_of(app, "reflection")) == 1
    summarise_sessions(app, 2, first=2)
    app.wait(hours=1)
    app.run_jobs()
    assert len(memories_of(app, "reflection")) == 1


def test_a_session_that_goes_on_and_one_that_is_alone_wait(app: ProjectApp) -> None:
    summarise_sessions(app, 2)
    app.wait(days=2)
    talk(app, 1, "session-1", first=30)
    app.clock.instant = app.clock.now().replace(hour=4)
    reflect(app.services, app.caller.scope)
    assert memories_of(app, "reflection") == []


def test_twenty_at_most_go_into_one(app: ProjectApp) -> None:
    summarise_sessions(app, 22)
    run_next_night(app)
    assert sorted(len(one.derived_from) for one in memories_of(app, "reflection")) == [2, 20]
    assert all(len(one.content) <= 2400 for one in memories_of(app, "reflection"))


def test_forgotten_summaries_are_not_merged_and_deleted_ones_no_longer_looked_at(app: ProjectApp) -> None:
    summarise_sessions(app, 3)
    gone = memories_of(app, "consolidated")[0]
    forget(app, gone.id)
    run_next_night(app)
    (reflection,) = memories_of(app, "reflection")
    assert gone.id not in reflection.derived_from
    app.wait(days=31)
    run_next_night(app)
    assert list(project_of(app).rows(WINDOWS).every(index="gsi1")) == []


def test_many_processes_make_one(app: ProjectApp) -> None:
    summarise_sessions(app, 4)
    app.wait(days=2)
    with ThreadPoolExecutor(6) as pool:
        for each in [pool.submit(reflect, app.services, app.caller.scope) for _ in range(6)]:
            each.result()
    assert len(memories_of(app, "reflection")) == 1


def test_another_project_is_another_night(app: ProjectApp) -> None:
    summarise_sessions(app, 2)
    app.wait(days=2)
    reflect(app.services, Scope("acme", "mobile"))
    assert memories_of(app, "reflection") == []
    reflect(app.services, app.caller.scope)
    assert len(memories_of(app, "reflection")) == 1
    assert isinstance(session_of(app, "session-0"), Session)
