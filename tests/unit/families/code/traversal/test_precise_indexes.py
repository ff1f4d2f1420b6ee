"""A precise index that is sent with files wins at the places that it knows, as long as the file stays as it is."""

import json
from base64 import b64encode
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace as altered

from almanac.families.code.core.code import CodeProject, open_code
from almanac.families.code.core.records import FILES as CODE_FILES
from almanac.families.code.indexer.precise import PreciseIndex, keep_precise, read_uses
from tests.codegraph.precise.indexes import document, occurrence, symbol
from tests.doubles.observed_store import ObservedStore, Request
from tests.unit.families.code.traversal.graph_app import GraphApp

FILES = {
    "tools.py": "class A:\n    def go(self): ...\n\n\nclass B:\n    def go(self): ...\n",
    "app.py": "def run(x):\n    x.go()\n",
}
GO = symbol("tools/B#go().")
SCIP = document("tools.py", occurrence(6, 8, GO, 1)) + document("app.py", occurrence(2, 6, GO))


def scip(data: bytes = SCIP) -> dict[str, Any]:
    return {"scip": b64encode(data).decode()}


def edge_of(graph: GraphApp) -> tuple[str, str, bool]:
    (edge,) = graph.traverse(symbol="app.run", direction="out", edge_kinds=["calls"])["edges"]
    return edge["dst"], edge["how"], edge["resolved"]


def test_what_it_knows_wins_also_where_the_graph_was_asked_before(graph: GraphApp) -> None:
    graph.index(FILES)
    assert edge_of(graph) == ("x.go", "ambiguous", False)
    assert graph.index({}, precise=scip())["precise"] == 1
    assert edge_of(graph) == ("tools.B.go", "precise", True)
    assert graph.callers("B.go") == {"app.run"}
    assert graph.callers("A.go") == set()


def test_it_is_dropped_with_a_change_of_its_file_and_with_the_file(graph: GraphApp) -> None:
    graph.index(FILES, precise=scip())
    graph.app.wait(seconds=1)
    graph.index({"app.py": FILES["app.py"] + "# changed\n"})
    assert edge_of(graph) == ("x.go", "ambiguous", False)
    graph.index({}, precise=scip())
    graph.app.do("index_files", repo_id="acme/web", removed=["app.py"])
    graph.index({"app.py": FILES["app.py"]})
    assert edge_of(graph) == ("x.go", "ambiguous", False)


def test_files_that_are_not_indexed_are_left_out_of_it(graph: GraphApp) -> None:
    assert graph.index({"tools.py": FILES["tools.py"]}, precise=scip()).get("precise", 0) == 0


def test_the_report_of_pyrefly_is_read_too(graph: GraphApp) -> None:
    def module(number: int, name: str, **more: Any) -> dict[str, Any]:
        path = {"FileSystem": f"/src/{name}.py"}
        return {"format_version": 1, "module_id": number, "module_name": name, "source_path": path, **more}

    kind = {"ClassDef": {"class_id": 0}}
    go = {"name": "go", "name_location": "6:9-6:11", "parent": kind}
    tools = module(1, "tools", function_definitions={"F:1": go}, class_definitions={"0": {"name": "B"}})
    target = {"target": {"Function": {"module_id": 1, "function_id": "F:1"}}}
    call = {"Call": {"call_targets": [target]}}
    graphs = {"format_version": 1, "module_id": 2, "call_graphs": {"run": {"2:5-2:11": call}}}
    report = {
        "root": "/src",
        "definitions": [json.dumps(tools), json.dumps(module(2, "app"))],
        "call_graphs": [json.dumps(graphs)],
    }
    graph.index(FILES, precise={"pyrefly": report})
    assert edge_of(graph) == ("tools.B.go", "precise", True)


@pytest.mark.parametrize("text", ["%%%", "abc", b64encode(b"\xff\xff").decode(), b64encode(b"\x12\x7f").decode()])
def test_what_is_no_index_is_refused(graph: GraphApp, text: str) -> None:
    graph.index(FILES)
    assert "cannot be read" in graph.app.refusal("index_files", repo_id="acme/web", precise={"scip": text})


def test_what_is_no_base64_is_told_alike_whichever_way_it_is_wrong(graph: GraphApp) -> None:
    graph.index(FILES)
    told = {graph.app.refusal("index_files", repo_id="acme/web", precise={"scip": text}) for text in ("%%%", "abc")}
    assert len(told) == 1
    assert "no base64" in told.pop()


def test_it_is_kept_where_a_later_version_analyses_the_same_text(graph: GraphApp) -> None:
    graph.index(FILES, precise=scip())
    graph.app.wait(seconds=1)
    code = open_code(graph.app.services, graph.app.caller, graph.app.clock)
    rows = code.rows(CODE_FILES)
    graph.app.store.write([rows.put(altered(one, analysis=0)) for one in rows.every()])
    assert graph.index(FILES)["indexed"] == 2
    assert edge_of(graph) == ("tools.B.go", "precise", True)


def _meanwhile(graph: GraphApp, method: str, number: int, act: Callable[[], object]) -> CodeProject:
    """A project in which `act` is done before the request of this method and number."""
    seen: list[str] = []

    def observe(request: Request) -> None:
        seen.append(request[0])
        if request[0] == method and seen.count(method) == number:
            act()

    code = open_code(graph.app.services, graph.app.caller, graph.app.clock)
    return altered(code, store=ObservedStore(code.store, observe))


def test_a_file_that_changes_meanwhile_keeps_no_index_of_its_former_text(graph: GraphApp) -> None:
    graph.index(FILES)
    graph.app.wait(seconds=1)
    project = _meanwhile(graph, "write", 1, lambda: graph.index({"app.py": FILES["app.py"] + "# changed\n"}))
    assert keep_precise(project, "acme/web", read_uses(PreciseIndex(**scip()))) == 0
    assert edge_of(graph) == ("x.go", "ambiguous", False)


def test_a_repository_that_is_removed_meanwhile_keeps_nothing(graph: GraphApp) -> None:
    graph.index(FILES)
    project = _meanwhile(graph, "write", 1, lambda: graph.app.do("remove_repository", repo_id="acme/web"))
    assert keep_precise(project, "acme/web", read_uses(PreciseIndex(**scip()))) == 0


def test_somebody_else_who_writes_meanwhile_costs_no_index(graph: GraphApp) -> None:
    graph.index(FILES)
    graph.app.wait(seconds=1)
    project = _meanwhile(graph, "write", 1, lambda: graph.index({"tools.py": FILES["tools.py"] + "\n"}))
    assert keep_precise(project, "acme/web", read_uses(PreciseIndex(**scip()))) == 1
    assert edge_of(graph) == ("tools.B.go", "precise", True)
