"""Record assignments of all forms, and annotations."""

import ast
from collections.abc import Sequence
from keyword import iskeyword

from codegraph.python.summary.expressions import operation
from codegraph.python.summary.facts import NOTHING
from codegraph.python.summary.recorder import FactRecorder, Statements
from codegraph.python.summary.targets import assign, assign_display


def _assign(w: FactRecorder, node: ast.Assign) -> None:
    given = node.value
    pairs = [each for each in node.targets if isinstance(each, ast.Tuple | ast.List)]
    if pairs and isinstance(given, ast.Tuple | ast.List) and not any(isinstance(x, ast.Starred) for x in given.elts):
        _assign_display(w, node, given)
        return
    slot = w.used_value(given)
    _exports(w, node.targets, given)
    for each in node.targets:
        assign(w, each, slot)


def _assign_display(w: FactRecorder, node: ast.Assign, given: ast.Tuple | ast.List) -> None:
    items = [w.used_value(each) for each in given.elts]
    for target in node.targets:
        nested = isinstance(target, ast.Tuple | ast.List)
        if not nested or not assign_display(w, target, items):
            whole = w.container(type(given).__name__.lower(), len(items))
            for place, item in enumerate(items):
                if item > 0:
                    w.put(whole, w.constant(place), item, node.lineno)
            assign(w, target, whole)


def _exports(w: FactRecorder, targets: Sequence[ast.expr], given: ast.expr) -> None:
    named = any(isinstance(each, ast.Name) and each.id == "__all__" for each in targets)
    if named and w.scope.kind == "module" and isinstance(given, ast.List | ast.Tuple):
        names = [each.value for each in given.elts if isinstance(each, ast.Constant) and isinstance(each.value, str)]
        w.facts.exports = [*(w.facts.exports or []), *names]


def _annotated_assignment(w: FactRecorder, node: ast.AnnAssign) -> None:
    slot = w.used_value(node.value) if node.value is not None else w.slot()
    hint = w.value(annotation_class(node.annotation))
    if node.value is not None or isinstance(node.target, ast.Name):
        assign(w, node.target, slot)
    if hint > 0 and slot > 0 and not w.is_constant(slot):
        w.facts.hints.append((slot, hint))


def annotation_class(node: ast.expr) -> ast.expr:
    """Return the class in an annotation: `X` for `X`, `"X"`, `X | None` and `Optional[X]`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 200:
        try:
            inner = _one_name(node.value) or ast.parse(node.value, mode="eval").body
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            return node
        for each in ast.walk(inner):
            ast.copy_location(each, node)
        return node if isinstance(inner, ast.Constant) else annotation_class(inner)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        none = isinstance(node.right, ast.Constant) and node.right.value is None
        return annotation_class(node.left) if none else node.right
    if isinstance(node, ast.Subscript):
        name = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
        return annotation_class(node.slice) if name == "Optional" else node.value
    return node


def _one_name(text: str) -> ast.Name | None:
    """Return a quoted annotation that is one name, as most are, without parsing it. Return None for any other."""
    is_name = text.isascii() and text.isidentifier() and not iskeyword(text)
    return ast.Name(text, ast.Load()) if is_name else None


def _augmented_assignment(w: FactRecorder, node: ast.AugAssign) -> None:
    right = w.used_value(node.value)
    _exports(w, [node.target], node.value)
    left = w.value(node.target)
    changed = operation(w, node, left, right)
    met = w.slot()
    for each in (left, right, changed):
        w.copy(each, met)
    assign(w, node.target, met)


def _record_delete(w: FactRecorder, node: ast.Delete) -> None:
    for each in node.targets:
        if isinstance(each, ast.Name):
            w.bind(each.id, NOTHING)
        else:
            w.value(each)


STATEMENTS: Statements = {
    ast.Assign: _assign,
    ast.AnnAssign: _annotated_assignment,
    ast.AugAssign: _augmented_assignment,
    ast.Delete: _record_delete,
}
