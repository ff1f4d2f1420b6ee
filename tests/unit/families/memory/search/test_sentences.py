"""Texts cut into sentences."""

import time

import pytest

from almanac.families.memory.search.sentences import MAX_CHARACTERS, sentences_of, terms_in


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("We moved. It rained!", ["We moved.", "It rained!"]),
        ('He said "go." Then we went.', ['He said "go."', "Then we went."]),
        ("Use v1.2.3 of e.g. Redis. Ask Dr. Who.", ["Use v1.2.3 of e.g. Redis.", "Ask Dr. Who."]),
        ("- one thing\n- another thing\n\n3. a third", ["one thing", "another thing", "a third"]),
        ("東京に行く。雨だった。", ["東京に行く。", "雨だった。"]),
        ("...\n---\n", []),
        ("", []),
    ],
)
def test_a_text_is_cut_at_ends_of_sentences_and_lines(text: str, sentences: list[str]) -> None:
    assert list(sentences_of(text)) == sentences


@pytest.mark.parametrize("text", ["word " * 200, "x" * 1000])
def test_what_is_too_long_comes_in_parts_and_nothing_is_lost(text: str) -> None:
    parts = list(sentences_of(text))
    assert max(map(len, parts)) <= MAX_CHARACTERS
    assert "".join("".join(parts).split()) == "".join(text.split())


@pytest.mark.parametrize("text", [" " * 20_000 + "x", "\n" * 20_000, '."' * 10_000, "!)" * 10_000, "A. " * 6_000])
def test_time_does_not_explode(text: str) -> None:
    started = time.process_time()
    list(sentences_of(text))
    assert time.process_time() - started < 1


def test_words_that_questions_are_asked_with_do_not_count() -> None:
    assert terms_in("What did they say about the deploys?") == {"deploy"}
