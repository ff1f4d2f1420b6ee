"""The estimate of tokens. What byte pair encodings count was measured apart, with o200k_base and cl100k_base."""

import json

import pytest

from almanac.families.memory.snapshot.tokens import cut_to_tokens, tokens_of, tokens_of_json
from tests.cpu_time import measure_cpu_seconds

ENGLISH = "We should not deploy on Friday, because nobody is there to look at the errors that come in over the weekend."
GERMAN = "Die Einrichtung der Serververwaltung erfordert Kenntnisse der Netzwerkkonfiguration und Benutzerrechte."
CHINESE = "今天的会议讨论了数据库迁移的计划并决定在下周完成测试。"
CODE = "def read(self, key: str) -> Item | None:\n    return self._items.get(key, None)\n"
EMOJI = "🚀🔥✅👍🎉💡🐛🧪😀😂"
ID = "01KHRJGTJ04P1TNN1VXC8J8QNS"


@pytest.mark.parametrize(
    ("text", "measured"), [(ENGLISH, 23), (GERMAN, 29), (CHINESE, 26), (CODE, 23), (EMOJI, 26), (ID, 18)]
)
def test_the_estimate_is_hardly_under_what_was_measured_and_not_far_over(text: str, measured: int) -> None:
    assert 0.97 * measured <= tokens_of(text) <= 1.45 * measured


def test_no_text_has_no_tokens_to_speak_of() -> None:
    assert tokens_of("") <= 1


def test_a_long_rule_of_one_sign_is_few_tokens() -> None:
    assert tokens_of("-" * 800) < 100


@pytest.mark.parametrize("unit", ["aB", "a1", "aB+/", "1a ", "A", "-=", '"\\\\', "\n", "é"])
def test_no_text_takes_more_than_its_length(unit: str) -> None:
    tokens, seconds = measure_cpu_seconds(lambda: tokens_of(unit * 200_000))
    assert tokens > 100
    assert seconds < 10


def test_words_of_other_languages_count_for_more_than_english_ones() -> None:
    assert tokens_of(GERMAN) / len(GERMAN) > 1.2 * tokens_of(ENGLISH) / len(ENGLISH)


def test_json_counts_what_escaping_adds() -> None:
    assert tokens_of_json({"content": '"' * 100}) > tokens_of_json({"content": "'" * 100}) // 2
    assert tokens_of_json(["\n" * 100]) > 50


def test_the_parts_of_a_json_value_come_to_about_the_whole() -> None:
    rows = [{"id": ID, "content": text, "at": 1771425000000} for text in (ENGLISH, GERMAN, CHINESE, CODE)]
    whole, parts = tokens_of_json(rows), sum(map(tokens_of_json, rows))
    assert abs(whole - parts) <= 10


@pytest.mark.parametrize(
    "text", [ENGLISH * 30, GERMAN * 30, CHINESE * 30, CODE * 30, EMOJI * 30, ID * 30, " " * 5000, '"\n' * 500]
)
@pytest.mark.parametrize("tokens", [1, 16, 17, 100, 333])
def test_a_beginning_has_no_more_tokens_than_asked_for(text: str, tokens: int) -> None:
    begun = cut_to_tokens(text, tokens)
    assert text.startswith(begun)
    assert tokens_of(json.dumps(begun, ensure_ascii=False)) <= max(tokens, tokens_of('""'))


def test_a_beginning_takes_what_it_can() -> None:
    begun = cut_to_tokens(ENGLISH * 30, 100)
    assert tokens_of(json.dumps(begun)) >= 90
    assert cut_to_tokens(ENGLISH, 1000) == ENGLISH


def test_a_beginning_ends_with_a_whole_word() -> None:
    words = set(ENGLISH.split())
    assert all(cut_to_tokens(ENGLISH, tokens).split()[-1] in words for tokens in range(8, 24))


@pytest.mark.parametrize(
    "piece", ["word", "Longerwords", "CAPITALS", " 1234", "a1b2c3d4e5f6", "({[", "\t\t", "  ", "漢字"]
)
def test_a_piece_that_comes_again_counts_as_much_as_the_first_time(piece: str) -> None:
    once = tokens_of(f"{piece};")
    assert [tokens_of(f"{piece};") for _ in range(3)] == [once] * 3
    assert tokens_of(f"{piece};" * 50) >= 25 * (once - 1)


def test_one_blank_is_no_token_and_more_of_them_are_one() -> None:
    assert tokens_of("if x") < tokens_of("if   x")
    assert tokens_of("if   x") == tokens_of("if            x")
