"""Files that are made to take long: each costs about as much CPU as ordinary code of its size."""

from collections.abc import Callable, Mapping
from functools import cache

import pytest

from almanac.families.code.indexer.prepared_files import prepare_file
from tests.cpu_time import measure_cpu_seconds, takes_under

_CHARACTERS = 100_000
_MOST = 6
"""The CPU of a hostile file over that of ordinary code of the same size, measured in the same run."""

_AROUND: Mapping[str, tuple[str, str]] = {
    "x.py": ("x = ", "\n"),
    "x.js": ("x = ", ";\n"),
    "x.ts": ("let x = ", ";\n"),
    "x.tsx": ("let x = ", ";\n"),
    "X.java": ("class X { int f() { return ", "; } }\n"),
    "x.go": ("package x\nvar x = ", "\n"),
    "x.rs": ("fn f() { let x = ", "; }\n"),
    "x.c": ("int f() { return ", "; }\n"),
    "x.cpp": ("int f() { return ", "; }\n"),
    "X.cs": ("class X { int F() { return ", "; } }\n"),
    "x.rb": ("x = ", "\n"),
}


def _nest(opening: str, closing: str, core: str = "a") -> str:
    times = _CHARACTERS // len(opening + closing)
    return opening * times + core + closing * times


def _repeat(part: str, before: str = "a", after: str = "") -> str:
    return before + part * (_CHARACTERS // len(part)) + after


def _statements(value: str) -> str:
    """Many statements, of which none is nested or chained too deeply to be read."""
    return _repeat(f"; x = {value}")


_BOMBS: Mapping[str, Callable[[], str]] = {
    "parentheses": lambda: _nest("(", ")"),
    "lists": lambda: _nest("[", "]"),
    "braces": lambda: _nest("{", "}"),
    "all brackets": lambda: _nest("([{", "}])"),
    "brackets on lines": lambda: _nest("(\n", ")\n"),
    "many opened": lambda: _repeat("a,", before="(" * 290),
    "calls": lambda: _nest("f(", ")"),
    "generics": lambda: _nest("A<", ">", "int"),
    "templates": lambda: _nest("`${", "}`"),
    "elements": lambda: _nest("<a>", "</a>"),
    "functions": lambda: _nest("function(){return ", "}"),
    "begin and end": lambda: _nest("begin ", "end "),
    "minus": lambda: _repeat("- ", before="", after="1"),
    "nots": lambda: _repeat("!", before="", after="a"),
    "pointers": lambda: _repeat("*", before="", after="p"),
    "casts": lambda: _repeat("(int)", before="", after="1"),
    "lambdas": lambda: _repeat("x=>", before="", after="1"),
    "sum on lines": lambda: _repeat("\n+ a"),
    "powers": lambda: _repeat("**a"),
    "members": lambda: _repeat(".b"),
    "calls on lines": lambda: _repeat("\n.b()"),
    "calls with arguments": lambda: _repeat(".b(1,2)"),
    "subscripts": lambda: _repeat("[0]"),
    "list without end": lambda: _repeat(",a"),
    "comparisons": lambda: _repeat("<a"),
    "else if": lambda: _repeat("if (a) b(); else ", before="1; ", after="c()"),
    "loops": lambda: _repeat("for(;;) ", before="1; ", after="c()"),
    "shallow parentheses": lambda: _statements("(" * 190 + "a" + ")" * 190),
    "chains of calls": lambda: _statements("a()" + ".b()" * 100),
    "chains of members": lambda: _statements("a" + ".b" * 180),
    "chains on lines": lambda: _statements("a()" + "\n.b()" * 100),
    "comments": lambda: _repeat("#if x\n", before="1\n"),
    "open comments": lambda: _repeat("/*"),
    "signs": lambda: _repeat("@ # $ ) "),
    "quotes": lambda: _repeat('"', before=""),
}


@cache
def _ordinary() -> float:
    """Return the CPU of Python and Java that people could write, in seconds."""
    python = "def handler_{n}(request, limit):\n    rows = load(request.id)[:limit]\n    return sorted(rows)\n\n"
    java = (
        "  int total{n}(List<Row> rows) {{ int sum = 0; for (Row one : rows) {{ sum += one.size(); }} return sum; }}\n"
    )
    texts = {
        "a.py": "".join(python.format(n=n) for n in range(_CHARACTERS // len(python))),
        "A.java": "class A {\n" + "".join(java.format(n=n) for n in range(_CHARACTERS // len(java))) + "}\n",
    }
    return max(
        measure_cpu_seconds(lambda path=path, text=text: prepare_file(path, text))[1] for path, text in texts.items()
    )


def _is_slow(path: str, text: str) -> bool:
    return not takes_under(_MOST * _ordinary(), lambda: prepare_file(path, text))


@pytest.mark.slow
@pytest.mark.parametrize("name", _BOMBS)
def test_a_file_that_is_made_to_take_long_costs_what_ordinary_code_does(name: str) -> None:
    bomb = _BOMBS[name]()
    assert [path for path, (before, after) in _AROUND.items() if _is_slow(path, before + bomb + after)] == []


@pytest.mark.parametrize("path", _AROUND)
def test_code_that_nests_and_chains_as_people_write_is_read(path: str) -> None:
    before, after = _AROUND[path]
    value = "(" * 40 + "+".join(["f(a)"] * 100) + ")" * 40
    assert prepare_file(path, before + value + after).parsed
