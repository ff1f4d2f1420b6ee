"""Kinds that the classifier gives to sentences of domains that its training texts lack."""

import pytest

from almanac.families.memory.statements.classifier import classify
from almanac.families.memory.statements.weights import WEIGHTS_FILE, pack_weights, packaged_weights, unpack_weights
from tools.sentence_model.templates import digest

# Beekeeping, sailing, a bakery, a choir, a tax office: none of these is a domain of the training texts.
SENTENCES = (
    ("decision", "ok rye then, the spelt is too sticky"),
    ("decision", "let's go with the wooden hives"),
    ("decision", "not Kiel. we sail from Flensburg instead"),
    ("decision", "no, make it 40 jars"),
    ("convention", "all jars carry the harvest date on the lid, no exceptions"),
    ("convention", "log entries always in UTC, please"),
    ("preference", "I can't stand raisins in the dough"),
    ("preference", "your lists are too long. five lines are enough for me"),
    ("constraint", "nobody opens the hives without a veil"),
    ("constraint", "never leave the harbour above force 6"),
    ("constraint", "the whole order has to stay under 900"),
    ("deadline", "the moorings contract runs out on April 30"),
    ("deadline", "the forms have to be back by the 9th, the office is strict"),
    ("task", "TODO order new queen cages"),
    ("task", "someone still has to fix the bilge pump"),
    ("done", "the bilge pump is fixed, you can tick that"),
    ("question", "should we take the second harbour"),
    ("filler", "ok thanks!"),
    ("filler", "let me look at the tide table"),
    ("aside", "maybe we could bake croissants one day, who knows"),
    ("aside", "We have not decided on the new mixer yet."),
    ("aside", "If we had a bigger boat we would be there by now."),
    ("aside", "The bakery next door decided on sourdough only, not our problem."),
    ("aside", '"never trust a barometer" is written over his door'),
)


CHOSEN = ("green it is.", "ok, the harbour it is then", "so rye bread it is!", "ok, larch then", "the blue one then.")


@pytest.mark.parametrize("said", CHOSEN)
def test_what_it_is_is_decided(said: str) -> None:
    assert classify(said).kind == "decision"


ALIKE = ("there it is", "that's how it is", "yes it is", "of course it is", "I think it is", "go on then", "wait then")


@pytest.mark.parametrize("said", ALIKE)
def test_what_only_ends_alike_is_not_decided(said: str) -> None:
    assert classify(said).share < 1


@pytest.mark.parametrize(
    "said",
    [
        "can it be lit from inside",
        "is it the one with the beard",
        "so do we keep the hut",
        "can't we ask the ferry people",
        "whats the price of a tile",
        "the moon is out on tuesday, who could sleep",
    ],
)
def test_what_asks_without_a_mark_is_a_question(said: str) -> None:
    assert classify(said).kind == "question"


def test_sentences_of_other_domains_are_told_apart() -> None:
    wrong = [(said, kind, classify(said)) for kind, said in SENTENCES if classify(said).kind != kind]
    assert len(wrong) <= 3, wrong


@pytest.mark.parametrize("said", ["", "   ", "?!", "x" * 70_000, "\N{PILE OF POO}" * 500, "a " * 40_000])
def test_any_text_is_judged(said: str) -> None:
    judgement = classify(said)
    assert 0 < judgement.share <= 1


def test_weights_are_small_and_of_these_texts() -> None:
    assert WEIGHTS_FILE.stat().st_size <= 200_000
    assert packaged_weights().digest == digest(), "run python -m tools.sentence_model.train"


def test_weights_are_read_as_they_were_written() -> None:
    content = WEIGHTS_FILE.read_bytes()
    assert pack_weights(unpack_weights(content)) == content
    with pytest.raises(ValueError, match="version"):
        unpack_weights(b"ALMS\xff" + content[5:])
