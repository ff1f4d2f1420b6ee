"""Passages that disagree."""

from datetime import UTC

import pytest

from almanac.families.memory.synthesis.disagreements import MAX_PAIRS, find_disagreements
from almanac.families.memory.synthesis.extractive_answer import extract
from almanac.families.memory.synthesis.passages import Passage
from tests.cpu_time import measure_cpu_seconds
from tests.unit.families.memory.synthesis.passages_here import passage


def pairs(*passages: Passage) -> list[tuple[str, str, str]]:
    found = find_disagreements(passages, {one.id for one in passages})
    return [(one.earlier.passage.id, one.later.passage.id, one.about) for one in found]


@pytest.mark.parametrize(
    ("one", "other", "about"),
    [
        ("deploys on Tuesday", "deploys on Thursday", 'day: "tuesday" or "thursday"'),
        ("We deploy on Tuesdays.", "The team says: we deploy on Thursdays.", 'day: "tuesday" or "thursday"'),
        ("Standup is at 9:30", "Standup is at 10:00", 'time of day: "9:30" or "10:00"'),
        ("The release date is 2026-05-03.", "Release date: 2026-06-01", 'date: "2026-05-03" or "2026-06-01"'),
        ("The timeout is 30 seconds.", "The timeout was raised to 60 seconds.", 'number of second: "30" or "60"'),
        ("The office has two floors.", "The office has 3 floors.", 'number of floor: "2" or "3"'),
        ("The port is 8080", "The port is 9090", 'number: "8080" or "9090"'),
        ("Python 3.11 is required", "Python 3.12 is required", 'number of python: "3.11" or "3.12"'),
        ("The database is Postgres.", "The database is MySQL.", 'name of database: "Postgres" or "MySQL"'),
        (
            "We use Redis for caching.",
            "We don't use Redis for caching any more.",
            "the one says that it is so, the other that it is not",
        ),
    ],
)
def test_the_same_said_of_two_values_disagrees(one: str, other: str, about: str) -> None:
    assert pairs(passage(one, place=0), passage(other, place=1)) == [("TURN00", "TURN01", about)]
    assert pairs(passage(other, place=1), passage(one, place=0)) == [("TURN00", "TURN01", about)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I ran on Tuesday", "I ran on Thursday"),
        ("We bought 3 apples", "We bought 5 apples"),
        ("The sofa is red", "The sofa is comfortable"),
        ("Our meeting is on Monday", "Our retro is on Friday"),
        ("Issue 12 is about caching", "Issue 14 is about caching"),
        ("Attempt 1 fails", "Attempt 2 fails"),
        ("Do we deploy on Tuesdays?", "We deploy on Thursdays."),
        ("We should deploy on Tuesdays.", "We deploy on Thursdays."),
        ("We deploy on Tuesdays.", "We deploy on Tuesday"),
        ("We deploy on Tuesdays and Fridays.", "We deploy on Thursdays."),
        ("Move it to Tuesdays.", "The move is on Mondays."),
        ("We use Redis for caching.", "We do not use Kafka for events."),
    ],
)
def test_what_can_both_be_so_does_not_disagree(one: str, other: str) -> None:
    assert pairs(passage(one, place=0), passage(other, place=1)) == []


def test_what_people_say_of_themselves_is_compared_with_their_own_words() -> None:
    ann, ben = passage("I have two kids.", "Ann", place=0), passage("I have three kids.", "Ben", place=1)
    assert pairs(ann, ben) == []
    assert len(pairs(ann, passage("I have three kids.", "Ann", place=2))) == 1


def test_a_correction_takes_back_what_was_said_right_before_it() -> None:
    first, corrected = (
        passage("The review is on Tuesday.", place=4),
        passage("No, actually it is on Thursday.", place=5),
    )
    about = "the later one corrects the earlier one"
    assert pairs(first, corrected) == [("TURN04", "TURN05", about)]
    assert pairs(first, passage("No, actually it is on Thursday.", place=9)) == []
    assert pairs(first, passage("No, actually it is on Thursday.", place=5, session="other")) == []
    assert pairs(corrected, passage("The review is on Tuesday.", place=6)) == []


def test_two_sentences_of_one_passage_do_not_disagree_and_pairs_are_bounded() -> None:
    assert pairs(passage("The port is 8080. The port is 9090.")) == []
    assert len(pairs(*(passage(f"The port is 80{place:02}", place=place) for place in range(10, 30)))) == MAX_PAIRS


def test_only_pairs_with_a_wanted_one_are_shown() -> None:
    passages = [passage("The port is 8080", place=0), passage("The port is 9090", place=1)]
    assert find_disagreements(passages, {"TURN01"})
    assert find_disagreements(passages, {"TURN07"}) == []


@pytest.mark.parametrize("unit", ["1 ", "A" * 299 + " ", "東京", "The port is 80 seconds. ", "The x x x x is A. "])
def test_time_does_not_explode(unit: str) -> None:
    passages = [passage((unit * 4000)[:4000], place=place) for place in range(50)]
    _, of_disagreements = measure_cpu_seconds(lambda: find_disagreements(passages, {"TURN00"}))
    _, of_extract = measure_cpu_seconds(lambda: extract("when is the port deployed", passages, UTC))
    assert of_disagreements + of_extract < 1.5
