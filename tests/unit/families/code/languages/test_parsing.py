"""Hostile text: bounded in time, and never an end of the process."""

import time
from itertools import count

import pytest

from almanac.families.code.languages.names import OUTLINED
from almanac.families.code.languages.parsing import parsed
from almanac.families.code.symbols.outline import outline

EXTENSIONS = {"python": "py", "javascript": "js", "typescript": "ts", "tsx": "tsx", "rust": "rs", "go": "go"} | {
    "java": "java",
    "csharp": "cs",
    "ruby": "rb",
    "c": "c",
    "cpp": "cpp",
}
HOSTILE = {
    "deep brackets": "(" * 100_000,
    "deep and closed": "[" * 30_000 + "]" * 30_000,
    "deep blocks": "class A {" * 10_000,
    "arrows that never end": "a=>" * 2_000,
    "generics that never end": "a<" * 10_000,
    "one line of a megabyte": "x" * 999_990,
    "null bytes": "\0" * 50_000,
    "lone surrogates": "\ud800" * 1_000,
    "an open quote": '"' + "a b; " * 10_000,
    "quotes": "'" * 20_000,
    "deep indentation": "".join(" " * depth + "if a:\n" for depth in range(500)),
}


@pytest.mark.parametrize("language", sorted(OUTLINED))
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_ends_soon_in_every_language(language: str, text: str) -> None:
    began = time.thread_time()
    outline(f"a.{EXTENSIONS[language]}", text)
    assert time.thread_time() - began < 4


def test_text_that_leaves_much_open_is_not_parsed() -> None:
    assert parsed("javascript", b"function f() {" * 400) is None
    assert parsed("javascript", b"function f() {" * 200 + b"}" * 200) is not None


def test_parsing_is_given_up_when_its_time_is_over() -> None:
    seconds = count(0, 10)
    assert parsed("python", b"a = 1\n" * 20_000, lambda: next(seconds)) is None
    assert parsed("python", b"a = 1\n" * 20_000, lambda: 0) is not None


@pytest.mark.parametrize("value", ['"' + "QUJD+/" * 2_000 + '"', "'a' | " * 1_000 + "'b'"])
def test_a_very_long_statement_does_not_take_its_neighbours_with_it(value: str) -> None:
    text = f"export function before() {{}}\nconst middle = {value}\nexport function after() {{}}\n"
    found = outline("a.ts", text)
    assert {each.name for each in found.definitions} == {"before", "middle", "after"}


def test_a_tree_has_the_places_of_the_text() -> None:
    source = ("const a = '" + "ä+" * 1_000 + "'\nfunction f() {}\n").encode()
    tree = parsed("javascript", source)
    assert tree is not None
    assert tree.root_node.end_byte == len(source)


def test_a_long_statement_keeps_its_brackets() -> None:
    calls = " + ".join(f"call({number})" for number in range(300))
    found = outline("a.js", f"function outer() {{\n  return given({calls}\n  )\n}}\nfunction after() {{}}\n")
    assert [each.qualified for each in found.definitions] == ["outer", "after"]
