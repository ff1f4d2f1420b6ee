"""Record names, attributes, items, constants and operators. Each expression gets the slot of its value, and facts about
its origin."""

import ast

from codegraph.python.summary.facts import NOTHING
from codegraph.python.summary.recorder import Expressions, FactRecorder
from codegraph.python.summary.syntax import constant_key, key_slot
from codegraph.python.summary.targets import assign

_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "__add__",
    ast.Sub: "__sub__",
    ast.Mult: "__mul__",
    ast.MatMult: "__matmul__",
    ast.Div: "__truediv__",
    ast.FloorDiv: "__floordiv__",
    ast.Mod: "__mod__",
    ast.Pow: "__pow__",
    ast.LShift: "__lshift__",
    ast.RShift: "__rshift__",
    ast.BitOr: "__or__",
    ast.BitXor: "__xor__",
    ast.BitAnd: "__and__",
}


def _name(w: FactRecorder, node: ast.Name) -> int:
    return w.read(node.id)


def _attribute(w: FactRecorder, node: ast.Attribute) -> int:
    base = w.value(node.value)
    if base < 0:
        return NOTHING
    return load(w, base, node.attr, node.lineno)


def load(w: FactRecorder, base: int, name: str, line: int) -> int:
    paths = w.scope.paths
    slot = paths.get((base, name))
    if slot is None:
        slot = w.slot()
        w.remember(base, name, slot)
        w.facts.loads.append((base, name, slot, line, w.scope.index))
    return slot


def _constant(w: FactRecorder, node: ast.Constant) -> int:
    key = constant_key(node)
    if key is not None:
        return w.constant(key)
    return w.instance(type(node.value).__name__) if node.value is not None and node.value is not ... else NOTHING


def _text(w: FactRecorder, node: ast.JoinedStr) -> int:
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            w.value(part.value)
    return w.instance("str")


def _subscript(w: FactRecorder, node: ast.Subscript) -> int:
    base = w.value(node.value)
    if isinstance(node.slice, ast.Slice):
        return _slice(w, base, node.slice)
    key = w.value(node.slice)
    if base < 0:
        return NOTHING
    known = key_slot(node.slice, key)
    path = (base, known) if known > 0 else None
    if path is not None and path in w.scope.paths:
        return w.scope.paths[path]
    slot = w.slot()
    if path is not None:
        w.remember(*path, slot)
    w.facts.gets.append((base, known, slot, node.lineno, w.scope.index))
    return slot


def _slice(w: FactRecorder, base: int, node: ast.Slice) -> int:
    for part in (node.lower, node.upper, node.step):
        if part is not None:
            w.value(part)
    if base < 0:
        return NOTHING
    first = constant_key(node.lower) if node.lower is not None else 0
    end = constant_key(node.upper) if node.upper is not None else NOTHING
    known = isinstance(first, int) and isinstance(end, int) and first >= 0 and node.step is None
    if not known or (node.upper is not None and isinstance(end, int) and end < 0):
        return base
    slot = w.slot()
    w.facts.slices.append((base, int(first or 0), int(end or 0), slot))
    return slot


def _conditional(w: FactRecorder, node: ast.IfExp) -> int:
    w.value(node.test)
    return either(w, w.used_value(node.body), w.used_value(node.orelse))


def either(w: FactRecorder, *slots: int) -> int:
    known = [each for each in dict.fromkeys(slots) if each > 0]
    if len(known) < 2:
        return known[0] if known else NOTHING
    met = w.slot()
    for each in known:
        w.copy(each, met)
    return met


def _boolean(w: FactRecorder, node: ast.BoolOp) -> int:
    return either(w, *[w.used_value(each) for each in node.values])


def _binary(w: FactRecorder, node: ast.BinOp) -> int:
    left, right = w.value(node.left), w.value(node.right)
    return operation(w, node, left, right)


def operation(w: FactRecorder, node: ast.BinOp | ast.AugAssign, left: int, right: int) -> int:
    if left < 0:
        return NOTHING
    slot = w.slot()
    method = _OPERATORS[type(node.op)]
    w.facts.operations.append((left, method, right, slot, node.lineno, w.scope.index))
    return slot


def _compare(w: FactRecorder, node: ast.Compare) -> int:
    w.value(node.left)
    for each in node.comparators:
        w.value(each)
    return NOTHING


def _unary(w: FactRecorder, node: ast.UnaryOp) -> int:
    slot = w.value(node.operand)
    key = constant_key(node)
    if key is not None:
        return w.constant(key)
    return NOTHING if isinstance(node.op, ast.Not) else slot


def _walrus(w: FactRecorder, node: ast.NamedExpr) -> int:
    slot = w.used_value(node.value)
    assign(w, node.target, slot)
    return slot


def _inner(w: FactRecorder, node: ast.Await | ast.Starred) -> int:
    return w.value(node.value)


EXPRESSIONS: Expressions = {
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Constant: _constant,
    ast.Subscript: _subscript,
    ast.JoinedStr: _text,
    ast.IfExp: _conditional,
    ast.BoolOp: _boolean,
    ast.BinOp: _binary,
    ast.Compare: _compare,
    ast.UnaryOp: _unary,
    ast.NamedExpr: _walrus,
    ast.Await: _inner,
    ast.Starred: _inner,
}
