"""The language of a file."""

import pytest

from codegraph.languages.names import OUTLINED, language_of
from codegraph.languages.parser import grammar
from codegraph.symbols.grammars import GRAMMARS


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("src/App.PY", "python"),
        ("a/b.d.ts", "typescript"),
        ("a/View.tsx", "tsx"),
        ("lib/x.mjs", "javascript"),
        ("main.rs", "rust"),
        ("Gemfile", "ruby"),
        ("Dockerfile.dev", "dockerfile"),
        ("docs/README.md", "markdown"),
        ("LICENSE", "text"),
        ("data.unheard", "text"),
        (".gitignore", "text"),
        ("", "text"),
    ],
)
def test_a_file_is_known_by_its_name(path: str, language: str) -> None:
    assert language_of(path) == language


@pytest.mark.parametrize(
    ("head", "language"),
    [
        ("#!/usr/bin/env python3\n", "python"),
        ("#!/usr/bin/python3.12 -u\n", "python"),
        ("#!/usr/bin/env -S deno run\n", "typescript"),
        ("#!/bin/sh\n", "bash"),
        ("#!/opt/unheard\n", "text"),
        ("# no shebang: python\n", "text"),
    ],
)
def test_a_file_without_a_telling_name_is_known_by_its_first_line(head: str, language: str) -> None:
    assert language_of("bin/tool", head) == language


def test_a_telling_name_counts_more_than_the_first_line() -> None:
    assert language_of("tool.rb", "#!/usr/bin/env python3\n") == "ruby"


def test_a_header_is_cpp_only_where_it_says_so() -> None:
    assert language_of("a.h", "int f(void);\n") == "c"
    assert language_of("a.h", "#pragma once\nnamespace a {\nint f();\n}\n") == "cpp"
    assert language_of("a.h", "/* a class of numbers */\nstruct a { int b; };\n") == "c"


def test_every_language_that_is_outlined_has_a_grammar_and_a_query() -> None:
    assert GRAMMARS.keys() == OUTLINED
    for language in OUTLINED:
        assert grammar(language).node_kind_count > 0
