"""Test that short statements wait for an agent's answer, and are proposed with the sentence that repeats them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from almanac.families.memory.candidates import answers
from almanac.families.memory.candidates.proposals import follow_turn, propose
from almanac.families.memory.statements.passages import SpokenTurn
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


class Model:
    """Stands in for the model of passages. `confirms` is the word of a reply on whose turn later work depends.

    `alone` is the share of a turn without a reply."""

    confirms = ""
    alone = 0.2

    def __init__(self, turns: Sequence[SpokenTurn]) -> None:
        self._turns = turns

    def share(self, turn: int, _sentences: Sequence[str]) -> float:
        replies = [one.text.lower() for one in self._turns[turn + 1 :]]
        return self.alone if not replies else 0.9 if any(self.confirms in one for one in replies) else 0.2


@pytest.fixture(autouse=True)
def model(monkeypatch: pytest.MonkeyPatch) -> type[Model]:
    class Own(Model): ...

    monkeypatch.setattr(answers, "PassageModel", Own)
    return Own


@pytest.fixture
def confirmed(model: type[Model]) -> None:
    """Let later work depend on what a reply notes, and on nothing else."""
    model.confirms = "noted"


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


def test_a_statement_that_says_more_waits_for_nothing(app: ProjectApp, model: type[Model]) -> None:
    model.alone = 0.4
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


LIKELY = "second firing at 1240, Ben wrote it on the kiln door"
"""A sentence of which the model of statements is rather sure."""
DOUBTFUL = "so the bowls go to Graz and the cups to Linz"
"""A sentence of which it is less sure than proposals need."""


REMARK = "The kiln door opens at six, except on market days."
"""A sentence that states nothing by the model of statements."""
SMALL_TALK = "fresh clay with twelve bags, start it tonight after six"
"""A sentence that this model takes for small talk."""
WHOLE_TURN = "the shelf is full. upper row. it's for Ina"
"""A turn whose sentences say something only together."""


@pytest.mark.usefixtures("confirmed")
@pytest.mark.parametrize("said", [LIKELY, DOUBTFUL, REMARK, SMALL_TALK, WHOLE_TURN])
def test_what_is_not_sure_waits_for_a_reply_that_confirms_it(app: ProjectApp, said: str) -> None:
    say(app, OFFER, "assistant")
    turn = say(app, said, speaker="Ann")
    assert contents(app) == []
    answer = say(app, "Noted, that is on the list.", "assistant")
    assert contents(app) == [said]
    for gone in (turn, answer):
        forget(app, gone)
        app.react()
        restore(app, gone)
        app.react()
        assert contents(app) == [said]


@pytest.mark.usefixtures("confirmed")
@pytest.mark.parametrize("said", [LIKELY, DOUBTFUL, REMARK])
@pytest.mark.parametrize("role", ["user", "assistant"])
def test_a_reply_about_something_else_leaves_it_out(app: ProjectApp, said: str, role: str) -> None:
    say(app, OFFER, "assistant")
    say(app, said, speaker="Ann")
    say(app, "The cat is asleep on the wheel.", role)
    assert contents(app) == []


@pytest.mark.usefixtures("confirmed")
def test_another_person_confirms_only_what_is_likely(app: ProjectApp) -> None:
    say(app, OFFER, "assistant")
    for said in (LIKELY, DOUBTFUL, REMARK):
        say(app, said, speaker="Ann")
        say(app, "noted!", speaker="Ben")
    assert contents(app) == [LIKELY]


@pytest.mark.usefixtures("confirmed")
def test_what_is_done_or_has_to_be_done_is_no_remark(app: ProjectApp) -> None:
    say(app, OFFER, "assistant")
    for said in ("the racks are sorted and the floor is swept", "TODO order new bats for the second wheel"):
        say(app, said)
        say(app, "Noted.", "assistant")
    assert contents(app) == []


def test_in_another_language_a_reply_makes_no_remark(app: ProjectApp, model: type[Model]) -> None:
    model.confirms = ""
    say(app, "Soll ich den Ofen heute noch einmal anheizen?", "assistant")
    say(app, "Die Schale steht oben links im Regal.")
    say(app, "Gut, dann suche ich sie oben links.", "assistant")
    assert contents(app) == []


@pytest.mark.usefixtures("confirmed")
def test_what_happened_once_is_no_remark_and_its_reasons_do_not_count(app: ProjectApp) -> None:
    say(app, OFFER, "assistant")
    for said in (
        "the frost cracked the pipe behind the kiln in the north shed",
        f"{REMARK[:-1]}, because Ina was late",
    ):
        say(app, said)
        say(app, "Noted.", "assistant")
    assert contents(app) == [f"{REMARK[:-1]}, because Ina was late"]


@pytest.mark.usefixtures("confirmed")
def test_a_remark_beside_a_decision_is_kept_too(app: ProjectApp, model: type[Model]) -> None:
    model.alone = 0.4
    say(app, OFFER, "assistant")
    say(app, f"We decided to buy a second kiln for the bowls. {REMARK}")
    assert contents(app) == ["We decided to buy a second kiln for the bowls."]
    say(app, "Noted.", "assistant")
    assert {REMARK, "We decided to buy a second kiln for the bowls."} == {*contents(app)}
    assert [one["kind"] for one in list_candidates(app) if one["content"] == REMARK] != ["deadline"]


@pytest.mark.parametrize("replies", [[], ["The cat is asleep on the wheel."]])
def test_what_is_worth_keeping_by_itself_needs_no_reply(
    app: ProjectApp, model: type[Model], replies: list[str]
) -> None:
    model.confirms, model.alone = "noted", 0.8
    for said in (LIKELY, SHORT, DOUBTFUL, REMARK):
        say(app, OFFER, "assistant", session=said)
        say(app, said, session=said)
        for reply in replies:
            say(app, reply, "assistant", session=said)
    assert contents(app) == [LIKELY]


@pytest.mark.usefixtures("confirmed")
def test_a_change_that_names_nothing_is_told_with_the_answer_that_does(app: ProjectApp) -> None:
    say(app, OFFER, "assistant")
    say(app, "make it Friday")
    say(app, "Noted, the firing is on Friday.", "assistant")
    assert contents(app) == ["make it Friday (Noted, the firing is on Friday)"]


def test_what_a_rule_finds_waits_only_where_nothing_later_depends_on_it(app: ProjectApp, model: type[Model]) -> None:
    model.alone = 0.4
    say(app, OFFER, "assistant")
    say(app, "We decided to buy a second kiln for the bowls.")
    assert contents(app) == ["We decided to buy a second kiln for the bowls."]
    model.alone, model.confirms = 0.3, "noted"
    said = ("People must always be people.", "We never glaze on Fridays.")
    for one, reply in zip(said, ("On a Tuesday too.", "Noted."), strict=True):
        say(app, one)
        say(app, reply, "assistant")
    assert {*contents(app)} == {"We decided to buy a second kiln for the bowls.", "We never glaze on Fridays."}


@pytest.mark.usefixtures("confirmed")
def test_the_mark_of_an_option_does_not_wait(app: ProjectApp) -> None:
    say(app, "Which glaze? (a) blue, (b) white from Graz, (c) none.", "assistant")
    say(app, "b")
    assert contents(app) == ["b (Which glaze? white from Graz)"]


def test_an_agent_that_repeats_a_statement_proposes_nothing_new(app: ProjectApp) -> None:
    say(app, OFFER, "assistant")
    say(app, "The bowls must be finished by Friday 20 February.")
    say(app, "The bowls are due on Friday 20 February.", "assistant")
    assert contents(app) == ["The bowls must be finished by Friday 20 February."]


def test_an_agent_that_says_what_was_meant_is_proposed_as_well(app: ProjectApp) -> None:
    say(app, OFFER, "assistant")
    say(app, "We decided to take them with a discount.")
    say(app, "Decision: the Graz kilns with a discount of ten euros each, delivered to the barn in May.", "assistant")
    assert len(contents(app)) == 2
