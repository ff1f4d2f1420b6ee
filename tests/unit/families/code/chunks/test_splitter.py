"""Test the parts of a file that search finds."""

import pytest

from almanac.families.code.chunks.chunk import Chunk, part_of
from almanac.families.code.chunks.pieces import PIECE_CHARACTERS, PIECE_LINES
from almanac.families.code.chunks.splitter import MAX_CHUNKS, chunks_of
from codegraph import outline

CODE = '''"""Keeps things in order."""

import os

LIMIT = 3
TABLE = {
    "a": 1,
}


# Why a store.
@decorated
class Store:
    """Keeps things."""

    size: int = 0

    def put(self, key):
        """Puts a key."""
        return os.fspath(key)

    total: int = 0


print(LIMIT)
'''


def cut(path: str, text: str) -> list[Chunk]:
    return list(chunks_of(path, text, outline(path, text)).chunks)


def ids(path: str, text: str) -> dict[str, str]:
    """Return the parts by symbol, or else by the first line."""
    return {each.symbol or each.text.split("\n")[0]: part_of(each).name for each in cut(path, text)}


def test_a_file_is_cut_into_definitions_and_what_is_left() -> None:
    rows = [(each.symbol, each.kind, each.start_line, each.end_line) for each in cut("a.py", CODE)]
    assert rows == [
        ("", "text", 1, 3),
        ("", "settings", 5, 5),
        ("TABLE", "constant", 6, 8),
        ("Store", "class", 11, 22),
        ("Store.put", "method", 18, 20),
        ("", "text", 25, 25),
        ("Store", "values", 16, 22),
    ]


def test_each_line_stands_in_one_chunk() -> None:
    texts = {each.symbol: each.text for each in cut("a.py", CODE) if each.symbol}
    assert "total" in texts["Store"]
    assert "fspath" not in texts["Store"]
    assert "fspath" in texts["Store.put"]


def test_doc_comments_are_part_of_what_is_searched() -> None:
    (put,) = [part_of(each) for each in cut("src/a.py", CODE) if each.symbol == "Store.put"]
    assert put.title == "Store.put def put(self, key) a"
    assert put.text.startswith("Puts a key.\n")
    assert "fspath" in put.text
    assert (put.kind, put.start, put.end) == ("method", 18, 20)
    (store,) = [part_of(each) for each in cut("src/a.py", CODE) if each.kind == "class"]
    assert store.text.count("Why a store.") == 0, "a docstring counts more than the comment above"
    assert store.text.startswith("Keeps things.")


def test_ids_stay_when_something_else_in_the_file_is_edited() -> None:
    edited = CODE.replace("import os\n", "import os\nimport sys\n\n\ndef before():\n    pass\n")
    edited = edited.replace("return os.fspath(key)", "return os.fspath(key) or None")
    before, after = ids("a.py", CODE), ids("a.py", edited)
    assert {name: after[name] for name in before} == before


def test_no_two_chunks_of_a_file_have_the_same_name() -> None:
    text = "def f():\n    a = 1\n\n\nprint(f)\n\n\ndef f():\n    a = 2\n\n\nprint(f)\n" * 3
    found = cut("a.py", text)
    assert len({part_of(each).name for each in found}) == len(found)


def test_a_long_definition_is_cut_into_parts_and_only_the_first_has_its_doc() -> None:
    body = "".join(f"    value_{n} = {n}\n" for n in range(150))
    parts = cut("a.py", f'def f():\n    """Much."""\n{body}')
    assert [each.part for each in parts] == [0, 1, 2]
    assert [each.doc for each in parts] == ["Much.", "", ""]
    assert all(each.text.count("\n") < PIECE_LINES for each in parts)
    assert [(each.start_line, each.end_line) for each in parts] == [(1, 60), (61, 120), (121, 152)]


def test_a_very_long_line_is_cut() -> None:
    parts = cut("a.txt", "word " * 4_000)
    assert len(parts) == 5
    assert all(len(each.text) <= PIECE_CHARACTERS for each in parts)
    assert len({part_of(each).name for each in parts}) == 5


def test_definitions_that_share_a_line_are_all_found() -> None:
    found = cut("a.js", "function one() {} function two() {}\n")
    assert {each.symbol for each in found} == {"one", "two"}
    assert all("function" in part_of(each).title for each in found)


def test_single_values_are_found_with_those_around_them() -> None:
    _, values = cut("a.go", "package a\n\nconst One = 1\n\nvar two = 2\n")
    assert (values.symbol, values.kind, values.start_line, values.end_line) == ("", "settings", 3, 5)
    assert values.sets == ("One", "two")
    assert part_of(values).title == "One two a"


def test_markdown_is_cut_at_headings() -> None:
    text = "Hello there.\n\n# Install\n\nRun it.\n\n```sh\n# no heading\n```\n\n## From source\n\nBuild it.\n"
    text += "\n# Use\n\nSay so.\n"
    found = [(each.symbol, each.kind, each.start_line) for each in cut("README.md", text)]
    assert found == [
        ("", "section", 1),
        ("Install", "section", 3),
        ("Install > From source", "section", 11),
        ("Use", "section", 15),
    ]


def test_restructured_text_is_cut_at_headings() -> None:
    text = "Guide\n=====\n\nHello.\n\nUse\n---\n\nSay so.\n\nMore\n====\n\nEnd.\n"
    assert [each.symbol for each in cut("guide.rst", text)] == ["Guide", "Guide > Use", "More"]


def test_sections_of_one_name_are_told_apart() -> None:
    found = cut("a.md", "# A\n\none one\n\n# A\n\ntwo two\n")
    assert len({part_of(each).name for each in found}) == 2


@pytest.mark.parametrize("text", ["", "\n\n\n", "{\n}\n", "\0\0\n"])
def test_what_has_no_word_is_not_searched(text: str) -> None:
    assert cut("a.js", text) == []


def test_chunks_beyond_the_bound_are_counted() -> None:
    text = "".join(f"def f{n}(): pass\n" for n in range(MAX_CHUNKS + 7))
    found = chunks_of("a.py", text, outline("a.py", text, cpu=lambda: 0.0))
    assert (len(found.chunks), found.left_out) == (MAX_CHUNKS, 7)


def test_a_file_that_does_not_parse_is_searched_as_text() -> None:
    (only,) = cut("a.js", "function broken() {" * 400)[:1]
    assert (only.symbol, only.kind, only.language) == ("", "text", "javascript")
    assert "broken" in only.text
