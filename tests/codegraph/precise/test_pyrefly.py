"""Reading the reports of pyrefly."""

import json
from typing import Any

import pytest

from codegraph.precise.merge import merge_precise
from codegraph.precise.pyrefly import read_pyrefly
from codegraph.precise.scip import PreciseUse
from codegraph.precise.wire import NotAnIndex
from tests.codegraph.python.graphs import edges_of


def definitions(
    number: int, name: str, path: str | None, functions: dict[str, Any], classes: dict[str, Any] | None = None
) -> bytes:
    source = {"FileSystem": path} if path else {"BundledTypeshed": f"{name}.pyi"}
    return json.dumps(
        {
            "format_version": 1,
            "module_id": number,
            "module_name": name,
            "source_path": source,
            "function_definitions": functions,
            "class_definitions": classes or {},
        }
    ).encode()


def call_graphs(number: int, **sites: dict[str, Any]) -> bytes:
    return json.dumps({"format_version": 1, "module_id": number, "call_graphs": sites}).encode()


def definition(name: str, place: str, parent: object = "TopLevel") -> dict[str, Any]:
    return {"name": name, "name_location": place, "parent": parent}


def call(module: int, function: str, how: str = "Function") -> dict[str, Any]:
    return {"Call": {"call_targets": [{"target": {how: {"module_id": module, "function_id": function}}}]}}


LIB = definitions(
    2,
    "pkg.lib",
    "/src/pkg/lib.py",
    {
        "F:0": definition("outer", "1:5-1:10"),
        "F:1": definition("inner", "2:9-2:14", {"Function": {"func_def_index": 0}}),
        "F:2": definition("go", "6:9-6:11", {"Class": {"class_id": 0}}),
    },
    {"0": definition("Tool", "5:7-5:11")},
)
APP = definitions(1, "app", "/src/app.py", {})
TYPESHED = definitions(9, "posixpath", None, {"F:4": definition("join", "7:5-7:9")})


def read(sites: dict[str, Any]) -> list[PreciseUse]:
    return read_pyrefly([APP, LIB, TYPESHED], [call_graphs(1, MTL=sites)], "/src")


def test_calls_of_functions_methods_and_nested_functions() -> None:
    found = read({"3:5-3:9": call(2, "F:0"), "4:1-4:4": call(2, "F:1"), "5:1-5:4": call(2, "F:2", "Overrides")})
    assert found == [
        PreciseUse("app.py", 3, 4, "pkg.lib.outer", "function", "pkg/lib.py", 1),
        PreciseUse("app.py", 4, 0, "pkg.lib.outer.inner", "function", "pkg/lib.py", 2),
        PreciseUse("app.py", 5, 0, "pkg.lib.Tool.go", "function", "pkg/lib.py", 6),
    ]


def test_a_call_of_a_class_is_a_use_of_the_class() -> None:
    made: dict[str, Any] = {"target": {"Function": {}}, "receiver_class": {"module_id": 2, "class_id": 0}}
    [found] = read({"3:5-3:9": {"Call": {"init_targets": [made]}}})
    assert (found.name, found.kind, found.defined_line) == ("pkg.lib.Tool", "type", 5)


def test_what_pyrefly_knows_of_the_standard_library_is_outside() -> None:
    [found] = read({"3:5-3:9": call(9, "F:4")})
    assert (found.name, found.defined_path, found.defined_line) == ("posixpath.join", "", 0)


def test_a_function_that_a_class_body_assigns_has_no_place() -> None:
    assigned = definitions(1, "app", "/src/app.py", {"F:0": {"name": "f", "parent": "TopLevel"}})
    [found] = read_pyrefly([assigned], [call_graphs(1, MTL={"3:5-3:9": call(1, "F:0")})], "/src")
    assert (found.name, found.defined_path, found.defined_line) == ("app.f", "app.py", 0)


def test_other_sites_and_unknown_targets_are_passed_over() -> None:
    sites: dict[str, Any] = {
        "1:1-1:2": {"Identifier": {"if_called": {}}},
        "2:1-2:2": {"Call": {"unresolved": {"True": "Why"}}},
        "3:1-3:2": call(2, "F:77"),
        "4:1-4:2": call(77, "F:0"),
        "5:1-5:2": {"Call": []},
        "6:1-6:2": {"Call": {"call_targets": ["x", {"target": 5}]}},
    }
    assert read(sites) == []


def test_files_elsewhere_have_no_uses() -> None:
    assert read_pyrefly([APP, LIB], [call_graphs(1, MTL={"3:5-3:9": call(2, "F:0")})], "/other") == []


def test_definitions_that_hold_each_other_end() -> None:
    circle = definitions(
        1, "app", "/src/app.py", {"F:0": definition("f", "1:1-1:2", {"Function": {"func_def_index": 0}})}
    )
    [found] = read_pyrefly([circle], [call_graphs(1, MTL={"3:5-3:9": call(1, "F:0")})], "/src/")
    assert found.name.startswith("app.f.f")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"[" * 100_000,
        b"\xff",
        call_graphs(1, MTL={"here": {}}),
        call_graphs(1, MTL={"1": {}}),
        b'{"format_version": 2, "module_id": 1, "call_graphs": {}}',
    ],
)
def test_other_texts_are_refused(data: bytes) -> None:
    with pytest.raises(NotAnIndex):
        read_pyrefly([APP], [data], "/src")


def test_large_reports_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("codegraph.precise.pyrefly.MOST_USES", 1)
    with pytest.raises(NotAnIndex, match="more than 1 uses"):
        read({"3:5-3:9": call(2, "F:0"), "4:1-4:4": call(2, "F:1")})
    monkeypatch.setattr("codegraph.precise.pyrefly.LARGEST", 10)
    with pytest.raises(NotAnIndex, match="larger"):
        read({})


def test_a_report_corrects_edges() -> None:
    sites = {"1:10-1:16": call(2, "F:2")}
    edges = edges_of("def f(x): x.go()")
    [found] = [each for each in merge_precise(edges, read(sites)) if each.kind == "calls"]
    assert (found.dst, found.how) == ("pkg.lib.Tool.go", "precise")
