"""Test the data that is derived from documents."""

import numpy as np
import pytest

from almanac.search.analysis.derivation import Deriver, text_of
from almanac.search.port import CONTEXT_BYTES, MAX_PIECES, Document
from tests.doubles.embedders import StateEmbedder, WordEmbedder
from tests.unit.search.samples import note, turns

RAILWAY = "What is the transcontinental railway?"
MAY_8 = 1_683_554_160_000


def test_a_turn_is_read_with_its_day_and_its_speaker():
    (turn,) = turns("Caroline: I went to a support group", at=MAY_8)

    assert text_of(turn).indexed == "[08 May 2023] Caroline: I went to a support group"


def test_a_turn_without_day_or_speaker_is_its_text_alone():
    assert text_of(turns("hello")[0]).indexed == "hello"


def test_a_day_beyond_the_calendar_is_left_out():
    assert text_of(turns("hello", at=10**18)[0]).indexed == "hello"


def test_an_entry_counts_terms_and_keeps_pieces_that_say_something():
    static = WordEmbedder(["Fruit apples what the are"])
    entry = Deriver(static).entry(note("n", "What the apples are: apples!", title="Fruit"))

    assert dict(entry.text.terms) == {"what": 1, "appl": 2}
    assert entry.text.length == 3
    assert dict(entry.title.terms) == {"fruit": 1}
    # Meaning is read with the title before the text.
    assert [static.words[piece] for piece in np.frombuffer(entry.text.pieces, "<u2")] == ["fruit", "apples", "apples"]
    assert entry.text.kept == 3
    assert np.linalg.norm(np.frombuffer(entry.text.vector, "<f2").astype(float)) == pytest.approx(1, abs=0.01)


def test_without_an_embedder_words_alone_are_derived():
    entry = Deriver(None).entry(note("n", "apples"))

    assert (entry.text.pieces, entry.text.vector, entry.embedder) == (b"", b"", "")
    assert dict(entry.text.terms) == {"appl": 1}


def test_of_a_long_text_the_first_pieces_are_kept_and_all_counted():
    text = " ".join(f"w{number}" for number in range(1000))
    entry = Deriver(WordEmbedder([text])).entry(note("n", text))

    assert len(entry.text.pieces) == 2 * MAX_PIECES
    assert entry.text.kept == 1000
    assert entry.text.length == 1000


def test_a_context_has_bits_for_each_kept_piece():
    static = WordEmbedder(["Fruit", "What are apples?"])
    deriver = Deriver(static)
    documents = [note("a", "What are apples?", title="Fruit"), note("b", "")]

    first, second = deriver.context(documents, StateEmbedder(static))

    assert len(first.text.bits) == CONTEXT_BYTES * deriver.entry(documents[0]).text.kept
    assert len(first.text.vector) == 2 * 384
    assert (second.id, second.text.bits, second.text.vector) == ("b", b"", b"")


def test_a_turn_that_asks_and_the_names_in_it_are_known():
    entry = Deriver(None).entry(turns("Ann: Did you see Paris, or Rome? ")[0])

    assert (entry.asks, entry.names) == (True, 2)


def test_names_of_code_are_taken_apart_for_meaning():
    static = WordEmbedder(["get user name return"])
    symbol = Document(id="c", kind="symbol", profile="code", version=1, title="getUser", text="return user_name")

    pieces = np.frombuffer(Deriver(static).entry(symbol).text.pieces, "<u2")

    assert [static.words[piece] for piece in pieces] == ["get", "user", "return", "user", "name"]


def test_a_question_weighs_pieces_by_the_words_that_they_lie_in():
    asked = Deriver(WordEmbedder([RAILWAY])).parse_question(RAILWAY, "documents")

    assert asked.question.terms == ("transcontinent", "railway")
    assert asked.pieces is not None
    assert asked.pieces.texts == ["what", "is", "the", "transconti", "##nental", "railway", "?"]
    assert asked.pieces.terms.tolist() == [-1, -1, -1, 0, 0, 1, -1]
    assert asked.pieces.factors.round(1).tolist() == np.array([0.1, 0.1, 0.1, 1, 1, 1, 0.1], np.float32).tolist()


def test_a_question_says_what_it_asks_for():
    asked = Deriver(None).parse_question("Which book did Ann mention in src/main.py on 8 May 2023?", "talk")

    assert asked.asks_name
    assert "ann" in asked.words
    assert [asked.question.terms[place] for place in asked.compounds] == ["src/main.py"]
    assert len(asked.dates) == 1
    assert asked.pieces is None
