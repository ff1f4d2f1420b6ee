"""Values between definitions are found by their names."""

import pytest

from almanac.families.code.chunks.chunk import Chunk, part_of
from almanac.families.code.chunks.pieces import PIECE_LINES
from almanac.families.code.chunks.settings import MAX_NAME, MAX_NAMES
from almanac.families.code.chunks.splitter import MOST_SMALL, VALUE_LINES, chunks_of
from codegraph import outline
from tests.cpu_time import takes_under


def cut(path: str, text: str) -> list[Chunk]:
    return list(chunks_of(path, text, outline(path, text)).chunks)


@pytest.mark.parametrize(
    ("path", "text", "names"),
    [
        ("a.py", "LIMIT = 3\nsize: int = 4\nname: str\n", ("LIMIT", "size", "name")),
        ("a.go", "const (\n\tone = iota\n\ttwo\n)\n", ("one", "two")),
        ("a.rs", "pub const MOST: u32 = 1;\nstatic LEAST: u8 = 2;\n", ("MOST", "LEAST")),
        ("a.ts", "export const limit = 1\nlet other = 2\n", ("limit", "other")),
        ("a.c", "#define MOST 3\nint least = 2;\n", ("MOST", "least")),
        ("a.rb", "LIMIT = 1\n", ("LIMIT",)),
        ("a.json", '{\n  "port": 80,\n  "log": {"level": 3}\n}\n', ("port", "log")),
        ("a.yaml", "server:\n  port: 80\n  - name: x\n# a: b\n  - http://x\n", ("server", "port", "name")),
        ("a.toml", "[tool.lint]\nline-length = 120\n[[more]] # b\n", ("tool.lint", "line-length", "more")),
        ("a.ini", "[main]\nkey=1\nother : 2\n; no = 1\n", ("main", "key", "other")),
        (".env", "export DB_URL=postgres://x\nFoo: bar\nA == b\n", ("DB_URL",)),
        ("Dockerfile", "FROM x:1\nENV PORT=80\nRUN a=1 b\n", ("PORT",)),
        ("Makefile", "CC := gcc\nLD ?= ld\nall: x\n", ("CC", "LD")),
        ("a.sh", "FOO=1\nexport BAR=2\nif [ x == y ]; then :; fi\n", ("FOO", "BAR")),
        ("a.kt", "private val most: Int = 3\n", ("most",)),
        ("a.php", "$limit = 1;\n", ("limit",)),
        ("a.txt", "Note: this is prose.\n", ()),
        ("a.sql", "total = 1\n", ()),
        ("a.toml", f"{' ' * 300}far = 1\n", ()),
    ],
)
def test_what_a_line_sets(path: str, text: str, names: tuple[str, ...]) -> None:
    (only,) = cut(path, text)
    assert only.sets == names
    assert only.kind == ("settings" if names else "text")
    assert part_of(only).sets == names


@pytest.mark.parametrize(
    ("path", "text", "symbol", "names"),
    [
        (
            "a.py",
            "class A:\n    size = 1\n    RED: int = 2\n    def f(self):\n        more = 1\n",
            "A",
            ("size", "RED"),
        ),
        ("a.ts", "enum Color {\n  Red,\n  Green = 3,\n}\n", "Color", ("Red", "Green")),
        ("a.go", "type S struct {\n\tSize int\n}\n", "S", ()),
        ("a.go", "var d = S{\n\tTimeout: 5,\n}\n", "d", ("d", "Timeout")),
        ("a.py", 'TABLE = {\n    "one": 1,\n    "two": 2,\n}\n', "TABLE", ("TABLE", "one", "two")),
        ("a.py", "def f():\n    LIMIT = 1\n    return LIMIT\n", "f", ()),
    ],
)
def test_what_definitions_set(path: str, text: str, symbol: str, names: tuple[str, ...]) -> None:
    sets = {each.symbol: each.sets for each in cut(path, text) if each.kind != "values"}
    assert sets[symbol] == names


def test_the_title_of_settings_is_their_names_and_that_of_a_definition_stays() -> None:
    titles = {each.kind: part_of(each).title for each in cut("src/conf.py", "ONE = 1\n\n\nclass A:\n    two = 2\n")}
    assert titles == {"settings": "ONE conf", "class": "A class A conf", "values": "two A conf"}


def test_values_stand_apart_from_what_is_around_them() -> None:
    text = "import os\nimport sys\n\nfrom a import b\n\nLIMIT = 3\n\n# No more.\n\nOTHER = 4\n\nprint(os)\nprint(b)\n"
    rows = [(each.kind, each.start_line, each.end_line, each.sets) for each in cut("a.py", text)]
    assert rows == [
        ("text", 1, 4, ()),
        ("settings", 6, 6, ("LIMIT",)),
        ("text", 8, 8, ()),
        ("settings", 10, 10, ("OTHER",)),
        ("text", 12, 13, ()),
    ]


def test_a_long_run_of_values_is_cut_and_each_piece_has_its_own_names() -> None:
    found = cut("a.py", "".join(f"value_{n} = {n}\n" for n in range(50)))
    assert [(each.start_line, each.end_line) for each in found] == [(1, 20), (21, 40), (41, 50)]
    assert [each.sets[0] for each in found] == ["value_0", "value_20", "value_40"]
    assert all(len(each.sets) <= VALUE_LINES for each in found)
    assert len({part_of(each).name for each in found}) == 3


def test_a_file_of_very_many_values_is_cut_as_other_text_is() -> None:
    lines = PIECE_LINES * MOST_SMALL
    found = cut("a.toml", "".join(f"value_{n} = {n}\n" for n in range(lines)))
    assert len(found) == MOST_SMALL
    assert all(each.kind == "settings" and len(each.sets) == MAX_NAMES for each in found)
    assert all(len(part_of(each).title) <= 400 + len(" a") for each in found)


def test_names_keep_the_id_of_settings_when_they_move_and_are_told_apart() -> None:
    def names_of_parts(text: str) -> list[str]:
        return [part_of(each).name for each in cut("a.py", text) if each.sets]

    assert names_of_parts("ONE = 1\n") == names_of_parts("import os\n\n\ndef f():\n    pass\n\n\nONE = 1\n")
    assert len(set(names_of_parts("def f():\n    pass\n\nONE = 1\n\nprint()\n\nONE = 2\n"))) == 2


def test_names_are_bounded_and_a_hostile_line_takes_no_time() -> None:
    (many,) = cut("a.ts", f"enum All {{ {', '.join(f'Member{n}' for n in range(MAX_NAMES + 9))} }}\n")
    assert len(many.sets) == MAX_NAMES
    (long,) = cut("a.toml", f"{'a' * (MAX_NAME + 1)} = 1\nb = 2\n")
    assert long.sets == ("b",)
    lines = "\n".join(["static " * 5_000, "a." * 9_000, "x : " * 9_000, " " * 30_000, "[" * 9_000] * 20)
    assert takes_under(2, lambda: cut("a.yaml", lines))
