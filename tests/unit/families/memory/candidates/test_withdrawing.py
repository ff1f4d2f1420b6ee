"""Test what happens to candidates when their turns are forgotten and restored."""

from pathlib import Path

import pytest

from almanac.families.memory.candidates.proposals import propose
from almanac.families.memory.candidates.review import decide
from almanac.kernel.errors import NotFound
from almanac.platform.store.port import ConditionFailed
from tests.project_app import ProjectApp
from tests.unit.families.memory.candidates.proposals import list_candidates, propose_one
from tests.unit.families.memory.interrupted import project_interrupted_by
from tests.unit.families.memory.memory_builder import forget, memories_of, record, restore


@pytest.fixture
def app(tmp_path: Path) -> ProjectApp:
    return ProjectApp(tmp_path)


def test_a_candidate_whose_turn_is_forgotten_meanwhile_is_not_pinned(app: ProjectApp) -> None:
    candidate = propose_one(app, "I prefer tabs to spaces.")
    project = project_interrupted_by(app, lambda: forget(app, candidate["turn_id"]))
    with pytest.raises(NotFound):
        decide(project, candidate["id"], "accepted")
    assert memories_of(app, "pinned") == []


def test_candidates_of_a_turn_that_is_forgotten_meanwhile_are_not_proposed(app: ProjectApp) -> None:
    turn = record(app, "I prefer tabs to spaces.")
    (event,) = app.events("turn_recorded")
    changes = propose(event, app.services)
    forget(app, turn.id)
    with pytest.raises(ConditionFailed):
        app.store.write(changes)


def test_candidates_of_a_forgotten_turn_are_withdrawn_and_come_back(app: ProjectApp) -> None:
    turn = record(app, "I prefer tabs. We decided to use Postgres.")
    app.react()
    pending, rejected = list_candidates(app)
    app.do("review_candidate", candidate_id=rejected["id"], decision="reject")
    forget(app, turn.id)
    # Before the reaction too.
    refusal = app.refusal("review_candidate", candidate_id=pending["id"], decision="accept")
    assert "There is no candidate" in refusal
    app.react()
    assert list_candidates(app) == list_candidates(app, status="rejected") == []
    assert "There is no candidate" in app.refusal("review_candidate", candidate_id=pending["id"], decision="accept")
    restore(app, turn.id)
    app.react()
    assert [one["id"] for one in list_candidates(app)] == [pending["id"]]
    assert [one["id"] for one in list_candidates(app, status="rejected")] == [rejected["id"]]


def test_an_accepted_candidate_stays_when_its_turn_is_forgotten(app: ProjectApp) -> None:
    candidate = propose_one(app, "I prefer tabs to spaces.")
    app.do("review_candidate", candidate_id=candidate["id"], decision="accept")
    forget(app, candidate["turn_id"])
    app.react()
    assert len(list_candidates(app, status="accepted")) == 1
    assert len(memories_of(app, "pinned")) == 1


def test_another_turn_may_propose_what_was_withdrawn_and_then_it_is_not_proposed_twice(app: ProjectApp) -> None:
    first = record(app, "I prefer tabs to spaces.")
    app.react()
    forget(app, first.id)
    app.react()
    second = propose_one(app, "I prefer tabs to spaces.", session="s2")
    restore(app, first.id)
    app.react()
    assert [one["id"] for one in list_candidates(app)] == [second["id"]]


def test_a_turn_that_was_forgotten_before_it_was_read_proposes_once_it_is_restored(app: ProjectApp) -> None:
    turn = record(app, "I prefer tabs to spaces.")
    forget(app, turn.id)
    app.react()
    assert list_candidates(app) == []
    restore(app, turn.id)
    app.react()
    assert len(list_candidates(app)) == 1


def test_withdrawn_candidates_are_deleted_with_their_turn(app: ProjectApp) -> None:
    candidate = propose_one(app, "I prefer tabs to spaces.")
    forget(app, candidate["turn_id"])
    app.react()
    app.wait(days=31)
    again = propose_one(app, "I prefer tabs to spaces.", session="s2")
    assert again["id"] != candidate["id"]
