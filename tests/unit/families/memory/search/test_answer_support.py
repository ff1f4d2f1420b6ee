"""Coverage that is lowered if no quoted sentence has the value that the question seeks."""

import pytest

from almanac.families.memory.search.answer_support import Quotation, lower_if_unanswered
from almanac.families.memory.search.answer_values import has_answer_value
from almanac.search.coverage import Coverage
from tests.cpu_time import takes_under

TALK = ("The harbour is calm.", "Ann rows at noon.", "The mast is made of oak.", "Bob cooks soup.")


def verdict(question: str, sentence: str, asked: str = "", source: str = "") -> str:
    found = lower_if_unanswered(
        Coverage(verdict="covered", nearest=0.6),
        question,
        [Quotation(sentence, asked, source or sentence)],
        [*TALK, sentence],
    )
    assert found is not None
    return found.verdict


@pytest.mark.parametrize(
    ("question", "answers", "is_near"),
    [
        ("How many sails do we have?", "We have three sails.", "We always dry the sails after rain."),
        ("What does the new anchor cost?", "The new anchor costs 340 euros.", "We need a new anchor."),
        ("When is the boat painted?", "The boat is painted on Tuesday.", "The boat is painted by hand."),
        ("Who repairs the engine?", "The engine is repaired by Petra Voss.", "the engine has to be repaired"),
        (
            "Who painted the wooden sign at the pier?",
            "Last year Petra Voss painted the wooden sign at the pier.",
            "Ask Petra about the wooden sign at the pier.",
        ),
        ("Who is the harbour master?", "Petra is the harbour master now.", "we asked even the harbour master"),
        (
            "Which train did Petra miss?",
            "Petra missed the train of nine.",
            "Petra ran and missed the train, again",
        ),
        ("Which make is the small pump?", "The small pump is a Voss.", "the small pump is broken and full of mud"),
        ("How old is the skipper?", "The skipper is 54 years old.", "The skipper starts the engine."),
        ("How long is the voyage?", "The voyage takes nine days.", "The voyage is nice."),
        ("Why is the pump broken?", "The pump is broken because of the salt.", "The pump is broken again."),
        (
            "What is the phone number of the harbour master?",
            "The harbour master: 0381 4556 77.",
            "Ask the harbour master.",
        ),
        ("Which colour is the hull?", "The hull is dark green.", "The hull is clean."),
        ("Which sail was torn?", "The sail that was torn is the jib.", "Only one sail was torn."),
        ("Which buoys are missing?", "The buoys Anna and Otter are missing.", "I could add the two missing buoys."),
        ("How long do we keep the log?", "We keep the log until March.", "We keep the log until now."),
        ("Which version of the chart do we use?", "We use version 4.2 of the chart.", "We use the chart."),
        (
            "Which fuel does the launch have?",
            "The launch has red diesel as fuel.",
            "Scrub the hull of the launch, not the deck.",
        ),
        (
            "Which rule of the club does the launch break?",
            "It breaks the club's rule on noise.",
            "The launch breaks what the club wants.",
        ),
        (
            "Which insurance company has the club?",
            "The club's insurance company is Nordhav.",
            "the club, insurance, a long story",
        ),
        (
            "Which buoys are missing from buoy_list?",
            "The buoys Anna and Otter are not in buoy_list.",
            "Never touch buoy_list.",
        ),
        (
            "What is the depth of the north basin?",
            "The north basin has a depth of three fathoms.",
            "The north basin freezes first.",
        ),
        (
            "What did the pilot say about the fog?",
            "The pilot said to wait for the fog to lift.",
            "The pilot waits for the fog to lift.",
        ),
        (
            "Who is the captain of the ferry?",
            "The captain of the ferry is Petra now.",
            "The Nordhav people heard what the captain of the ferry decided.",
        ),
        (
            "In which shed does Petra paint the spare mast?",
            "Petra paints the spare mast in shed 4.",
            "Petra paints the spare mast by hand.",
        ),
        ("How many berths does the pier have?", "The pier has twelve berths.", "Berth nine of the pier is wet."),
        ("How much is the ferry to Otter?", "The ferry to Otter is free.", "The ferry to Otter is ice-free."),
        (
            "What is the name of the cook of the launch?",
            "The name of the cook of the launch is Bob.",
            'The cook of the launch wrote its name: "We are out of soup."',
        ),
        (
            "What is the fuel quota of the launch?",
            "The fuel quota of the launch is nine litres.",
            "The launch is out of fuel since noon.",
        ),
        (
            "What did Petra Voss tell about the fog?",
            "About the fog Petra Voss told: it lifts.",
            "Petra Voss told that the pump works.",
        ),
    ],
)
def test_covered_means_that_what_is_asked_for_is_quoted(question: str, answers: str, is_near: str) -> None:
    assert verdict(question, answers) == "covered"
    assert verdict(question, is_near) == "thin"


def test_the_names_of_the_question_are_in_the_source_of_the_answer() -> None:
    question, sentence = "What is the depth at Otter Quay?", "The depth at the quay is three fathoms."
    assert verdict(question, sentence) == "thin"
    assert verdict(question, sentence, source=f"We measured Otter Quay. {sentence}") == "covered"
    assert verdict(question, sentence, "And the depth at Otter Quay?") == "covered"
    assert verdict("What is the depth of the quay on Monday?", "The depth of the quay is three fathoms.") == "covered"


def test_an_answer_counts_with_its_question() -> None:
    assert verdict("How much is the berth?", "12 euros a night.", "How much is the berth?") == "covered"
    assert verdict("How much is the berth?", "12 euros a night.") == "thin"


def test_who_does_not_know_answers_nothing() -> None:
    assert verdict("How much is the berth?", "I do not know, 12 euros?", "How much is the berth?") == "thin"


def test_what_was_not_covered_stays_so() -> None:
    near = Coverage(verdict="not_covered", nearest=0.1)
    assert lower_if_unanswered(near, "Who cooks?", [Quotation("Bob cooks soup.", "", "Bob cooks soup.")], TALK) is near
    assert lower_if_unanswered(None, "Who cooks?", [], TALK) is None


def test_a_sentence_that_only_reports_the_question_does_not_answer_it() -> None:
    assert verdict("Why is the mast made of oak?", "The board asked why the mast is made of oak.") == "thin"
    assert verdict("Why is the mast made of oak?", "The mast is made of oak because it bends.") == "covered"


@pytest.mark.parametrize("question", ["How many boxes are there?", "How much is the ramp?", "How big is the hall?"])
def test_a_long_row_of_numbers_is_read_in_little_time(question: str):
    assert takes_under(0.2, lambda: has_answer_value(question, "1," * 4000))


def test_a_long_row_of_the_noun_is_read_in_little_time():
    assert takes_under(0.15, lambda: has_answer_value("How many sails are there?", "sail" * 5000))


def test_a_number_with_commas_and_a_point_is_a_value():
    assert has_answer_value("How many boxes are there?", "There are 1,250,000.5, boxes.")
