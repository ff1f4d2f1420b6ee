"""Assign to targets: names, attributes, items, and tuples of these."""

import ast

from codegraph.python.summary.facts import NOTHING
from codegraph.python.summary.recorder import FactRecorder
from codegraph.python.summary.syntax import key_slot


def assign(w: FactRecorder, target: ast.expr, slot: int, *, local: bool = False) -> None:
    """Bind `target` to the value in `slot`. `local` are the names of a comprehension, which nothing else sees."""
    if isinstance(target, ast.Name):
        if local:
            w.scope.env[target.id] = slot
        else:
            w.bind(target.id, slot)
    elif isinstance(target, ast.Attribute):
        _set_attribute(w, target, slot)
    elif isinstance(target, ast.Subscript):
        _put(w, target, slot)
    elif isinstance(target, ast.Tuple | ast.List):
        _unpack(w, target, slot, local=local)
    elif isinstance(target, ast.Starred):
        assign(w, target.value, slot, local=local)


def _set_attribute(w: FactRecorder, target: ast.Attribute, slot: int) -> None:
    base = w.value(target.value)
    if base < 0:
        return
    for path in [each for each in w.scope.paths if each[1] == target.attr]:
        del w.scope.paths[path]
    w.remember(base, target.attr, slot)
    if slot > 0:
        w.facts.stores.append((base, target.attr, slot))


def _put(w: FactRecorder, target: ast.Subscript, slot: int) -> None:
    base = w.value(target.value)
    if base < 0 or isinstance(target.slice, ast.Slice):
        return
    key = key_slot(target.slice, w.value(target.slice))
    exact = w.is_constant(key)
    for thing, path in list(w.scope.paths):
        if isinstance(path, int) and (not exact or path == key or not w.is_constant(path)):
            del w.scope.paths[thing, path]
    if key > 0:
        w.remember(base, key, slot)
    if slot > 0:
        w.put(base, key, slot, target.lineno)


def _unpack(w: FactRecorder, target: ast.Tuple | ast.List, slot: int, *, local: bool) -> None:
    if slot < 0:
        for each in target.elts:
            assign(w, each, NOTHING, local=local)
        return
    after_star = False
    for place, each in enumerate(target.elts):
        if isinstance(each, ast.Starred):
            after_star = True
            rest = w.slot()
            end = place - len(target.elts) + 1
            w.facts.slices.append((slot, place, end or NOTHING, rest))
            assign(w, each.value, rest, local=local)
            continue
        item = w.slot()
        key = w.constant(place - len(target.elts) if after_star else place)
        w.facts.gets.append((slot, key, item, target.lineno, w.scope.index))
        assign(w, each, item, local=local)


def assign_display(w: FactRecorder, target: ast.Tuple | ast.List, items: list[int]) -> bool:
    """Bind the names of `a, *b = x, y, z` one by one. Return false if the counts do not match."""
    stars = [place for place, each in enumerate(target.elts) if isinstance(each, ast.Starred)]
    if len(stars) > 1 or (not stars and len(items) != len(target.elts)) or len(items) < len(target.elts) - 1:
        return False
    if stars:
        start, end = stars[0], len(items) - (len(target.elts) - stars[0] - 1)
        middle = w.container("list", end - start)
        for place, item in enumerate(items[start:end]):
            if item > 0:
                w.put(middle, w.constant(place), item, target.lineno)
        items = [*items[:start], middle, *items[end:]]
    for each, item in zip(target.elts, items, strict=True):
        assign(w, each, item)
    return True
