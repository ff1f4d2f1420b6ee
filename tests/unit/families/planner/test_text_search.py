"""Test the meaning of search queries and the texts that they find."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from almanac.families.planner.search.text import excerpt_of, fold, matches, phrases_of
from almanac.kernel.errors import InvalidInput
from almanac.search.analysis.exact_words import exact_words_of

TEXT = "Run `rm -rf build/` for C++ in src/app.py, see #123, ask user@example.com; a-b ≠ a_b. 東京タワー Straße №5 🙂"

FOUND = [
    "rm -rf",
    '"rm -rf build"',
    "c++",
    "C++",
    "++",
    "src/app.py",
    "app.py",
    "py",
    "#123",
    "123",
    "12",
    "user@example.com",
    "example.com",
    "USER",
    "a-b",
    "a_b",
    "≠",
    "京タ",
    "東京",
    "strasse",
    "STRASSE",
    "no5",
    "🙂",
    "build/",
    "py user 東",
]
NOT_FOUND = ["serve", "app.pyc", "#1234", '"rf rm"', "-fr", "d++", "uild", "a+b", "ser@example", "東 大", "🙃"]


@pytest.mark.parametrize("query", FOUND)
def test_identifiers_are_found_as_they_are_written(query: str):
    assert matches(phrases_of(query), [TEXT.replace("`", "")])


@pytest.mark.parametrize("query", NOT_FOUND)
def test_what_is_not_written_there_is_not_found(query: str):
    assert not matches(phrases_of(query), [TEXT.replace("`", "")])


def test_each_word_may_stand_in_another_text():
    assert matches(phrases_of("plan garden"), ["The plan", "of the Garden"])
    assert not matches(phrases_of('"plan garden"'), ["The plan", "of the Garden"])


@pytest.mark.parametrize("query", ["", "   ", "\n\t", '" "'])
def test_a_query_of_nothing_is_no_query(query: str):
    assert phrases_of(query) == ()
    assert matches(phrases_of(query), ["anything"])


def test_a_query_that_is_a_text_of_its_own_is_refused():
    with pytest.raises(InvalidInput, match="1001 characters"):
        phrases_of("a" * 1001)


def test_a_word_over_32_characters_is_found_whole_and_by_its_beginning():
    word = "x" * 40 + "y"

    for query in (word, word[:35], word[:32], word[:5]):
        (term,) = phrases_of(query)
        assert matches([term], [f"see {word} there"])
        assert set(term.words) <= exact_words_of([word])
    assert not matches(phrases_of("x" * 42), [word])


def test_an_excerpt_shows_where_the_word_is():
    text = "begin " + "filler " * 100 + "the needle lies here " + "filler " * 100

    assert "needle" in excerpt_of(text, phrases_of("needle"))
    assert excerpt_of(text, phrases_of("needle")).startswith("…")
    assert excerpt_of("short", phrases_of("absent")) == "short"
    assert len(excerpt_of(text)) <= 161


letters = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=120)


@given(letters)
def test_every_token_of_a_text_is_found_in_it_and_by_its_pieces(text: str):
    pieces = exact_words_of([text])

    for token in text.split():
        for term in phrases_of(token.replace('"', "") or "x"):
            if term.text not in fold(text):
                continue  # a form that only the neighbours of the token make
            assert matches([term], [text])
            assert set(term.words) <= pieces
            assert term.prefix is None or any(piece.startswith(term.prefix) for piece in pieces)


@given(st.text("abc+-/ .1", max_size=30), st.text("abc+-/ .1", min_size=1, max_size=6))
def test_what_a_query_matches_has_its_pieces(text: str, query: str):
    """Search reads the lists of a query's pieces: none may be missing in a text that matches."""
    pieces = exact_words_of([text])
    for term in phrases_of(query):
        if matches([term], [text]):
            assert set(term.words) <= pieces
            assert term.prefix is None or any(piece.startswith(term.prefix) for piece in pieces)


@given(letters)
def test_folding_twice_is_folding_once(text: str):
    assert fold(fold(text)) == fold(text)
