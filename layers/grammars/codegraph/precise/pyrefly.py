"""Read what pyrefly's type checker reports of calls: `pyrefly check --report-pysa DIR --report-pysa-format json`.

DIR has a file in `definitions/` and one in `call_graphs/` for each module."""

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar, cast

import msgspec
from msgspec import Struct

from codegraph.precise.scip import LARGEST, MOST_USES, PreciseUse
from codegraph.precise.wire import NotAnIndex

_DEEPEST = 50
_FORMAT = 1

Json = dict[str, Any]


class _Definition(Struct):
    name: str
    name_location: str = ""
    """"" for what a class body assigns."""
    parent: str | Json = "TopLevel"


class _Definitions(Struct):
    format_version: int
    module_id: int
    module_name: str
    source_path: Json
    function_definitions: dict[str, _Definition] = {}
    class_definitions: dict[str, _Definition] = {}


class _CallGraphs(Struct):
    format_version: int
    module_id: int
    call_graphs: dict[str, dict[str, Json]] = {}


_Report = TypeVar("_Report", _Definitions, _CallGraphs)


def read_pyrefly(definitions: Iterable[bytes], call_graphs: Iterable[bytes], root: str) -> list[PreciseUse]:
    """Return the calls whose targets a report knows, in its order. Paths are relative to `root`, and files elsewhere
    are external. Raises `NotAnIndex`."""
    modules = {each.module_id: each for each in (_decode_report(data, _Definitions) for data in definitions)}
    reader = _Reader(modules, root.rstrip("/") + "/")
    uses: list[PreciseUse] = []
    for data in call_graphs:
        for use in reader.uses(_decode_report(data, _CallGraphs)):
            uses.append(use)
            if len(uses) > MOST_USES:
                raise NotAnIndex(f"more than {MOST_USES} uses: index fewer folders")
    return uses


def _decode_report(data: bytes, kind: type[_Report]) -> _Report:
    if len(data) > LARGEST:
        raise NotAnIndex(f"larger than {LARGEST} bytes: index fewer folders")
    try:
        report = msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise NotAnIndex("no report of pyrefly") from None
    if report.format_version != _FORMAT:
        raise NotAnIndex(f"a report of format {report.format_version}: {_FORMAT} is read")
    return report


class _Reader:
    def __init__(self, modules: dict[int, _Definitions], root: str) -> None:
        self._modules = modules
        self._root = root

    def uses(self, report: _CallGraphs) -> Iterator[PreciseUse]:
        path = self._path(report.module_id)
        for sites in report.call_graphs.values() if path else ():
            for place, found in sites.items():
                line, column = _start(place)
                for name, is_type, defined in self._targets(found.get("Call")):
                    yield PreciseUse(path, line, column - 1, name, "type" if is_type else "function", *defined)

    def _targets(self, call: object) -> Iterator[tuple[str, bool, tuple[str, int]]]:
        """Yield for each target of a call its name, whether it is a class, and the path and line of its definition."""
        targets = cast("Json", call) if isinstance(call, dict) else {}
        for each in _list(targets.get("call_targets")):
            for function in _dicts(each.get("target")):
                yield from self._definition(function, "function")
        for each in _list(targets.get("init_targets")):
            made = each.get("receiver_class")
            if isinstance(made, dict):
                yield from self._definition(cast("Json", made), "class")

    def _definition(self, target: Json, kind: str) -> Iterator[tuple[str, bool, tuple[str, int]]]:
        module = self._modules.get(target.get("module_id", -1))
        key = str(target.get(f"{kind}_id"))
        if module is None:
            return
        known = (module.function_definitions if kind == "function" else module.class_definitions).get(key)
        if known is not None:
            path = self._path(module.module_id)
            defined = (path, _start(known.name_location)[0]) if path and known.name_location else (path, 0)
            yield _qualified_name(module, known), kind == "class", defined

    def _path(self, module: int) -> str:
        """Return the path of a module below the root, or "" for one elsewhere."""
        known = self._modules.get(module)
        path = known.source_path.get("FileSystem") if known is not None else None
        return path[len(self._root) :] if isinstance(path, str) and path.startswith(self._root) else ""


def _qualified_name(module: _Definitions, definition: _Definition) -> str:
    names: list[str] = []
    found: _Definition | None = definition
    while found is not None and len(names) < _DEEPEST:
        names.append(found.name)
        found = _parent(module, found.parent)
    return ".".join([module.module_name, *reversed(names)])


def _parent(module: _Definitions, parent: str | Json) -> _Definition | None:
    if isinstance(parent, str):
        return None
    for each in _dicts(parent):
        if "class_id" in each:
            return module.class_definitions.get(str(each["class_id"]))
        if "func_def_index" in each:
            return module.function_definitions.get(f"F:{each['func_def_index']}")
    return None


def _start(place: str) -> tuple[int, int]:
    """Return line and column, both from 1, of a place such as `3:1-3:9`. For a call they are those of its first
    character."""
    line, _, column = place.partition("-")[0].partition(":")
    if not (line.isdecimal() and column.isdecimal() and len(line) + len(column) < 20):
        raise NotAnIndex("a place is no line and column")
    return int(line), int(column)


def _list(value: object) -> list[Json]:
    found = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("Json", each) for each in found if isinstance(each, dict)]


def _dicts(value: object) -> list[Json]:
    """Return the objects under the only key, which names their kind."""
    return _list(list(cast("Json", value).values())) if isinstance(value, dict) else []
