"""Test the confidence of edges, leaves outside the set, and the budget."""

import gc
import random

from codegraph.edges import CONFIDENCE
from codegraph.python.resolver import resolve
from tests.codegraph.python.graphs import calls_of, edge, edges_of, summary_of

TOOL = "class Tool:\n    def sharpen(self): pass\n"


def test_a_call_by_scope_says_so() -> None:
    found = edge("def go(): pass\n\ngo()", "app.go")
    assert (found.src, found.how, found.confidence, found.path, found.line) == ("app", "scope", 0.98, "app.py", 3)


def test_a_call_through_an_import_says_so() -> None:
    assert edge({"app.py": "import lib\nlib.go()", "lib.py": "def go(): pass"}, "lib.go").how == "import"


def test_a_call_of_a_parameter_is_known_by_flow() -> None:
    assert edge("def run(f): f()\ndef go(): pass\nrun(go)", "app.go").how == "flow"


def test_the_line_is_that_of_the_name_in_a_long_chain() -> None:
    source = "class Q:\n    def one(self): return self\n    def two(self): return self\n(\n  Q()\n  .one()\n  .two()\n)"
    assert (edge(source, "app.Q.one").line, edge(source, "app.Q.two").line) == (6, 7)


def test_a_method_of_an_unknown_receiver_is_guessed_by_its_only_name() -> None:
    found = edge(TOOL + "def run(x): x.sharpen()", "app.Tool.sharpen")
    assert (found.how, found.resolved, found.confidence) == ("unique_name", True, 0.6)


def test_a_name_that_several_have_is_not_chosen() -> None:
    source = TOOL + "class Knife:\n    def sharpen(self): pass\ndef run(x): x.sharpen()"
    found = edge(source, "x.sharpen")
    assert (found.how, found.resolved) == ("ambiguous", False)
    assert found.candidates == ("app.Knife.sharpen", "app.Tool.sharpen")


def test_a_common_name_is_not_guessed() -> None:
    found = edge("class Tool:\n    def get(self): pass\ndef run(x): x.get()", "x.get")
    assert (found.how, found.resolved, found.candidates) == ("unresolved", False, ())


def test_what_comes_from_outside_is_not_guessed() -> None:
    found = edge(TOOL + "import ext\next.make().sharpen()", "ext.make().sharpen")
    assert (found.how, found.resolved) == ("unresolved", False)


def test_a_receiver_of_a_known_class_without_the_method_is_not_guessed() -> None:
    found = [each for each in edges_of(TOOL + "class Stone: pass\nx = Stone()\nx.sharpen()") if each.dst == "x.sharpen"]
    assert [each.how for each in found] == ["unresolved"]


def test_a_call_of_more_targets_than_say_anything_lists_some() -> None:
    source = "def run(f): f()\n" + "".join(f"def g{n}(): pass\nrun(g{n})\n" for n in range(12))
    [found] = [each for each in edges_of(source) if each.src == "app.run"]
    assert (found.how, found.resolved, found.dst, len(found.candidates)) == ("ambiguous", False, "f", 12)


def test_builtins_are_outside() -> None:
    found = edge("len([])", "builtins.len")
    assert (found.how, found.resolved) == ("scope", False)


def test_methods_of_builtin_types_are_outside() -> None:
    source = 'x = {}\nx.update({})\n"".join([])\n"a".upper()'
    names = {each.dst for each in edges_of(source)}
    assert names == {"builtins.dict.update", "builtins.str.join", "builtins.str.upper"}


def test_a_call_of_an_expression_is_a_leaf_as_written() -> None:
    names = {each.dst for each in edges_of("x[0].y()(1)") if each.kind == "calls"}
    assert names == {"x[].y", "x[].y()"}


def test_a_class_without_a_constructor_is_referenced() -> None:
    assert edge("class Tool: pass\nTool()", "app.Tool", "references").how == "scope"
    assert calls_of("class Tool: pass\nTool()") == set()


def test_definitions_that_are_passed_on_are_referenced() -> None:
    source = "def a(): pass\nclass B: pass\nclass C(B): pass\nx = [a]\n@a\ndef d(): return C"
    found = {f"{each.src} > {each.dst}" for each in edges_of(source) if each.kind == "references"}
    assert found == {"app > app.a", "app.C > app.B", "app.d > app.C"}


def test_a_method_that_is_passed_on_is_referenced() -> None:
    source = "import ext\nclass A:\n    def go(self): pass\n    def set(self): ext.hook(self.go)"
    found = edge(source, "app.A.go", "references")
    assert (found.src, found.how) == ("app.A.set", "flow")


def test_the_order_of_files_does_not_matter() -> None:
    texts = {f"m{n}.py": f"import m{(n + 1) % 5}\ndef f(x): x(m{(n + 1) % 5}.f)\nf(f)\n" for n in range(5)}
    summaries = [summary_of(text, path) for path, text in texts.items()]
    first = resolve(summaries)
    random.Random(3).shuffle(summaries)
    assert resolve(summaries) == first


def test_a_spent_budget_says_so_and_leaves_leaves() -> None:
    source = "def run(f): f()\ndef go(): pass\nrun(go)"
    found = resolve([summary_of(source)], budget=3)
    assert found.cut
    assert {each.dst for each in found.edges if each.kind == "calls"} >= {"f"}
    assert not resolve([summary_of(source)]).cut


def test_collecting_garbage_is_as_it_was() -> None:
    for before in (False, True):
        (gc.enable if before else gc.disable)()
        resolve([summary_of("a()")])
        assert gc.isenabled() is before


def test_every_edge_has_the_confidence_of_how_it_is_known() -> None:
    source = TOOL + "def run(x, f=len):\n    x.sharpen()\n    f()\n    y()\nrun(1)"
    assert all(each.confidence == CONFIDENCE[each.how] for each in edges_of(source))


def test_a_file_that_was_not_summarised_does_not_matter() -> None:
    broken = summary_of("def (", "broken.py")
    assert resolve([broken, summary_of("def a(): pass\na()")]) == resolve([summary_of("def a(): pass\na()")])
