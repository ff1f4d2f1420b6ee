"""Test the contents, refusals and bounds of summaries."""

import warnings

import msgspec
import pytest

from codegraph.python.file_summary import LARGEST, summarise
from codegraph.python.resolver import resolve
from codegraph.python.summary.facts import PythonSummary
from tests.codegraph.python.graphs import summary_of
from tests.cpu_time import measure_cpu_seconds

SOURCE = """
from . import near
import os.path as p
from far.away import *

LIMIT = 3

class Tool(near.Base):
    def sharpen(self, edge=None):
        return p.join(self.grind(edge), LIMIT)

def use(tool):
    return map(use, [tool.sharpen()])
"""


def test_a_summary_lists_names_and_imports_for_an_index() -> None:
    found = summary_of(SOURCE, "pkg/app.py")
    assert found.names_defined == ["LIMIT", "Tool", "near", "p", "sharpen", "use"]
    assert found.names_used == ["Base", "LIMIT", "grind", "join", "map", "sharpen", "use"]
    assert found.imports == [".", "far.away", "os.path"]


def test_a_summary_survives_storing() -> None:
    found = summary_of(SOURCE, "pkg/app.py")
    again = msgspec.msgpack.decode(msgspec.msgpack.encode(found), type=PythonSummary)
    assert again == found
    assert resolve([again]) == resolve([found])


def test_a_summary_holds_no_text_of_the_file() -> None:
    secret = "correct horse battery staple " * 4
    found = msgspec.msgpack.encode(summary_of(f'PASSWORD = "{secret}"\n# {secret}\n'))
    assert b"horse" not in found


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("def broken(:\n", "line 1: "),
        ("x = 1\nif x\n", "line 2: "),
        ("x = '\0'", "null"),
        ("x = 1\n" * LARGEST, "larger than"),
        ("(" * 5000 + ")" * 5000, "nested"),
        ("a" + ".b" * 50_000, "nested too deeply"),
        ("-" * 50_000 + "1", "nested too deeply"),
        ("x = '\ud800'", "does not read"),
        ("x = " + "9" * 5000, "line 1: "),
    ],
)
def test_a_file_that_cannot_be_summarised_says_why(source: str, why: str) -> None:
    found = summarise("app", False, "app.py", source)
    assert not found.summarised
    assert why in found.why
    assert len(found.why) < 250
    assert found.calls == []


def test_a_mark_of_the_encoding_is_no_reason() -> None:
    assert summarise("app", False, "app.py", "\ufeffx = 1\n").summarised


def test_warnings_of_the_parser_are_not_those_of_the_server() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert summarise("app", False, "app.py", 'x = "\\d"\nassert (1, 2)\n').summarised


def test_deep_expressions_are_followed_to_a_depth() -> None:
    found = summary_of("def a(): pass\n" + "x = " + "[" * 90 + "a()" + "]" * 90)
    assert len(found.calls) == 1


def test_many_definitions_are_not_deep() -> None:
    found = summary_of("".join(f"def f{n}(): pass\nclass C{n}: pass\n" for n in range(300)))
    assert (len(found.functions), len(found.classes)) == (300, 300)


def test_a_container_of_many_items_keeps_those_beyond_its_bound_together() -> None:
    items = "".join(f"'k{n}': f{n}, " for n in range(100))
    source = "".join(f"def f{n}(): pass\n" for n in range(100)) + f"x = {{{items}}}\nx['k1']()\nx['k99']()\n"
    [first, *_] = [each for each in resolve([summary_of(source)]).edges if each.line == 102 and each.kind == "calls"]
    assert "app.f1" in (first.dst, *first.candidates)


def test_many_variables_in_many_branches_end_early() -> None:
    source = "".join(f"x{n} = 1\n" for n in range(9000)) + "if y:\n    pass\n" * 9000
    found = summary_of(source)
    assert "more in it" in found.why


BOUNDED = {
    "assignments to one name": "".join(f"x = f{n}()\n" for n in range(10_000)),
    "items of one container": "".join(f"d[{n}] = x\n" for n in range(5000)),
    "attributes of one object": "".join(f"d.a{n} = x\n" for n in range(5000)),
    "a huge literal": "x = {" + ",".join(f"'k{n}': f" for n in range(10_000)) + "}",
    "one parameter, many arguments": "def run(f): f()\n"
    + "".join(f"def g{n}(): pass\nrun(g{n})\n" for n in range(3000)),
    "a chain of updates": "d0 = {'k': print}\n"
    + "".join(f"d{n + 1} = {{}}\nd{n + 1}.update(d{n})\n" for n in range(1500)),
    "attributes of attributes": "class C: pass\nx = C()\n" + "x = x.a\n" * 3000,
    "a chain of classes": "class C0: pass\n" + "".join(f"class C{n + 1}(C{n}): pass\n" for n in range(1500)),
    "diamonds of classes": "class A0: pass\n"
    + "".join(
        f"class B{n}(A{n}): pass\nclass D{n}(A{n}): pass\nclass A{n + 1}(B{n}, D{n}): pass\n" for n in range(300)
    ),
    "a container of itself": "x = []\nx.append(x)\nfor y in x:\n    y[0][0]()\nx = x + x\n",
    "arguments that grow": "def f(*a): f(a, *a)\nf(f)\n",
    "slices of slices": "x = [print]\nwhile x:\n    x = x[1:5]\n    x[0]()\n",
    "many parameters": "def f("
    + ",".join(f"p{n}" for n in range(3000))
    + "): p3()\n"
    + ("f(" + ",".join(f"p{n}=f" for n in range(3000)) + ")\n") * 5,
}


@pytest.mark.parametrize("source", BOUNDED.values(), ids=BOUNDED.keys())
def test_hostile_files_end(source: str) -> None:
    found, to_read = measure_cpu_seconds(lambda: summary_of(source))
    assert found.summarised
    resolution, to_resolve = measure_cpu_seconds(lambda: resolve([found]))
    assert not resolution.cut
    assert to_read + to_resolve < 20


def test_a_budget_bounds_what_orders_of_bases_cost() -> None:
    bases = (", ".join(f"C{each}" for each in range(max(0, n - 16), n)) for n in range(600))
    source = "".join(f"class C{n}({names}): pass\n" for n, names in enumerate(bases)) + "C599().go()\n"
    assert resolve([summary_of(source)], budget=50_000).cut


def test_a_budget_counts_values_that_move_along_copies() -> None:
    functions = "".join(f"def f{n}(): pass\n" for n in range(10))
    source = functions + f"def run(x):\n{''.join('    x = x if y else [x][0]' + chr(10) for _ in range(300))}    x()\n"
    source += "".join(f"run(f{n})\n" for n in range(10))
    assert resolve([summary_of(source)], budget=3000).cut
