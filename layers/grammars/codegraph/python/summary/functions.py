"""Record parameters and results of functions, and lambdas."""

import ast

from codegraph.python.summary.displays import element
from codegraph.python.summary.facts import NOTHING, FunctionFact
from codegraph.python.summary.recorder import Expressions, FactRecorder


def _lambda(w: FactRecorder, node: ast.Lambda) -> int:
    w.scope.lambdas += 1
    name = f"<lambda{w.scope.lambdas}>"
    fact, inner = open_function(w, node.args, name, node.lineno)
    fact.kind = "lambda"
    before = w.enter(inner)
    record_return(w, fact, w.used_value(node.body))
    w.leave(before)
    return fact.slot


def open_function(w: FactRecorder, args: ast.arguments, name: str, line: int):
    """Open the scope of a function and bind its parameters. Return its fact. Defaults belong to the scope around it."""
    defaults = [w.used_value(each) for each in args.defaults]
    placed = [*args.posonlyargs, *args.args]
    defaults = [NOTHING] * (len(placed) - len(defaults)) + defaults
    defaults += [NOTHING if each is None else w.used_value(each) for each in args.kw_defaults]
    inner = w.new_scope(name, "function")
    params = [each.arg for each in (*placed, *args.kwonlyargs)]
    slots: list[int] = []
    for each in params:
        slots.append(w.slot())
        inner.bind(each, slots[-1])
    rest = [w.slot() if each is not None else NOTHING for each in (args.vararg, args.kwarg)]
    for each, slot in zip((args.vararg, args.kwarg), rest, strict=True):
        if each is not None:
            inner.bind(each.arg, slot)
    returns = w.slot()
    made = FunctionFact(
        inner.index, w.slot(), line, params, slots, defaults, len(placed), rest[0], rest[1], returns, NOTHING
    )
    w.facts.functions.append(made)
    inner.function = made
    inner.first_param = slots[0] if slots else NOTHING
    return made, inner


def record_return(w: FactRecorder, function: FunctionFact, slot: int) -> None:
    """Record a returned value. A parameter that is returned unchanged is no flow of the function, because each call has
    its own."""
    if slot in function.slots:
        place = function.slots.index(slot)
        if place not in function.passed:
            function.passed.append(place)
    else:
        w.copy(slot, function.returns)


def _yield(w: FactRecorder, node: ast.Yield) -> int:
    given = w.used_value(node.value) if node.value is not None else NOTHING
    w.copy(given, _yields(w))
    return NOTHING


def _yield_from(w: FactRecorder, node: ast.YieldFrom) -> int:
    w.copy(element(w, w.value(node.value), node.lineno), _yields(w))
    return NOTHING


def _yields(w: FactRecorder) -> int:
    function = w.scope.function
    if function is None:
        return w.slot()
    if function.yields < 0:
        function.yields = w.slot()
    return function.yields


EXPRESSIONS: Expressions = {
    ast.Lambda: _lambda,
    ast.Yield: _yield,
    ast.YieldFrom: _yield_from,
}
