"""Files that are written to be slow. The work is counted by the limits that stop it, not by the clock."""

from dataclasses import replace
from typing import Any

import pytest

from codegraph import summaries
from codegraph.extraction import walker
from codegraph.resolution import resolve
from codegraph.summaries import LANGUAGES
from tests.codegraph.repositories import summarise

DEEP = 5_000
SHAPES = {
    "calls in calls": "f(" * DEEP + ")" * DEEP,
    "blocks in blocks": "{" * DEEP + "}" * DEEP,
    "a long chain": "a" + ".b" * DEEP + "()",
    "a chain of calls": "a" + ".b()" * DEEP,
    "brackets that never close": "[(<{" * DEEP,
    "one long word": "x" * 50_000,
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("shape", SHAPES)
def test_no_depth_of_a_file_is_too_deep(language: str, shape: str) -> None:
    summary = summarise(language, "a/b", SHAPES[shape])
    assert all(use.chain.count(".") <= 2 * walker.MOST_LINKS for use in summary.uses)
    resolve([summary])


def test_types_patterns_and_scopes_may_be_deep() -> None:
    for text in (
        "let x: " + "Array<" * DEEP + "A" + ">" * DEEP,
        "const " + "{a:" * DEEP + "b" + "}" * DEEP + " = c",
        "function a(){" * 1_000 + "b()" + "}" * 1_000,
        "const f = " + "() => " * DEEP + "g()",
    ):
        resolve([summarise("typescript", "a.ts", text)])


def test_values_that_hang_on_each_other_without_end_are_given_up() -> None:
    lines = [f"const a{at} = a{at + 1}.b()" for at in range(3_000)]
    assert not resolve([summarise("typescript", "a.ts", "\n".join([*lines, "a0.c()"]))]).cut


def test_many_bindings_of_one_name_cost_no_more_than_a_few() -> None:
    text = "package p\nfunc f() {\n" + "a := a.b()\n" * 3_000 + "}"
    assert not resolve([summarise("go", "a.go", text)]).cut


def test_a_file_with_too_many_uses_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walker, "MOST_USES", 50)
    summary = summarise("typescript", "a.ts", "f()\n" * 100)
    assert summary.cut
    assert len(summary.uses) <= 52


@pytest.mark.parametrize(("limit", "line"), [("MOST_NODES", "f()\n"), ("MOST_BINDINGS", "let a = 1\n")])
def test_a_file_with_too_many_nodes_or_definitions_is_cut(
    monkeypatch: pytest.MonkeyPatch, limit: str, line: str
) -> None:
    monkeypatch.setattr(walker, limit, 50)
    assert summarise("typescript", "a.ts", line * 100).cut


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("javascript", "x = a" + ".b" * 180 + ";\n"),
        ("java", "class A { int f() { return a()" + ".b()" * 100 + "; } }\n"),
        ("rust", "fn f() { let x = a()" + ".b()" * 100 + "; }\n"),
        ("c", "int f() { return " + "(" * 190 + "a" + ")" * 190 + "; }\n"),
    ],
)
def test_nodes_of_chains_count_each_time_that_one_is_read(
    monkeypatch: pytest.MonkeyPatch, language: str, text: str
) -> None:
    looked_at = 0

    class CountingDict(dict[str, Any]):
        def get(self, kind: str, default: Any = None) -> Any:
            nonlocal looked_at
            looked_at += 1
            return super().get(kind, default)

    rules = summaries._rules(language)  # pyright: ignore[reportPrivateUsage]
    grammar = replace(rules, visit=CountingDict(rules.visit), links=CountingDict(rules.links))

    def count_and_return(_: str) -> walker.Grammar:
        return grammar

    monkeypatch.setattr(summaries, "_rules", count_and_return)
    monkeypatch.setattr(walker, "MOST_NODES", 2_000)
    assert summarise(language, "a/b", text * 50).cut
    assert looked_at <= 2_000 + 200
