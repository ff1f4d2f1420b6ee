"""Record calls, and what the called name itself tells: `super()`, `eval` of a constant, `update` of a dictionary."""

import ast

from codegraph.python.summary.facts import NOTHING, CallFact
from codegraph.python.summary.recorder import MOST_ARGUMENTS, Expressions, FactRecorder
from codegraph.python.summary.syntax import constant_key, dotted_text


def call(w: FactRecorder, node: ast.Call) -> int:
    scope = w.scope
    if _is_super(node):
        return _super(w, node)
    callee = node.func
    function = w.value(callee)
    text, last = dotted_text(callee)
    w.used.add(last)
    args: list[int] = []
    spread: list[int] = []
    for each in node.args[:MOST_ARGUMENTS]:
        is_spread = type(each) is ast.Starred
        if is_spread:
            spread.append(len(args))
        args.append(w.used_value(each.value if is_spread else each))
    kwargs: list[tuple[str, int]] = []
    doubled = NOTHING
    for each in node.keywords[:MOST_ARGUMENTS]:
        slot = w.used_value(each.value)
        if each.arg is not None:
            kwargs.append((each.arg, slot))
        else:
            doubled = slot
    result = w.slot()
    line = callee.end_lineno or node.lineno
    w.facts.calls.append(CallFact(scope.index, line, function, text, result, args, kwargs, spread, doubled))
    scope.calls += 1
    scope.paths.clear()
    _record_update(w, node)
    return _record_eval(w, node, result)


def _record_update(w: FactRecorder, node: ast.Call) -> None:
    """Record `d.update({"a": f})` on a variable as an assignment of `f` to `d["a"]`."""
    callee = node.func
    if isinstance(callee, ast.Attribute) and callee.attr == "update" and isinstance(callee.value, ast.Name):
        base = w.read(callee.value.id)
        for each in node.args:
            if base > 0 and isinstance(each, ast.Dict):
                for key, item in zip(each.keys, each.values, strict=True):
                    if isinstance(key, ast.Constant) and isinstance(item, ast.Name):
                        known = constant_key(key)
                        if known is not None:
                            w.remember(base, w.constant(known), w.read(item.id))


def _record_eval(w: FactRecorder, node: ast.Call, result: int) -> int:
    """Record `eval` of a constant as the expression in it."""
    if isinstance(node.func, ast.Name) and node.func.id == "eval" and node.args:
        text = node.args[0]
        if isinstance(text, ast.Constant) and isinstance(text.value, str) and len(text.value) < 200:
            try:
                inner = ast.parse(text.value.strip(), mode="eval").body
            except (SyntaxError, ValueError, MemoryError, RecursionError):
                return result
            for each in ast.walk(inner):
                ast.copy_location(each, node)
            w.copy(w.value(inner), result)
    return result


def _is_super(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id == "super" and len(node.args) in {0, 2}


def _super(w: FactRecorder, node: ast.Call) -> int:
    scope = w.scope
    while scope.parent is not None and (scope.kind != "function" or scope.owner < 0):
        scope = scope.parent
    if scope.owner < 0:
        return NOTHING
    first = w.value(node.args[1]) if node.args else scope.first_param
    slot = w.slot()
    w.facts.supers.append((slot, scope.owner, first))
    return slot


EXPRESSIONS: Expressions = {
    ast.Call: call,
}
