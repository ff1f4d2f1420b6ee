"""Hostile text: bounded in time, and never an end of the process."""

from itertools import count

import pytest
from tree_sitter import Parser

from codegraph.languages.names import OUTLINED
from codegraph.languages.parser import grammar, parse_tree
from codegraph.symbols.outline import outline
from tests.cpu_time import takes_under

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
    assert takes_under(4, lambda: outline(f"a.{EXTENSIONS[language]}", text))


def test_text_that_leaves_much_open_is_not_parsed() -> None:
    assert parse_tree("javascript", b"function f() {" * 400) is None
    assert parse_tree("javascript", b"function f() {" * 200 + b"}" * 200) is not None


def test_parsing_is_given_up_when_its_time_is_over() -> None:
    seconds = count(0, 10)
    assert parse_tree("python", b"a = 1\n" * 20_000, lambda: next(seconds)) is None
    assert parse_tree("python", b"a = 1\n" * 20_000, lambda: 0) is not None


@pytest.mark.parametrize("value", ['"' + "QUJD+/" * 2_000 + '"', "'a' | " * 1_000 + "'b'"])
def test_a_very_long_statement_does_not_take_its_neighbours_with_it(value: str) -> None:
    text = f"export function before() {{}}\nconst middle = {value}\nexport function after() {{}}\n"
    found = outline("a.ts", text)
    assert {each.name for each in found.definitions} == {"before", "middle", "after"}


def test_a_tree_has_the_places_of_the_text() -> None:
    source = ("const a = '" + "ä+" * 1_000 + "'\nfunction f() {}\n").encode()
    tree = parse_tree("javascript", source)
    assert tree is not None
    assert tree.root_node.end_byte == len(source)


def test_a_long_statement_keeps_its_brackets() -> None:
    calls = " + ".join(f"call({number})" for number in range(300))
    found = outline("a.js", f"function outer() {{\n  return given({calls}\n  )\n}}\nfunction after() {{}}\n")
    assert [each.qualified for each in found.definitions] == ["outer", "after"]


GET = """\
export interface Get<E> {
  path: string
  <P extends string>(path: P): Get<E>

  // With handlers, and
  // a comment above.
  <P extends string, R = { a: E }>(
    path: P,
    handler: Handler<R>
  ): Get<E>
  /** Quietly. */
  <P>(path: P, quiet: "yes" | "no"): void
  on<T>(event: T): void
}

export class After<T> {
  go(): T {}
}
"""


@pytest.mark.parametrize("path", ["a.ts", "a.tsx", "a.d.ts"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_members_that_begin_with_their_type_parameters_do_not_end_an_interface(path: str, end: str) -> None:
    found = outline(path, GET.replace("\n", end))
    rows = [(each.qualified, each.kind, each.line, each.end_line) for each in found.definitions]
    assert rows == [
        ("Get", "interface", 1, 14),
        ("Get.path", "field", 2, 2),
        ("Get.a", "field", 7, 7),
        ("Get.on", "method", 13, 13),
        ("After", "class", 16, 18),
        ("After.go", "method", 17, 17),
    ]
    assert not found.errors


def test_members_of_a_type_that_begin_with_their_type_parameters_are_told_apart() -> None:
    found = outline("a.ts", "type A = {\n  one: Map<string>\n  <T>(x: T): T\n  two: string\n}\nfunction after() {}\n")
    assert [(each.qualified, each.end_line) for each in found.definitions] == [
        ("A", 5),
        ("A.one", 2),
        ("A.two", 4),
        ("after", 6),
    ]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.ts", "const less = first\n  <second\nconst cast = (\n  <T>value\n)\nfunction after() {}\n"),
        ("a.ts", "export type F =\n  <T>(x: T) => T\nexport const f =\n  <T>(x: T): T => x\nfunction after() {}\n"),
        (
            "a.tsx",
            "function A() {\n  return (\n    <p>\n      <b>1</b>\n      <i>2</i>\n    </p>\n  )\n}\n",
        ),
        ("a.tsx", "function A() {\n  return <p>\n    one\n    <b>two</b>\n  </p\n}\n"),
    ],
)
def test_lines_that_go_on_with_a_sign_stay_as_they_are(path: str, text: str) -> None:
    tree = parse_tree("tsx" if path.endswith("x") else "typescript", text.encode())
    assert tree is not None
    plain = Parser(grammar("tsx" if path.endswith("x") else "typescript")).parse(text.encode())
    assert str(tree.root_node) == str(plain.root_node)


def test_both_passes_over_such_a_file_share_their_time() -> None:
    source = (GET * 200).encode()
    ticks = count(0, 1e-4)
    assert parse_tree("typescript", source, lambda: next(ticks)) is not None
    assert takes_under(4, lambda: outline("a.ts", "interface A {\n" + "  a\n  <T\n" * 50_000))
