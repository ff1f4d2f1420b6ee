"""Test which sentences count as a preference, decision, convention or deadline."""

from datetime import UTC, datetime
from typing import Any

import pytest
from msgspec.structs import replace as altered

from almanac.families.memory.candidates import finder
from almanac.families.memory.candidates.deadlines import due_at
from almanac.families.memory.candidates.finder import find_statements
from almanac.families.memory.candidates.patterns import OF_OTHERS, PASSING, PAST
from almanac.families.memory.core.records import Role, Turn
from almanac.families.memory.statements.classifier import Judgement
from almanac.families.memory.statements.weights import KINDS
from almanac.kernel.instants import milliseconds
from tests.cpu_time import takes_under

WEDNESDAY = milliseconds(datetime(2026, 2, 18, 14, 30, tzinfo=UTC))

PREFERENCES = (
    "I prefer tabs to spaces.",
    "I really prefer short answers without headings.",
    "I'd prefer a table over a list.",
    "I would rather have one long commit than ten small ones.",
    "I always use zsh on this machine.",
    "I never commit on Fridays.",
    "Please never push to main without a review.",
    "Thanks, please always answer in German.",
    "From now on, call me Ben.",
    "My favourite editor is Helix.",
    "I don't want you to touch the generated files.",
    "I like using pytest fixtures sparingly.",
    "I like to collect jerseys.",
    "Ich bevorzuge kurze Antworten.",
    "Mir sind kleine Commits lieber.",
    "Bitte niemals direkt auf main pushen.",
    "Je préfère les réponses courtes.",
    "Prefiero respuestas cortas.",
    "I\u2019d prefer dark mode.",
)
DECISIONS = (
    "We decided to use Postgres for the ledger.",
    "We decided last week to go with pnpm.",
    "We've all agreed on weekly releases.",
    "The team has finally decided against GraphQL.",
    "We agreed that invoices are rounded per line.",
    "We'll go with Redis Streams.",
    "We are going to drop Python 3.9.",
    "Let's go with the blue logo.",
    "It was decided to freeze deploys in December.",
    "The decision is to keep the monolith.",
    "Decision: SQLite on laptops.",
    "I've decided to postpone the launch.",
    "We will migrate to Kubernetes.",
    "Wir haben uns für Postgres entschieden.",
    "Nous avons décidé de garder le monolithe.",
    "Hemos decidido usar Redis.",
)
CONVENTIONS = (
    "We always squash commits before merging.",
    "We never deploy on Fridays.",
    "By convention, test files end in _test.py.",
    "Our naming convention is snake_case for columns.",
    "All migrations must be reversible.",
    "Every public function needs to have a docstring.",
    "Branches are prefixed with the ticket number.",
    "Our policy is to answer within a day.",
    "Passwords must never be logged.",
    "Always run the linter before you push.",
    "Never import numpy at the top of a module.",
    "We use pnpm instead of npm.",
    "We use tabs, not spaces.",
    "Column names are written in snake case.",
    "Wir schreiben grundsätzlich englische Kommentare.",
)
DEADLINES = (
    ("The report is due on Friday.", "Friday"),
    ("The grant proposal for Contoso is due March 3.", "March 3"),
    ("The deadline for the submission is 2026-03-15.", "2026-03-15"),
    ("Deadline: tomorrow 5pm", "tomorrow 5pm"),
    ("We have to finish the migration by the end of the month.", "the end of the month"),
    ("Please submit the expenses by next Friday.", "next Friday"),
    ("You have until Monday to answer.", "Monday"),
    ("Die Abgabe ist am Freitag.", "Freitag"),
    ("Das muss bis morgen fertig sein.", "morgen"),
)
NOTHING = (
    "Do you prefer tabs?",
    "What if we decided to use Postgres?",
    "If we decided to use Postgres, the ledger would be simpler.",
    "Maybe we'll go with Redis.",
    "We haven't decided on the database yet.",
    "We have not agreed to that.",
    "We decided.",
    "I prefer the second one.",
    "I prefer that.",
    "Never mind, it works.",
    "Please never mind my last message.",
    "Never give up!",
    "I'll never forget that day.",
    "Always good to see you!",
    "I preferred the old one when we were young.",
    "We used to always squash commits.",
    "We no longer use npm, not even in CI.",
    "We always had fun there.",
    "We're going with my family to the beach.",
    "We'll go with you to the store.",
    "Let's go with the flow.",
    "We agreed to disagree.",
    "All I have to say is thanks.",
    "All of us have to learn.",
    'The sign said "we decided to close".',
    "> We decided to use Postgres.",
    "```\nWe decided to use Postgres.\n```",
    "The report was due last Friday.",
    "It was due to the cache.",
    "The outage was due to a full disk.",
    "By the way, we should talk by then.",
    "By now you should know.",
    "The deadline is now.",
    "It should always be first.",
    "I think you should stand by me.",
    "She suggested that we always squash commits.",
    "He asked whether we agreed on weekly releases.",
    "Agreed!",
    "That's what I like to hear!",
    "Wir haben uns noch nicht entschieden.",
    "Vielleicht haben wir uns für Postgres entschieden.",
)


def turn(content: str, role: Role = "user", **fields: Any) -> Turn:
    made = Turn(id="t1", content=content, role=role, at=WEDNESDAY, recorded_at=WEDNESDAY, actor="ann")
    return altered(made, **fields)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        *(("preference", said) for said in PREFERENCES),
        *(("decision", said) for said in DECISIONS),
        *(("convention", said) for said in CONVENTIONS),
    ],
)
def test_what_is_stated_is_found_word_by_word(kind: str, said: str) -> None:
    (found,) = find_statements(turn(f"Good morning! {said} Thanks."))
    assert (found.kind, found.content) == (kind, said)


@pytest.mark.parametrize(("said", "due"), DEADLINES)
def test_a_deadline_is_found_with_the_words_for_it(said: str, due: str) -> None:
    (found,) = find_statements(turn(said))
    assert (found.kind, found.content, found.due) == ("deadline", said, due)


@pytest.mark.parametrize("said", NOTHING)
def test_what_is_asked_supposed_denied_or_quoted_is_left(said: str) -> None:
    assert find_statements(turn(said)) == []


def test_a_decision_with_a_date_keeps_the_date() -> None:
    (found,) = find_statements(turn("We decided to submit the grant by Friday."))
    assert (found.kind, found.due) == ("decision", "Friday")


@pytest.mark.parametrize("role", ["assistant", "agent"])
def test_an_assistant_has_no_preferences_but_tells_decisions(role: Role) -> None:
    assert find_statements(turn("I prefer tabs. I always use zsh.", role=role)) == []
    assert [one.kind for one in find_statements(turn("We decided to use Postgres.", role=role))] == ["decision"]


@pytest.mark.parametrize("role", ["tool", "system", "event"])
def test_programs_state_nothing(role: Role) -> None:
    assert find_statements(turn("We decided to use Postgres.", role=role)) == []


def test_what_memory_returned_is_not_stated_again() -> None:
    recalled = '{"hits": [{"content": "x"}], "untrusted": true}\nWe decided to use Postgres.'
    assert find_statements(turn(recalled)) == []
    assert find_statements(turn("We decided to use Postgres.", metadata={"recalled": True})) == []


def test_five_of_a_turn_at_most_and_each_once() -> None:
    said = [f"We decided to use tool number {number}." for number in range(9)]
    assert len(find_statements(turn(" ".join(said)))) == 5
    assert len(find_statements(turn("I prefer tabs. I prefer TABS! I prefer tabs"))) == 1


def test_the_same_statement_in_other_case_is_the_same() -> None:
    (one,), (other,) = find_statements(turn("I prefer tabs.")), find_statements(turn("- I prefer TABS"))
    assert one.digest == other.digest
    (third,) = find_statements(turn("I prefer spaces."))
    assert third.digest != one.digest


@pytest.mark.parametrize(
    ("said", "zone", "ends"),
    [
        ("Friday", "America/New_York", "2026-02-20T23:59:59-05:00"),
        ("Friday", "Asia/Tokyo", "2026-02-20T23:59:59+09:00"),
        ("tomorrow 5pm", "Europe/Berlin", "2026-02-19T17:00:00+01:00"),
        ("next week", "Europe/Berlin", "2026-03-01T23:59:59+01:00"),
        ("March", "Europe/Berlin", "2026-03-31T23:59:59+02:00"),
        ("Freitag", "Europe/Berlin", "2026-02-20T23:59:59+01:00"),
        ("2026-03-15", "Europe/Berlin", "2026-03-15T23:59:59+01:00"),
        ("2026-03-15T17:00Z", "Europe/Berlin", "2026-03-15T17:00:00+00:00"),
        ("15.03.2026", "Europe/Berlin", "2026-03-15T23:59:59+01:00"),
    ],
)
def test_a_deadline_ends_with_the_day_or_week_that_is_named(said: str, zone: str, ends: str) -> None:
    assert due_at(said, WEDNESDAY, zone) == milliseconds(datetime.fromisoformat(ends))


@pytest.mark.parametrize(("said", "zone"), [("Friday", None), ("03/04", "Europe/Berlin"), ("Friday", "Nowhere/At_All")])
def test_a_deadline_is_kept_as_said_where_its_day_is_not_certain(said: str, zone: str | None) -> None:
    assert due_at(said, WEDNESDAY, zone) is None


@pytest.mark.parametrize(
    "text",
    [
        "we decided to " * 5000,
        "I " + "really " * 9000 + "prefer it",
        "due " * 16_000,
        "due next friday x " * 3000,
        "must go by march 3 x " * 3000,
        "must by " * 8000,
        "must " + "a " * 30_000 + "by friday",
        "wir haben " + "x " * 30_000 + "entschieden",
        "we use " * 9000,
        "all " + "a-b/c " * 10_000 + "must go",
        'please never "' * 4000,
        "the our our our convention " * 2000,
    ],
)
def test_no_turn_takes_long(text: str) -> None:
    turns = [turn(text[:65_536]), *(turn("\n".join([f"- {text[:size]}."] * 200)) for size in (290, 36))]
    assert takes_under(1.5, lambda: [find_statements(each) for each in turns])


@pytest.mark.parametrize("day", ["2026-12-10", "2027-01-02", "2026-12-31"])
def test_an_iso_date_means_one_day(day: str) -> None:
    assert due_at(day, WEDNESDAY, "UTC") == milliseconds(datetime.fromisoformat(f"{day}T23:59:59+00:00"))


def test_a_statement_that_only_says_it_is_kept_with_what_it_is_about() -> None:
    said = "oh, the lease of the barn. it runs out soon. we have to send it in by Friday"
    (found,) = find_statements(turn(said))
    assert (found.kind, found.content) == ("deadline", said)


@pytest.mark.parametrize("said", ["friday!!", "next week", "weekend at last"])
def test_days_alone_are_no_statement(said: str) -> None:
    assert find_statements(turn(said)) == []


def test_a_number_alone_is_kept_with_the_question_that_lists_it() -> None:
    offer = turn("Which shelf gets the flour, 2 or 7?", role="assistant")
    (found,) = find_statements(turn("7 then"), lambda: [offer])
    assert found.content == "7 then (Which shelf gets the flour, 2 or 7)"


def test_a_rule_below_a_heading_is_kept_with_it_and_not_one_behind_a_name() -> None:
    said = "## House rules\n- Never open the hatch with passengers on board\n\nAda from the office: never pay in cash"
    kept = [(one.kind, one.content) for one in find_statements(turn(said, role="assistant"))]
    assert kept == [("convention", "House rules: Never open the hatch with passengers on board")]


def test_items_of_a_list_are_kept_one_by_one_and_its_heading_is_not() -> None:
    said = (
        "House rules, please keep track of them:\n- the gate stays locked\n- We always log the hours of the engine"
        "\n- Never refuel the boat with passengers on board\n- guests sign in"
    )
    kept = {one.content for one in find_statements(turn(said))}
    assert {"We always log the hours of the engine", "Never refuel the boat with passengers on board"} <= kept
    assert kept <= set(said.replace("- ", "").splitlines()[1:])


def test_a_row_of_a_table_is_kept_with_the_names_of_its_columns() -> None:
    said = "| Job | Who | Deadline |\n|---|---|---|\n| paint the hull | Ann | due by 4 May |\n| flag | - | - |"
    (found,) = find_statements(turn(said))
    assert (found.kind, found.content) == ("deadline", "paint the hull: Who Ann, Deadline due by 4 May")


@pytest.mark.parametrize(
    ("said", "kept"),
    [("1", "1 (bake it tonight)"), ("b", "b (Which flour? spelt from Ost)"), ("2 please", "2 please (buy it)")],
)
def test_a_mark_alone_is_kept_with_its_option(said: str, kept: str) -> None:
    numbered = "Two options: (1) bake it tonight, (2) buy it. I'd go with 1."
    lettered = "Which flour? (a) rye, (b) spelt from Ost, (c) both."
    offer = turn(lettered if said == "b" else numbered, role="assistant")
    (found,) = find_statements(turn(said), lambda: [offer])
    assert found.content == kept


def test_a_choice_is_not_taken_for_the_option_that_its_reason_names() -> None:
    offer = turn("Which wheel? Either the oak wheel from Ost or a steel wheel.", role="assistant")
    (found,) = find_statements(turn("steel only. no oak near the water"), lambda: [offer])
    assert found.content == "steel only. no oak near the water (a steel wheel)"


def test_an_answer_that_names_its_choice_is_kept_as_it_is() -> None:
    offer = turn("Rye or spelt?", role="assistant")
    (found,) = find_statements(turn("ok rye then"), lambda: [offer])
    assert found.content == "ok rye then"


@pytest.mark.parametrize(
    "said",
    [
        "I'm at the ferry now, so keep it short",
        "we're both in the van so no pictures",
        "not yet, she wants to see the offer first",
        "oh ok, redo the labels then",
        "exclude row nine then",
        "put one on and run the whole sweep, 5 to 9 bar",
        "delete the old drafts older than a month",
        "the token of the mill repo: [REDACTED:github_token]",
        "We decided to move the mill to the moon. Just kidding!",
        "could we run the mill on wind, no motor at all. just dreaming",
        "Our neighbours have to cut their hedge by Friday.",
        "The ferry has to stop by the end of May, the newspaper says.",
        "I read that the old mill has to close by Friday",
        "The old mill has to close by Friday, I heard.",
        'tom by mail: "please always grind the rye twice, we decided that last year"',
        '"You must never sell flour from the back door" he says.',
        "the 3rd or the 10th of june",
        "monday or tuesday",
        "Notes from the mill, please keep all of these:\n- rye\n- spelt",
        "Next the wheel, and I'd like a recommendation rather than a lecture about oak.",
        "In my opinion every tour of a mill is twenty minutes too long.",
        "I always thought I'd feel more at the first flour; mostly I feel like a bath.",
        "last time somebody had to stay until Friday",
        "Last March we had to stay until Friday.",
        "WARN pool: size must not exceed 8, using 8",
        "[ERROR] mill.gate: the gate must never be open at night",
        "E: motor: power must never exceed 5 kW",
        "We decided to move the mill to the moon. Don't answer, I'm only thinking out loud.",
        "The bakers of Ost must deliver their bread by Friday, poor people.",
        "The sluice must always be open or closed at night, I go back and forth.",
        "Grinding on Friday right before the fair, I must really love danger.",
    ],
)
def test_talk_about_the_moment_or_about_others_decides_nothing(said: str) -> None:
    assert find_statements(turn(said)) == []


@pytest.mark.parametrize(
    "said",
    [
        "We talk about the sluice for days, so please lay out the ways of closing it.",
        "can you compare the two wheels",
        "hi its Jo, Ada gave me the phone",
        "the sluice was mine; I assumed the gate did its own closing",
        "The inspector asked me why anybody grinds rye at night.",
        "they wrote only that our flour is wet",
        "At my old job nobody was allowed in the mill after noon.",
    ],
)
def test_requests_for_an_account_and_reports_of_the_past_have_a_form(said: str) -> None:
    assert any(form.search(said) for form in (PASSING, PAST, OF_OTHERS))


@pytest.mark.parametrize(
    "said",
    [
        "when you compare two wheels, put them side by side in one table",
        "please always explain the plan before you touch the sluice",
        "Please put the flour into the dry room.",
        "I assumed oak until today, from now on we take steel",
        "last time it leaked, so now the sluice must be closed by two people",
        "the old mill stays closed in May",
    ],
)
def test_rules_with_the_same_words_have_none(said: str) -> None:
    assert not any(form.search(said) for form in (PASSING, PAST, OF_OTHERS))


@pytest.mark.parametrize(
    ("said", "stating", "filler", "is_found"),
    [
        ("larch for shelves", 0.9, 0.05, True),
        ("larch for shelves", 0.75, 0.05, False),
        ("larch for shelves", 0.85, 0.12, False),
        ("larch for shelves, beech for doors", 0.75, 0.12, True),
    ],
)
def test_few_words_need_more_certainty(
    said: str, stating: float, filler: float, is_found: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    shares = [0.0] * len(KINDS)
    shares[KINDS.index("filler")], shares[KINDS.index("decision")] = filler, stating

    def judge(_: str) -> Judgement:
        return Judgement("decision", stating, stating, tuple(shares))

    monkeypatch.setattr(finder, "classify", judge)
    assert bool(find_statements(turn(said))) == is_found


def test_a_ban_that_is_stressed_in_a_sentence_of_its_own_is_one_statement() -> None:
    (found,) = find_statements(turn("ok. and no salt in the rye. ever. wheat flour"))
    assert found.content == "and no salt in the rye. ever."


def test_words_within_a_quotation_of_several_sentences_are_not_the_speakers() -> None:
    assert find_statements(turn('tom wrote: "We keep it. We decided to use rye only. Bye" funny')) == []


def test_a_choice_in_several_short_sentences_is_one_statement() -> None:
    said = "not the pine. the second: larch, with a groove"
    (found,) = find_statements(turn(said))
    assert (found.kind, found.content) == ("decision", said)


@pytest.mark.parametrize(
    "said",
    [
        "so we stood there. he looked at me. I laughed",
        "ok it's the sisters from Leeds. do they bring their own ladder?",
        "they say it's the sisters from Leeds. maybe they bring their own ladder too",
    ],
)
def test_a_story_or_doubt_in_several_short_sentences_is_none(said: str) -> None:
    assert find_statements(turn(said)) == []


@pytest.mark.parametrize("said", ["From now on every sack needs a label.", "Rule: every sack has a label."])
def test_a_rule_for_all_from_now_on_is_a_convention(said: str) -> None:
    assert [one.kind for one in find_statements(turn(said))] == ["convention"]


@pytest.mark.parametrize("said", ["The bill isn't due before Friday.", "You'd need to order the sacks by Friday."])
def test_an_agent_that_says_what_is_not_due_dates_nothing(said: str) -> None:
    assert find_statements(turn(said, role="assistant")) == []


def test_a_question_in_several_clauses_is_kept_whole() -> None:
    offer = turn("The sacks leak; should I sew them with a thread or by machine?", role="assistant")
    (found,) = find_statements(turn("thread then"), lambda: [offer])
    assert found.content == "thread then (The sacks leak; should I sew them with a thread or by machine)"


@pytest.mark.parametrize(
    "offer",
    ["Which stone? Old mills often have a broken wheel or axle.", "Where shall we begin: the wheel or the sacks?"],
)
def test_what_offers_no_choice_is_not_accepted(offer: str) -> None:
    found = find_statements(turn("wheel I see. An old wheel"), lambda: [turn(offer, role="assistant")])
    assert not any("(" in one.content for one in found)


def test_agreed_accepts_the_answer_and_not_the_question_before_it() -> None:
    asked = turn("should we move the mill to the river?")
    answered = turn("Rather not, it floods in spring.", role="assistant")
    assert find_statements(turn("agreed, forget it"), lambda: [answered, asked]) == []
    offered = turn("Shall I move the mill to the river?", role="assistant")
    (found,) = find_statements(turn("agreed, do it"), lambda: [offered])
    assert found.content == "agreed, do it (Shall I move the mill to the river)"
