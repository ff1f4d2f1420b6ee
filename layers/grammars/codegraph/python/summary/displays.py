"""Record lists, tuples, sets, dictionaries and comprehensions, with their items."""

import ast
from collections.abc import Sequence

from codegraph.python.summary.facts import NOTHING
from codegraph.python.summary.recorder import Expressions, FactRecorder
from codegraph.python.summary.syntax import key_slot
from codegraph.python.summary.targets import assign


def _sequence(w: FactRecorder, node: ast.List | ast.Tuple | ast.Set) -> int:
    kind = type(node).__name__.lower()
    exact = not any(type(each) is ast.Starred for each in node.elts)
    slot = w.container(kind, len(node.elts) if exact else NOTHING)
    place = 0
    for each in node.elts:
        if type(each) is ast.Starred:
            item = element(w, w.value(each.value), each.lineno)
            key = NOTHING
            exact = False
        else:
            item = w.used_value(each)
            key = w.constant(place) if kind != "set" and place < 64 and item > 0 and exact else NOTHING
            place += 1
        if item > 0:
            w.put(slot, key, item, each.lineno)
    return slot


def _dict(w: FactRecorder, node: ast.Dict) -> int:
    slot = w.container("dict")
    for key, each in zip(node.keys, node.values, strict=True):
        if key is None:
            w.copy(w.value(each), slot)
            continue
        place = w.value(key)
        item = w.used_value(each)
        if item > 0 or place > 0:
            w.put(slot, key_slot(key, place), item, each.lineno)
    return slot


def element(w: FactRecorder, iterated: int, line: int) -> int:
    """Return the slot of what an iteration over a value gives."""
    if iterated < 0:
        return NOTHING
    slot = w.slot()
    w.facts.iterations.append((iterated, slot, line, w.scope.index))
    return slot


def _comprehension(w: FactRecorder, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> int:
    slot = w.container("list" if isinstance(node, ast.ListComp) else "generator")
    before = _generators(w, node.generators)
    item = w.used_value(node.elt)
    if item > 0:
        w.put(slot, NOTHING, item, node.lineno)
    w.scope.env = before
    return slot


def _dict_comprehension(w: FactRecorder, node: ast.DictComp) -> int:
    slot = w.container("dict")
    before = _generators(w, node.generators)
    key = w.value(node.key)
    item = w.used_value(node.value)
    w.put(slot, key_slot(node.key, key), item, node.lineno)
    w.scope.env = before
    return slot


def _generators(w: FactRecorder, generators: Sequence[ast.comprehension]) -> dict[str, int]:
    """Bind the variables of a comprehension, and return those from before it."""
    before = w.scope.env
    w.scope.env = w.carry(before)
    for each in generators:
        item = element(w, w.value(each.iter), each.iter.lineno)
        assign(w, each.target, item, local=True)
        for test in each.ifs:
            w.value(test)
    return before


EXPRESSIONS: Expressions = {
    ast.List: _sequence,
    ast.Tuple: _sequence,
    ast.Set: _sequence,
    ast.Dict: _dict,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _dict_comprehension,
}
