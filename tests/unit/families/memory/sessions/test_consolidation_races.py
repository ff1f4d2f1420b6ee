"""Test summaries that several processes make at once, while others record and forget turns."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from almanac.families.memory.sessions.consolidation import Consolidation, SkippedConsolidation, consolidate
from almanac.families.memory.sessions.records import WINDOWS
from almanac.families.memory.sessions.windows import read_unsummarised_turns, window_of
from tests.project_app import ProjectApp
from tests.unit.families.memory.interrupted import project_interrupted_by
from tests.unit.families.memory.memory_builder import forget, memories_of, project_of, session_of
from tests.unit.families.memory.sessions.talks import SENTENCES, talk


@pytest.fixture
def app(tmp_path: Path) -> ProjectApp:
    return ProjectApp(tmp_path)


def test_a_rolling_summary_is_written_once_whoever_tries(app: ProjectApp) -> None:
    talk(app, 20)
    with ThreadPoolExecutor(8) as pool:
        results = [each.result() for each in [pool.submit(consolidate, project_of(app), "s1") for _ in range(8)]]
    assert sum(isinstance(one, Consolidation) for one in results) == 1
    assert len(memories_of(app, "consolidated")) == 1
    app.react()
    app.react()
    assert len(memories_of(app, "consolidated")) == 1


def test_a_turn_that_comes_while_a_summary_is_made_waits_for_the_next(app: ProjectApp) -> None:
    talk(app, 20)
    done = consolidate(project_interrupted_by(app, lambda: talk(app, 1, first=20)), "s1")
    assert isinstance(done, Consolidation)
    session = session_of(app)
    assert (session.turns, session.summarised) == (21, done.memory.metadata["positions"][1] + 1)
    assert (session.due_at is None) == (session.summarised == 21)


def test_turns_that_many_record_are_each_in_one_window(app: ProjectApp) -> None:
    with ThreadPoolExecutor(4) as pool:
        recording = [pool.submit(talk, app, 20, "s1", 20 * number) for number in range(3)]
        summarising = pool.submit(app.react)
        for each in [*recording, summarising]:
            each.result()
    app.react()
    app.wait(minutes=10)
    app.run_jobs()
    windows = sorted(memory.metadata["positions"] for memory in memories_of(app, "consolidated"))
    assert [position for first, last in windows for position in range(first, last + 1)] == list(range(60))


def test_what_is_forgotten_while_a_summary_is_made_is_not_in_it(app: ProjectApp) -> None:
    turns = talk(app, 10)
    done = consolidate(project_interrupted_by(app, lambda: forget(app, turns[5].id)), "s1", force=True)
    assert isinstance(done, Consolidation)
    assert SENTENCES[5] not in done.memory.content
    assert turns[5].id not in done.memory.derived_from


def test_a_summary_that_somebody_else_makes_meanwhile_is_made_once(app: ProjectApp) -> None:
    talk(app, 10)
    project = project_interrupted_by(app, lambda: consolidate(project_of(app), "s1", force=True))
    assert isinstance(consolidate(project, "s1", force=True), SkippedConsolidation)
    assert len(memories_of(app, "consolidated")) == 1


@pytest.mark.slow
def test_a_session_that_cannot_be_summarised_keeps_no_other_waiting(app: ProjectApp) -> None:
    talk(app, 2, "broken")
    project = project_of(app)
    window = window_of(read_unsummarised_turns(project, session_of(app, "broken")), "broken")
    # Something is there already, so that no write of this window succeeds.
    app.store.write([project.rows(WINDOWS).insert(window)])
    app.wait(seconds=1)
    talk(app, 2, "s2", first=2)
    app.wait(minutes=10)
    app.run_jobs()
    assert [memory.session for memory in memories_of(app, "consolidated")] == ["s2"]
