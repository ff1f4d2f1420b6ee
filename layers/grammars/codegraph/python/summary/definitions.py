"""Record definitions of functions and classes, with their decorators."""

import ast
from collections.abc import Sequence

from codegraph.python.summary.assignments import annotation_class
from codegraph.python.summary.facts import NOTHING, CallFact, ClassFact, FunctionFact
from codegraph.python.summary.functions import open_function
from codegraph.python.summary.recorder import DEEPEST, FactRecorder, Statements
from codegraph.python.summary.syntax import dotted_text

_KINDS = {
    "staticmethod": "static",
    "classmethod": "class",
    "property": "property",
    "cached_property": "property",
    "abstractproperty": "property",
    "setter": "accessor",
    "getter": "accessor",
    "deleter": "accessor",
}
_MADE_STATIC = {"__new__": "static", "__init_subclass__": "class", "__class_getitem__": "class"}
_GENERATED = {"dataclass", "NamedTuple", "define", "frozen", "attrs"}


def define_function(
    w: FactRecorder,
    node: ast.FunctionDef | ast.AsyncFunctionDef,
) -> None:
    if w.depth > DEEPEST:
        return
    w.depth += 1
    outer = w.scope
    kinds = [_KINDS[name] for each in node.decorator_list if (name := dotted_text(each)[1]) in _KINDS]
    fact, inner = open_function(w, node.args, node.name, node.lineno)
    _hint(w, node, fact)
    fact.kind = kinds[0] if kinds else ""
    if outer.kind == "class":
        fact.owner = inner.owner = outer.owner
        fact.kind = fact.kind or _MADE_STATIC.get(node.name, "")
    slot = _decorate(w, node.decorator_list, fact.slot)
    if fact.kind == "accessor":
        fact.kind = "property"
        slot = NOTHING
    before = w.enter(inner)
    w.run(node.body)
    w.leave(before)
    if slot > 0:
        w.bind(node.name, slot)
    w.depth -= 1


def _hint(w: FactRecorder, node: ast.FunctionDef | ast.AsyncFunctionDef, fact: FunctionFact) -> None:
    """Record the classes in annotations of parameters and of the result."""
    args = node.args
    for each, slot in zip((*args.posonlyargs, *args.args, *args.kwonlyargs), fact.slots, strict=True):
        if each.annotation is not None:
            hint = w.value(annotation_class(each.annotation))
            if hint > 0 and not w.is_constant(hint):
                w.facts.hints.append((slot, hint))
    if node.returns is not None:
        fact.result = w.value(annotation_class(node.returns))


def _decorate(w: FactRecorder, decorators: Sequence[ast.expr], slot: int) -> int:
    """Return the slot of a definition after its decorators. Decorators that only state its kind do not change it."""
    scope = w.scope
    for each in reversed(decorators):
        text, last = dotted_text(each)
        if last in _KINDS:
            continue
        function = w.used_value(each)
        w.used.add(last)
        result = w.slot()
        line = each.lineno
        fact = CallFact(scope.index, line, function, text, result, [slot], decorates=slot)
        w.facts.calls.append(fact)
        scope.calls += 1
        scope.paths.clear()
        slot = result
    return slot


def define_class(w: FactRecorder, node: ast.ClassDef) -> None:
    if w.depth > DEEPEST:
        return
    w.depth += 1
    parents = [each.value if isinstance(each, ast.Starred | ast.Subscript) else each for each in node.bases]
    bases = [w.value(each) for each in parents]
    w.used.update(dotted_text(each)[1] for each in parents)
    for each in node.keywords:
        w.used_value(each.value)
    inner = w.new_scope(node.name, "class")
    inner.owner = len(w.facts.classes)
    fact = ClassFact(inner.index, w.slot(), node.lineno, bases, {})
    w.facts.classes.append(fact)
    before = w.enter(inner)
    w.run(node.body)
    fact.names = {name: w.cell(inner, name) for name in inner.published}
    w.leave(before)
    marks = [dotted_text(each)[0] for each in (*node.decorator_list, *node.bases)]
    if any(part in _GENERATED for each in marks for part in each.replace("()", "").split(".")):
        fact.fields = [
            each.target.id
            for each in node.body
            if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
        ]
    w.bind(node.name, _decorate(w, node.decorator_list, fact.slot))
    w.depth -= 1


STATEMENTS: Statements = {
    ast.FunctionDef: define_function,
    ast.AsyncFunctionDef: define_function,
    ast.ClassDef: define_class,
}
