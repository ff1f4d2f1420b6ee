"""Record branches and loops, where versions of variables split and merge."""

import ast
from collections.abc import Sequence

from codegraph.python.summary.displays import element
from codegraph.python.summary.facts import NOTHING
from codegraph.python.summary.patterns import bind_pattern
from codegraph.python.summary.recorder import FactRecorder, Statements
from codegraph.python.summary.scope import Env, Loop
from codegraph.python.summary.targets import assign


def branch(w: FactRecorder, body: Sequence[ast.stmt], before: Env) -> Env | None:
    """Walk statements from a copy of `before`. Return the variables at their end, or None if the end is unreachable."""
    scope = w.scope
    scope.env, scope.dead = w.carry(before), False
    scope.paths.clear()
    w.run(body)
    after = scope.env
    alive = None if scope.dead else after
    if scope.dead:
        scope.env = before
        scope.publish(after)
    scope.dead = False
    scope.paths.clear()
    return alive


def meet(w: FactRecorder, ends: Sequence[Env | None], before: Env) -> None:
    alive = [each for each in ends if each is not None]
    w.scope.dead = not alive
    w.scope.env = w.merge(alive) if alive else before


def _if(w: FactRecorder, node: ast.If) -> None:
    ends: list[Env | None] = []
    w.value(node.test)
    before = w.scope.env
    ends.append(branch(w, node.body, before))
    while len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
        node = node.orelse[0]
        w.scope.env = before
        w.value(node.test)
        ends.append(branch(w, node.body, w.scope.env))
    ends.append(branch(w, node.orelse, before) if node.orelse else before)
    meet(w, ends, before)


def _loop(w: FactRecorder, node: ast.For | ast.AsyncFor | ast.While) -> None:
    scope = w.scope
    item = NOTHING
    if not isinstance(node, ast.While):
        item = element(w, w.value(node.iter), node.iter.lineno)
    loop = Loop(w.slots + 1)
    scope.loops.append(loop)
    before = scope.env
    scope.env = w.carry(before)
    if isinstance(node, ast.While):
        w.value(node.test)
    else:
        assign(w, node.target, item)
    end = branch(w, node.body, scope.env)
    scope.loops.pop()
    ends = [each for each in (end, *loop.repeated) if each is not None]
    for name, head in loop.heads.items():
        for slot in {each.get(name, NOTHING) for each in ends} - {head}:
            w.copy(slot, head)
    meet(w, [before | loop.heads, *ends], before)
    if node.orelse:
        meet(w, [branch(w, node.orelse, scope.env)], scope.env)
    if loop.left:
        meet(w, [None if scope.dead else scope.env, *loop.left], before)


def _jump(w: FactRecorder, node: ast.Break | ast.Continue) -> None:
    if w.scope.loops:
        loop = w.scope.loops[-1]
        (loop.left if isinstance(node, ast.Break) else loop.repeated).append(w.carry(w.scope.env))
    w.scope.dead = True


def _try(w: FactRecorder, node: ast.Try) -> None:
    before = w.scope.env
    end = branch(w, node.body, before)
    raised = w.merge([before] if end is None else [before, end])
    ends: list[Env | None] = []
    if node.orelse and end is not None:
        end = branch(w, node.orelse, end)
    ends.append(end)
    for each in node.handlers:
        w.scope.env = w.carry(raised)
        if each.type is not None:
            _caught(w, each)
        ends.append(branch(w, each.body, w.scope.env))
    meet(w, ends, raised)
    if node.finalbody:
        dead = w.scope.dead
        w.run(node.finalbody)
        w.scope.dead = w.scope.dead or dead


def _caught(w: FactRecorder, node: ast.ExceptHandler) -> None:
    if node.type is None:
        return
    kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
    slot = w.slot()
    for kind in kinds:
        hint = w.used_value(kind)
        if hint > 0:
            w.facts.hints.append((slot, hint))
    if node.name:
        w.bind(node.name, slot)


def _with(w: FactRecorder, node: ast.With | ast.AsyncWith) -> None:
    for item in node.items:
        manager = w.value(item.context_expr)
        given = NOTHING
        if manager > 0:
            given = w.slot()
            w.facts.contexts.append((manager, given, item.context_expr.lineno, w.scope.index))
        if item.optional_vars is not None:
            assign(w, item.optional_vars, given)
    w.run(node.body)


def _match(w: FactRecorder, node: ast.Match) -> None:
    subject = w.value(node.subject)
    before = w.scope.env
    ends: list[Env | None] = [before]
    for case in node.cases:
        w.scope.env = w.carry(before)
        bind_pattern(w, case.pattern, subject)
        if case.guard is not None:
            w.value(case.guard)
        ends.append(branch(w, case.body, w.scope.env))
    meet(w, ends, before)


STATEMENTS: Statements = {
    ast.If: _if,
    ast.For: _loop,
    ast.AsyncFor: _loop,
    ast.While: _loop,
    ast.Break: _jump,
    ast.Continue: _jump,
    ast.Try: _try,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Match: _match,
}
if hasattr(ast, "TryStar"):
    STATEMENTS[ast.TryStar] = _try
