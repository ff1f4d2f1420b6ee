"""The terms of texts and of questions."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from almanac.search.analysis.words import (
    MAX_CHARACTERS,
    MAX_TERMS,
    compounds_of,
    question_terms,
    split_names,
    terms_in,
    terms_of,
)


def test_words_are_stemmed_in_lower_case_and_stop_words_left_out():
    assert terms_of("The dogs were running to a Café.") == ["dog", "were", "run", "cafe"]


def test_a_contraction_is_the_word_that_it_shortens():
    assert terms_of("He won't, I can't, they didn't; Ann's, we've") == ["he", "can", "did", "ann", "we"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("rm -rf build", ["rm", "-rf", "rf", "build"]),
        ("C++ and c#", ["c++", "c", "c#", "c"]),
        ("see src/getUserName.py:", ["see", "src/getusername.py", "src", "getusernam", "get", "user", "name", "py"]),
        ("`foo_bar`", ["foo_bar", "foo", "bar"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("a && b", ["&&", "b"]),
        ("x != y -> z", ["x", "!=", "y", "->", "z"]),
        ("v1.2.3", ["v1.2.3", "v1", "2", "3"]),
        ("ann@example.org", ["ann@example.org", "ann", "exampl", "org"]),
        ("great 🎉!", ["great", "🎉"]),
        ("日本語", ["日", "本", "語", "日本", "本語"]),
        ("well... so—so", ["well", "so", "so"]),
        ("- one\n* two -- ...", ["one", "two"]),
    ],
)
def test_identifiers_are_terms_as_they_are_written_and_by_their_parts(text: str, found: list[str]):
    assert terms_of(text) == found


def test_a_question_leaves_out_what_questions_are_asked_with():
    assert question_terms("What did Caroline say about the support group?", 100) == ["carolin", "support", "group"]


def test_a_question_of_only_such_words_keeps_what_is_indexed():
    assert question_terms("Who are you?", 100) == ["who", "you"]


def test_may_is_a_month():
    assert "may" in question_terms("What was in May?", 100)


def test_terms_of_a_question_are_different_and_bounded():
    assert question_terms("red red green blue", 2) == ["red", "green"]


def test_compounds_are_among_the_terms():
    text = "run `rm -rf` in src/main.py, not self-care's C++"
    assert compounds_of(text) == ["-rf", "src/main.py", "self-care", "c++"]
    assert set(compounds_of(text)) <= set(terms_of(text))


def test_names_are_taken_apart_for_models():
    assert split_names("getUserName of HTTPServer, snake_case") == "get User Name of HTTP Server, snake case"


@pytest.mark.parametrize("hostile", ["a", "aB", "a-", "a'", "東", "\ufdfa", "( ", "_", "🎉", "'"])
def test_a_huge_text_is_read_as_far_as_it_counts(hostile: str):
    text = hostile * 600_000

    assert terms_of(text) == terms_of(text[:MAX_CHARACTERS])


def test_a_text_has_no_more_different_terms_than_its_bound():
    assert 0.9 * MAX_TERMS < len(set(terms_of(" ".join(f"word{number}" for number in range(20_000))))) <= MAX_TERMS


@given(st.text())
def test_what_is_asked_is_found_in_the_text_itself(text: str):
    assert set(question_terms(text, 10_000)) <= set(terms_of(text))


@given(st.text(), st.text())
def test_terms_of_a_text_are_those_of_its_parts(one: str, other: str):
    assert terms_of(f"{one} {other}") == terms_of(one) + terms_of(other)


@pytest.mark.parametrize("name", ["aB", "ABcd", "HTTPServer", "x1Y", "A1", "ABc", "Abc", "abc", "a", "XMLHttpRequest2"])
def test_exactly_the_names_that_have_humps_are_taken_apart(name: str):
    for before, behind in (("", ""), ("é", " "), (".", "_"), ("_", "é")):
        parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+", name)
        has_humps = re.search(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2}", name)
        said = f"{before}{' '.join(parts) if has_humps else name}{behind}".replace("_", " ")
        assert split_names(f"{before}{name}{behind}") == said


def test_words_that_questions_are_asked_with_do_not_count() -> None:
    assert terms_in("What did they say about the deploys?") == {"deploy"}
