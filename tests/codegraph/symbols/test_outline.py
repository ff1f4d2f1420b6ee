"""Test the definitions that are found in a file."""

import pytest

from codegraph.languages.names import OUTLINED
from codegraph.symbols.outline import MAX_DEFINITIONS, outline
from codegraph.symbols.outlines import Definition
from tests.codegraph.symbols.samples import SAMPLES


def only(path: str, text: str, name: str) -> Definition:
    (found,) = [each for each in outline(path, text).definitions if each.name == name]
    return found


@pytest.mark.parametrize("path", SAMPLES)
def test_each_language_shows_what_it_defines(path: str) -> None:
    text, wanted = SAMPLES[path]
    found = outline(path, text)
    rows = [f"{each.line} {each.kind} {each.qualified}{' +' * each.exported}" for each in found.definitions]
    assert rows == wanted.strip().split("\n")
    assert (found.parsed, found.errors, found.left_out) == (True, 0, 0)


def test_there_is_a_sample_of_every_language() -> None:
    assert {outline(path, text).language for path, (text, _) in SAMPLES.items()} == OUTLINED


@pytest.mark.parametrize(
    ("path", "text", "signature"),
    [
        ("a.py", "async def f(a: int,\n            b={}) -> dict:\n    pass\n", "async def f(a: int, b={}) -> dict"),
        ("a.ts", "export const f = async (a: { b: 1 }): X => {\n}\n", "export const f = async (a: { b: 1 }): X"),
        ("a.go", "type f struct {\n\tA int\n}\n", "type f struct"),
        (
            "a.java",
            'class A {\n  @X(a = "(") @Y\n  public int f(\n     int a) throws B {}\n}\n',
            "public int f( int a) throws B",
        ),
        ("a.rs", "#[inline]\npub fn f<T>(a: T) -> T\nwhere T: Copy { a }\n", "pub fn f<T>(a: T) -> T where T: Copy"),
        ("a.js", "const f = {\n  a: 1,\n}\n", "const f"),
        ("a.py", "f = [\n    1,\n]\n", "f = ["),
        ("a.c", "#define f(a) \\\n  (a)\n", "#define f(a) \\"),
    ],
)
def test_a_signature_is_one_line_up_to_the_body(path: str, text: str, signature: str) -> None:
    assert only(path, text, "f").signature == signature


def test_a_signature_is_bounded() -> None:
    text = f"def f({', '.join(f'argument_{n}' for n in range(500))}):\n    pass\n"
    assert len(only("a.py", text, "f").signature) == 300


@pytest.mark.parametrize(
    ("path", "text", "doc"),
    [
        ("a.py", 'def f():\n    r"""Finds \\d.\n\n      more\n    end\n    """\n', "Finds \\d.\n\n  more\nend"),
        ("a.py", "# One.\n# Two.\nf = 1\n", "One.\nTwo."),
        ("a.ts", "/**\n * Finds.\n * @param a what\n */\n@Decorated()\nexport class f {}\n", "Finds.\n@param a what"),
        ("a.go", "// f finds.\n//go:noinline\nfunc f() {}\n", "f finds."),
        ("a.rs", "/// Finds.\n#[inline]\n#[cold]\nfn f() {}\n", "Finds."),
        ("a.java", "class A {\n  /** Finds. */\n  @X\n  void f() {}\n}\n", "Finds."),
        ("a.rb", "# Finds.\ndef f; end\n", "Finds."),
        ("a.c", "/* Finds. */\nint f(void) { }\n", "Finds."),
        ("a.go", "// Of something else.\n\nfunc f() {}\n", ""),
        ("a.js", "/* eslint-disable */\nfunction f() {}\n", ""),
        ("a.js", "// Of the class.\nclass A { f() {} }\n", ""),
        ("a.py", "#!/usr/bin/env python\nf = 1\n", ""),
    ],
)
def test_a_doc_comment_belongs_to_what_stands_below_it(path: str, text: str, doc: str) -> None:
    assert only(path, text, "f").doc == doc


def test_decorators_are_part_of_a_definition_and_do_not_move_its_line() -> None:
    found = only("a.py", "x = 1\n@a(\n    b,\n)\n@c\ndef f():\n    pass\n", "f")
    assert (found.start_line, found.line, found.end_line) == (2, 6, 7)
    found = only("a.java", "class A {\n  // Why.\n  @B\n  @C\n  int f() {\n  }\n}\n", "f")
    assert (found.doc_line, found.start_line, found.line, found.end_line) == (2, 3, 5, 6)


def test_definitions_of_one_name_are_all_listed() -> None:
    text = "if a:\n    def f(): pass\nelse:\n    def f(): pass\n"
    assert [each.line for each in outline("a.py", text).definitions] == [2, 4]


def test_a_broken_file_shows_what_stands_around_the_error() -> None:
    found = outline("a.py", "def before(): pass\ndef (((\nclass After:\n    def f(self): pass\n")
    assert {"before", "f"} <= {each.name for each in found.definitions}
    assert found.parsed
    assert found.errors > 0


@pytest.mark.parametrize(("path", "language"), [("a.md", "markdown"), ("a.sql", "sql"), ("unknown", "text")])
def test_a_language_without_a_parser_has_no_outline(path: str, language: str) -> None:
    found = outline(path, "def f(): pass\n")
    assert (found.language, found.parsed, found.definitions) == (language, False, ())


def test_a_file_that_is_too_large_is_not_parsed() -> None:
    assert not outline("a.py", "a = 1\n" * 200_000).parsed


def test_definitions_beyond_the_bound_are_counted() -> None:
    text = "".join(f"def f{n}(): pass\n" for n in range(MAX_DEFINITIONS + 5))
    found = outline("a.py", text, cpu=lambda: 0.0)
    assert (len(found.definitions), found.left_out) == (MAX_DEFINITIONS, 5)


def test_definitions_that_are_too_deep_are_counted() -> None:
    text = "".join(f"{' ' * n}class A{n}:\n" for n in range(40)) + " " * 40 + "pass\n"
    found = outline("a.py", text)
    assert (len(found.definitions), found.left_out) == (32, 8)


def test_many_names_of_one_statement_stand_beside_each_other() -> None:
    names = [f"a{n}" for n in range(60)]
    found = outline("A.java", f"class A {{\n  int {', '.join(names)};\n}}\n")
    assert [each.qualified for each in found.definitions] == ["A", *(f"A.{name}" for name in names)]


def test_lines_are_those_of_line_feeds_alone() -> None:
    assert only("a.py", "a = '\u2028\x0c'\r\ndef f(): pass\r\n", "f").line == 2
