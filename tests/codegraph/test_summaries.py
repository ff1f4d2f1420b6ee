import msgspec
import pytest

from codegraph.extraction.summary import Summary
from codegraph.summaries import LANGUAGES
from tests.codegraph.repositories import summarise

FILES = {
    "javascript": ("import a from './m'\nclass A { run() { a.go() } }\nconst K = 1", {"A", "run", "K"}, "go", "./m"),
    "typescript": (
        "import {a} from './m'\ninterface A { x: T }\nenum E { B }\ntype T = E\na.go()",
        {"A", "E", "T"},
        "go",
        "./m",
    ),
    "tsx": ("import {a} from './m'\nconst A = () => <b>{a.go()}</b>", {"A"}, "go", "./m"),
    "go": ('package p\nimport "x/m"\ntype A struct{}\nfunc (a A) Run() { m.Go() }', {"A", "Run"}, "Go", "x/m"),
    "rust": ("use m::x;\nstruct A;\nimpl A { fn run(&self) { x::go() } }", {"A", "run"}, "go", "m"),
    "java": ("package p; import m.X; class A { void run() { X.go(); } }", {"A", "run"}, "go", "m"),
    "csharp": ("using M; namespace P { class A { void Run() { X.Go(); } } }", {"A", "Run"}, "Go", "M"),
    "ruby": ("require 'm'\nclass A\n def run\n  X.go\n end\nend", {"A", "run"}, "go", "m"),
    "c": ('#include "m.h"\nstruct A { int x; };\nint run(void) { return go(1); }', {"A", "run"}, "go", "./m.h"),
    "cpp": ("#include <m>\nclass A { void run() { x->go(); } };", {"A", "run"}, "go", "m"),
}


def test_every_language_has_a_file_here() -> None:
    assert set(FILES) == set(LANGUAGES)


@pytest.mark.parametrize("language", FILES)
def test_a_summary_lists_names_defined_names_used_and_imports(language: str) -> None:
    text, defined, used, module = FILES[language]
    summary = summarise(language, "a/b", text)
    assert defined <= set(summary.names_defined)
    assert used in summary.names_used
    assert summary.imports == [module]
    assert (summary.errors, summary.cut) == (False, False)


@pytest.mark.parametrize("language", FILES)
def test_a_summary_comes_back_from_msgpack_as_it_was(language: str) -> None:
    summary = summarise(language, "a/b", FILES[language][0])
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(summary), type=Summary) == summary


def test_a_file_that_does_not_parse_gives_what_could_be_read() -> None:
    summary = summarise("typescript", "a.ts", "function f() { g() }\nclass {{{ ) ")
    assert summary.errors
    assert "f" in summary.names_defined


def test_names_without_a_known_value_are_no_references() -> None:
    summary = summarise("typescript", "a.ts", "function f(a) { const b = a; return [a, b, other] }")
    assert [use.chain for use in summary.uses] == ["b", "other"] or [use.chain for use in summary.uses] == ["other"]


@pytest.mark.parametrize(
    ("stated", "chain"),
    [
        ("Foo", "Foo.^"),
        ("a.Foo<Bar>", "a.Foo.^"),
        ("Foo[]", "Foo.^.+[]"),
        ("Map<string, Foo>", "Foo.^.+[]"),
        ("Promise<Foo>", "Foo.^.+~"),
        ("Foo | undefined", "Foo.^"),
        ("Foo | Bar", ""),
        ("string", ""),
        ("(a: number) => Foo", ""),
        ("Readonly<Foo>", "Foo.^"),
    ],
)
def test_stated_types_are_kept_as_chains(stated: str, chain: str) -> None:
    summary = summarise("typescript", "a.ts", f"let x: {stated}")
    assert [binding.value for binding in summary.bindings if binding.name == "x"] == [chain]
