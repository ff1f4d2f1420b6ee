"""Test that an event announces the first waiting candidate, and the next first one once none waits."""

from pathlib import Path

import pytest

from almanac.families.memory.candidates.records import WAITING
from tests.project_app import ProjectApp
from tests.unit.families.memory.candidates.proposals import list_candidates
from tests.unit.families.memory.memory_builder import forget, project_of, record, restore


@pytest.fixture
def app(tmp_path: Path) -> ProjectApp:
    return ProjectApp(tmp_path)


def say(app: ProjectApp, *contents: str) -> None:
    for content in contents:
        record(app, content)
    app.react()


def announced_ids(app: ProjectApp) -> list[str]:
    return [str(event.payload["candidate_id"]) for event in app.events("candidate_waiting")]


def review(app: ProjectApp, decision: str) -> None:
    for each in list_candidates(app):
        app.do("review_candidate", candidate_id=each["id"], decision=decision)
    app.react()


def test_the_first_candidate_is_told_of_and_no_other_while_one_waits(app: ProjectApp) -> None:
    say(app, "We decided to use Postgres. I prefer tabs to spaces.", "We decided to use Redis for sessions.")
    first = next(one for one in list_candidates(app) if "Postgres" in one["content"])
    (event,) = app.events("candidate_waiting")
    assert event.payload == {
        "candidate_id": first["id"],
        "kind": "decision",
        "turn_id": first["turn_id"],
        "session_id": "s1",
    }
    app.do("review_candidate", candidate_id=first["id"], decision="reject")
    say(app, "We decided to use Kafka for events.")
    assert len(announced_ids(app)) == 1


@pytest.mark.parametrize("decision", ["accept", "reject"])
def test_once_all_are_reviewed_the_next_one_is_told_of(app: ProjectApp, decision: str) -> None:
    say(app, "We decided to use Postgres. I prefer tabs to spaces.")
    review(app, decision)
    say(app, "We decided to use Redis for sessions.")
    assert len(announced_ids(app)) == 2
    assert announced_ids(app)[1] == list_candidates(app)[0]["id"]


def test_a_candidate_that_comes_back_with_its_turn_is_told_of(app: ProjectApp) -> None:
    turn = record(app, "We decided to use Postgres.")
    app.react()
    forget(app, turn.id)
    app.react()
    assert project_of(app).rows(WAITING).get() is None
    restore(app, turn.id)
    app.react()
    assert len(announced_ids(app)) == 2


def test_candidates_of_before_they_were_counted_can_be_reviewed(app: ProjectApp) -> None:
    say(app, "We decided to use Postgres. I prefer tabs to spaces.")
    project = project_of(app)
    project.store.write([project.rows(WAITING).delete()])
    review(app, "accept")
    say(app, "We decided to use Redis for sessions.")
    assert len(announced_ids(app)) == 2


def test_a_rule_hears_of_it_once(app: ProjectApp) -> None:
    app.do(
        "install_rule",
        name="ask-for-review",
        on_kind="candidate_waiting",
        actions=[{"tool": "set_broadcast", "args": {"key": "review", "value": "Candidates wait."}}],
    )
    say(app, "We decided to use Postgres.", "We decided to use Redis for sessions.")
    assert len(announced_ids(app)) == 1
    assert app.do("get_broadcast", key="review")["value"]
