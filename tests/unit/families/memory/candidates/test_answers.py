"""Test that short statements wait for an agent's answer, and are proposed with the sentence that repeats them."""

from pathlib import Path
from typing import Any

import pytest

from almanac.families.memory.candidates.proposals import follow_turn, propose
from almanac.identity.tenants import Tenants
from tests.project_app import ProjectApp
from tests.unit.families.memory.candidates.proposals import list_candidates
from tests.unit.families.memory.memory_builder import forget, record, restore

OFFER = "The kiln holds its heat for a while. Shall I change how long it cools?"
SHORT = "nine then"
ANSWER = "The kiln cools for nine hours now. I wrote it on the list."
WHOLE = "nine then (The kiln cools for nine hours now)"


@pytest.fixture
def app(tmp_path: Path) -> ProjectApp:
    return ProjectApp(tmp_path)


def say(app: ProjectApp, text: str, role: str = "user", session: str = "s1", **fields: Any) -> str:
    app.wait(minutes=1)
    turn = record(app, text, session, role=role, **fields)
    app.react()
    return turn.id


def contents(app: ProjectApp, status: str = "pending") -> list[str]:
    return [one["content"] for one in list_candidates(app, status=status)]


def test_a_short_choice_waits_for_the_answer_and_is_kept_with_it(app: ProjectApp) -> None:
    say(app, OFFER, "assistant")
    turn = say(app, SHORT, speaker="Ann")
    assert contents(app) == []
    say(app, "$ kiln set cooling=9\nok", "tool")
    assert contents(app) == []
    say(app, ANSWER, "assistant")
    (one,) = list_candidates(app)
    assert (one["content"], one["turn_id"], one["kind"], one["speaker"]) == (WHOLE, turn, "decision", "Ann")


def test_what_nobody_answers_is_not_proposed(app: ProjectApp) -> None:
    say(app, OFFER, "assistant")
    say(app, SHORT)
    say(app, "the cat is on the wheel again")
    say(app, ANSWER, "assistant")
    assert contents(app) == []


def test_among_people_it_is_proposed_at_once_and_an_agent_changes_nothing(app: ProjectApp) -> None:
    say(app, "how long does it cool?")
    say(app, SHORT)
    assert contents(app) == [SHORT]
    say(app, ANSWER, "assistant")
    assert contents(app) == [SHORT]


def test_a_statement_that_says_more_waits_for_nothing(app: ProjectApp) -> None:
    say(app, OFFER, "assistant")
    say(app, "We decided to let the kiln cool for nine hours.")
    assert contents(app) == ["We decided to let the kiln cool for nine hours."]


def test_an_answer_that_repeats_nothing_still_shows_that_it_was_decided(app: ProjectApp) -> None:
    say(app, OFFER, "assistant")
    say(app, "larch then")
    say(app, "Done.", "assistant")
    assert contents(app) == ["larch then"]


def test_turns_that_are_read_late_or_again_give_the_same(app: ProjectApp) -> None:
    for role, text in (("assistant", OFFER), ("user", SHORT), ("assistant", ANSWER)):
        record(app, text, role=role)
    app.react()
    assert contents(app) == [WHOLE]
    assert [list(propose(event, app.services)) for event in app.events("turn_recorded")] == [[], [], []]


def test_the_answer_of_another_session_is_none(app: ProjectApp) -> None:
    say(app, OFFER, "assistant")
    say(app, "The plates are still white.", "assistant", "s2")
    say(app, SHORT)
    say(app, "green then", session="s2", speaker="Ben")
    say(app, "Green glaze on all plates.", "assistant", "s2")
    assert contents(app) == ["green then (Green glaze on all plates)"]
    say(app, ANSWER, "assistant")
    assert contents(app) == ["green then (Green glaze on all plates)", WHOLE]


@pytest.mark.parametrize("gone", [["words"], ["answer"], ["words", "answer"], ["answer", "words"]])
def test_it_goes_with_its_words_or_its_answer_and_returns_with_both(app: ProjectApp, gone: list[str]) -> None:
    say(app, OFFER, "assistant")
    turns = {"words": say(app, SHORT), "answer": say(app, ANSWER, "assistant")}
    for one in gone:
        forget(app, turns[one])
        app.react()
        assert contents(app) == []
    for one in gone:
        assert contents(app) == []
        restore(app, turns[one])
        app.react()
    assert contents(app) == [WHOLE]
    for event in (*app.events("memory_forgotten"), *app.events("memory_restored")):
        assert list(follow_turn(event, app.services)) == []


def test_a_forgotten_answer_answers_nothing(app: ProjectApp) -> None:
    say(app, OFFER, "assistant")
    record(app, SHORT)
    forget(app, record(app, ANSWER, role="assistant").id)
    app.react()
    assert contents(app) == []


def test_a_rejected_choice_leaves_the_snapshot_too(app: ProjectApp) -> None:
    say(app, OFFER, "assistant")
    say(app, SHORT)
    say(app, "Nine it is. The kiln list says nine.", "assistant")
    (one,) = list_candidates(app)
    assert any(SHORT in line for line in app.do("get_snapshot")["standing"][0]["lines"])
    app.do("review_candidate", candidate_id=one["id"], decision="reject")
    assert SHORT not in str(app.do("get_snapshot").get("standing"))


def test_words_of_an_agent_are_not_accepted_by_the_setting(app: ProjectApp) -> None:
    Tenants(app.store, app.clock).create("acme", project="web")
    Tenants(app.store, app.clock).edit_project("acme", "web", auto_accept=["decision"])
    say(app, OFFER, "assistant")
    say(app, SHORT)
    say(app, ANSWER, "assistant")
    say(app, "larch then")
    say(app, "Done.", "assistant")
    assert (contents(app), contents(app, "accepted")) == ([WHOLE], ["larch then"])


@pytest.mark.parametrize("words", ["use that", "go", "all of them"])
def test_a_new_state_is_told_by_the_answer_where_the_words_say_nothing(app: ProjectApp, words: str) -> None:
    say(app, "The shelf number is the better key.", "assistant")
    say(app, words)
    answer = say(app, "Sure. The lookup key is now the shelf number. Nothing else changed.", "assistant")
    (one,) = list_candidates(app)
    assert (one["content"], one["turn_id"]) == ("The lookup key is now the shelf number.", answer)


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("go", "The build is now green."),
        ("go", "Is the key now the shelf number?"),
        ("which key do we use?", "The lookup key is now the shelf number."),
        ("tell me in two lines how the whole lookup finds its shelf today", "It now uses the shelf number."),
    ],
)
def test_reports_and_answers_to_questions_are_no_new_state(app: ProjectApp, words: str, answer: str) -> None:
    say(app, words)
    say(app, answer, "assistant")
    assert contents(app) == []
