"""Broad questions, and what is told for them."""

from datetime import UTC, datetime, timedelta

import pytest

from almanac.families.memory.candidates.current_statements import talk_of
from almanac.families.memory.core.records import Turn
from almanac.families.memory.synthesis.passages import passage_of
from almanac.families.memory.synthesis.plans import covers, newer_of, plan_of, planned
from almanac.kernel.instants import milliseconds

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
SAID = (
    (0, "Ann", "We decided to paint the boat blue."),
    (0, "Ann", "Never leave the harbour without a life jacket."),
    (1, "Bob", "TODO: order ropes for the mast"),
    (2, "Bob", "No, the boat gets red paint instead of blue."),
    (3, "Bob", "The permit is due by March 20."),
)


def turns() -> list[Turn]:
    return [
        Turn(
            id=f"t{place}",
            content=text,
            role="user",
            speaker=who,
            at=milliseconds(MONDAY + timedelta(days=day, minutes=place)),
            recorded_at=0,
            actor="a",
            session="s",
        )
        for place, (day, who, text) in enumerate(SAID)
    ]


def told(question: str) -> list[str]:
    talk = talk_of(turns())
    plan = plan_of(question, talk.told[-1].at, UTC, lambda: None)
    assert plan is not None
    return [one.text for one in planned(plan, talk)]


@pytest.mark.parametrize(
    ("question", "expected", "not_told"),
    [
        ("What decisions were made?", "red paint", "paint the boat blue"),
        ("Which rules must I follow?", "life jacket", "ropes"),
        ("What are the open TODOs?", "ropes", "life jacket"),
        ("Which deadlines do we have?", "March 20", "ropes"),
        ("What happened on Monday?", "paint the boat blue", "red paint"),
        ("What changed since Tuesday?", "red paint", "life jacket"),
        ("Give me an overview", "red paint", "paint the boat blue"),
        ("Which decisions were overruled?", "paint the boat blue", "ropes"),
    ],
)
def test_a_broad_question_is_answered_by_statements_of_its_kind(question: str, expected: str, not_told: str) -> None:
    lines = "\n".join(told(question))
    assert expected in lines
    assert not_told not in lines


def test_people_are_told_by_what_they_said() -> None:
    lines = "\n".join(told("Who is involved?"))
    assert "life jacket" in lines
    assert "red paint" in lines


@pytest.mark.parametrize(
    "question",
    [
        "Which colour does the boat get?",
        "Who decided that?",
        "When is the permit due?",
        "Why did the mast break?",
        "ropes",
    ],
)
def test_a_question_for_one_thing_has_no_plan(question: str) -> None:
    assert plan_of(question, milliseconds(MONDAY), UTC, lambda: None) is None


def test_a_topic_that_no_line_names_is_not_covered() -> None:
    talk = talk_of(turns())
    for question, expected in (
        ("What decisions were made about the boat?", True),
        ("What did we decide about llamas?", False),
    ):
        plan = plan_of(question, talk.told[-1].at, UTC, lambda: None)
        assert plan is not None
        assert covers(plan, planned(plan, talk)) is expected


def test_what_replaced_a_statement_is_known_by_its_turn() -> None:
    newer = newer_of({}, talk_of(turns()), turns())
    first, second = (passage_of(one, 0.5, 300) for one in turns()[:2])
    assert [one.text for one in newer(first)] == ["No, the boat gets red paint instead of blue."]
    assert not newer(second)
