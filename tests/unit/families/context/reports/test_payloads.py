"""Payloads as programs send them."""

from typing import Any

import pytest

from almanac.families.context.reports.payloads import payload_of
from almanac.families.context.reports.texts import head, plain, tail


@pytest.mark.parametrize(
    "payload",
    [
        "src/a.ts",
        {"path": "src/a.ts"},
        {"Path": " src/a.ts \r\n"},
        {"path": {"path": "src/a.ts"}},
        '{"path": "src/a.ts"}',
        {"path": None, "file": {"path": "src/a.ts"}},
        {"path": "", "other": {"path": "src/a.ts"}},
    ],
)
def test_a_text_is_found_by_its_name_wherever_it_stands(payload: Any) -> None:
    assert payload_of(payload, "path").text("path") == "src/a.ts"


def test_names_are_one_in_every_spelling_and_the_first_that_says_something_counts() -> None:
    payload = payload_of({"file_path": "a", "file-name": "b", "exitCode": "2"}, "path")
    assert payload.text("path", "filename", "filepath") == "b"
    assert payload.number("exitcode") == 2


def test_what_looks_like_an_object_and_is_none_is_a_text() -> None:
    assert payload_of("{not json", "error").text("error") == "{not json"
    assert payload_of("{" * 5000, "error").text("error") == "{" * 5000
    assert payload_of('{"a":' * 3000 + "1" + "}" * 3000, "error").text("nothing") is None


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (["one", 2, "two"], "one\ntwo"),
        (404, "404"),
        ({"message": "m", "name": "n"}, "m"),
        ("\x1b[31mred\x1b[0m", "red"),
        (True, None),
        ([], None),
        ({}, None),
        ("\u200b ", None),
    ],
)
def test_other_values_have_the_text_that_a_reader_would_see(value: Any, text: str | None) -> None:
    assert payload_of({"x": value}, "x").text("x") == text


@pytest.mark.parametrize(
    ("value", "number"),
    [(4, 4), (4.5, 4.5), ("4/5", 4), (" -1 ", -1), ("five", None), (True, None), (1e300, None), ("9" * 40, None)],
)
def test_a_number_may_be_written_as_text(value: Any, number: float | None) -> None:
    assert payload_of({"x": value}, "x").number("x") == number


def test_yes_and_no_may_be_written_as_text() -> None:
    payload = payload_of({"a": "False", "b": True, "c": "maybe"}, "x")
    assert (payload.flag("a"), payload.flag("b"), payload.flag("c"), payload.flag("d")) == (False, True, None, None)


def test_of_a_long_text_the_beginning_or_the_end_is_looked_at() -> None:
    payload = payload_of({"x": "a" + "b" * 30_000 + "c"}, "x")
    assert (payload.text("x") or "")[0] == "a"
    assert (payload.text("x", ends=True) or "")[-1] == "c"
    assert len(payload.text("x") or "") == 20_000


def test_cutting_keeps_to_bytes_and_to_whole_characters() -> None:
    assert head("ü" * 10, 9) == "ü" * 3 + "…"
    assert tail("ü" * 10, 9) == "…" + "ü" * 3
    assert (head("abc", 3), tail("abc", 3)) == ("abc", "abc")


def test_what_terminals_understand_is_taken_out() -> None:
    assert plain("\x1b]0;title\x07\x1b[1;32mok\x1b[0m\r\nnext\x1b[2K") == "ok\nnext"
