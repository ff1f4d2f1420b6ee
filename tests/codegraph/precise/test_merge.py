"""A precise index wins over names at the places that it knows."""

from codegraph.edges import Edge
from codegraph.precise.merge import merge_precise
from codegraph.precise.scip import PreciseUse
from tests.codegraph.python.graphs import edges_of

TOOLS = "class A:\n    def go(self): pass\nclass B:\n    def go(self): pass\ndef run(x):\n    x.go()\n"


def use(name: str, line: int, kind: str = "function", defined: str = "app.py") -> PreciseUse:
    return PreciseUse("app.py", line, 0, name, kind, defined, 1 if defined else 0)  # pyright: ignore[reportArgumentType]


def calls(edges: list[Edge]) -> list[tuple[str, str, bool]]:
    return [(each.dst, each.how, each.resolved) for each in edges if each.kind == "calls"]


def test_an_ambiguous_call_becomes_precise() -> None:
    edges = edges_of(TOOLS)
    assert calls(edges) == [("x.go", "ambiguous", False)]
    [found] = [each for each in merge_precise(edges, [use("app.B.go", 6)]) if each.kind == "calls"]
    assert (found.src, found.dst, found.how, found.confidence, found.resolved) == (
        "app.run",
        "app.B.go",
        "precise",
        1.0,
        True,
    )
    assert found.candidates == ()


def test_several_targets_of_a_site_become_the_one_of_the_index() -> None:
    edges = edges_of(TOOLS + "run(A())\nrun(B())\n")
    found = merge_precise(edges, [use("app.A.go", 6)])
    assert [each for each in calls(found) if each[0].endswith(".go")] == [("app.A.go", "precise", True)]


def test_other_lines_and_files_stay() -> None:
    edges = edges_of(TOOLS)
    elsewhere = PreciseUse("other.py", 6, 0, "app.A.go", "function", "app.py", 1)
    assert merge_precise(edges, [use("app.A.go", 5), elsewhere]) == edges


def test_a_symbol_of_outside_is_not_resolved() -> None:
    [found] = calls(merge_precise(edges_of("x.go()"), [use("ext.Thing.go", 1, defined="")]))
    assert found == ("ext.Thing.go", "precise", False)


def test_a_class_confirms_the_call_of_its_constructor() -> None:
    source = "class A:\n    def __init__(self): pass\nA()\n"
    found = merge_precise(edges_of(source), [use("app.A", 3, "type")])
    assert calls(found) == [("app.A.__init__", "precise", True)]


def test_a_class_that_was_unknown_is_referenced() -> None:
    [found] = merge_precise(edges_of("Unknown()"), [use("lib.Unknown", 1, "type")])
    assert (found.kind, found.dst, found.resolved) == ("references", "lib.Unknown", True)


def test_a_variable_of_python_does_not_hide_what_it_holds() -> None:
    edges = edges_of("def f(): pass\ng = f\ng()\n")
    assert merge_precise(edges, [use("app.g", 3, "term")]) == edges


def test_a_constant_of_another_language_may_be_a_function() -> None:
    edge = Edge(src="a", dst="go", kind="calls", how="unresolved", confidence=0.0, resolved=False, path="a.ts", line=1)
    [found] = merge_precise([edge], [PreciseUse("a.ts", 1, 0, "b.go", "term", "b.ts", 4)])
    assert found.dst == "b.go"


def test_names_by_place_of_definition_replace_those_of_the_index() -> None:
    found = merge_precise(edges_of("x.go()"), [use("src.app.ts.go", 1)], {("app.py", 1): "app.go"})
    assert calls(found) == [("app.go", "precise", True)]


def test_one_definition_under_two_names_is_one() -> None:
    found = merge_precise(edges_of("x.go()"), [use("lib.go", 1), use("pkg.lib.go", 1)])
    assert calls(found) == [("pkg.lib.go", "precise", True)]


def test_imports_stay() -> None:
    edges = edges_of({"app.py": "from lib import go", "lib.py": "def go(): pass"})
    assert merge_precise(edges, [use("lib.go", 1)]) == edges
