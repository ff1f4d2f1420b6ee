"""Record simple statements: expressions, `return`, `raise`, `assert`, `global`, `nonlocal` and imports."""

import ast

from codegraph.python.summary.facts import ImportFact
from codegraph.python.summary.functions import record_return
from codegraph.python.summary.recorder import FactRecorder, Statements
from codegraph.python.summary.scope import Scope


def _expression(w: FactRecorder, node: ast.Expr) -> None:
    if type(node.value) is not ast.Constant:
        w.value(node.value)


def _record_return(w: FactRecorder, node: ast.Return) -> None:
    function = w.scope.function
    if node.value is not None:
        slot = w.used_value(node.value)
        if function is not None and slot > 0:
            record_return(w, function, slot)
    w.scope.dead = True


def _record_raise(w: FactRecorder, node: ast.Raise) -> None:
    for each in (node.exc, node.cause):
        if each is not None:
            slot = w.used_value(each)
            if slot > 0:
                w.facts.raised.append((slot, each.lineno, w.scope.index))
    w.scope.dead = True


def _record_declaration(w: FactRecorder, node: ast.Global | ast.Nonlocal) -> None:
    scope = w.scope
    found: Scope | None = scope.parent
    while found is not None and found.parent is not None:
        if isinstance(node, ast.Nonlocal) and found.kind == "function":
            break
        found = found.parent
    if found is not None:
        for name in node.names:
            outer: Scope = found
            while isinstance(node, ast.Nonlocal) and name not in outer.published and outer.parent is not None:
                outer = outer.parent
            scope.outside[name] = outer


def _assert(w: FactRecorder, node: ast.Assert) -> None:
    w.value(node.test)
    if node.msg is not None:
        w.value(node.msg)


def import_modules(w: FactRecorder, node: ast.Import) -> None:
    for each in node.names:
        slot = w.slot()
        bound = each.name if each.asname else each.name.partition(".")[0]
        fact = ImportFact(slot, bound, "", each.name, node.lineno, w.scope.index)
        w.facts.modules.append(fact)
        w.facts.imports.append(each.name)
        w.bind(each.asname or bound, slot)


def import_from(w: FactRecorder, node: ast.ImportFrom) -> None:
    module = absolute(w.facts.module, node.module or "", node.level, is_package=w.facts.is_package)
    as_written = "." * node.level + (node.module or "")
    w.facts.imports.append(as_written)
    for each in node.names:
        if each.name == "*":
            w.facts.stars.append(module)
            w.facts.modules.append(ImportFact(w.slot(), module, "*", as_written, node.lineno, w.scope.index))
            continue
        slot = w.slot()
        w.facts.modules.append(ImportFact(slot, module, each.name, as_written, node.lineno, w.scope.index))
        w.bind(each.asname or each.name, slot)


def absolute(module: str, written: str, level: int, *, is_package: bool) -> str:
    """Return the module that a relative import of `level` dots means. Dots beyond the top mean the top."""
    if not level:
        return written
    parts = module.split(".") if module else []
    up = level - 1 if is_package else level
    parts = parts[: max(len(parts) - up, 0)]
    return ".".join([*parts, written] if written else parts)


STATEMENTS: Statements = {
    ast.Expr: _expression,
    ast.Return: _record_return,
    ast.Raise: _record_raise,
    ast.Global: _record_declaration,
    ast.Nonlocal: _record_declaration,
    ast.Assert: _assert,
    ast.Import: import_modules,
    ast.ImportFrom: import_from,
}
