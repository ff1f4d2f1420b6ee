"""Record the names that patterns of a match statement bind."""

import ast
from collections.abc import Callable
from typing import Any

from codegraph.python.summary.expressions import load
from codegraph.python.summary.facts import NOTHING
from codegraph.python.summary.recorder import DEEPEST, FactRecorder
from codegraph.python.summary.syntax import constant_key


def bind_pattern(w: FactRecorder, pattern: ast.pattern, subject: int) -> None:
    if w.depth > DEEPEST:
        return
    w.depth += 1
    handler = _PATTERNS.get(type(pattern))
    if handler is not None:
        handler(w, pattern, subject)
    w.depth -= 1


def _as(w: FactRecorder, pattern: ast.MatchAs, subject: int) -> None:
    if pattern.pattern is not None:
        bind_pattern(w, pattern.pattern, subject)
    if pattern.name:
        w.bind(pattern.name, subject)


def _or(w: FactRecorder, pattern: ast.MatchOr, subject: int) -> None:
    for each in pattern.patterns:
        bind_pattern(w, each, subject)


def _class(w: FactRecorder, pattern: ast.MatchClass, subject: int) -> None:
    w.value(pattern.cls)
    for name, each in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True):
        bind_pattern(w, each, load(w, subject, name, pattern.lineno) if subject > 0 else NOTHING)
    for each in pattern.patterns:
        bind_pattern(w, each, NOTHING)


def _item(w: FactRecorder, subject: int, key: int, line: int) -> int:
    if subject < 0:
        return NOTHING
    item = w.slot()
    w.facts.gets.append((subject, key, item, line, w.scope.index))
    return item


def _sequence(w: FactRecorder, pattern: ast.MatchSequence, subject: int) -> None:
    after_star = False
    for place, each in enumerate(pattern.patterns):
        if isinstance(each, ast.MatchStar):
            after_star = True
            if each.name:
                w.bind(each.name, subject)
            continue
        key = place - len(pattern.patterns) if after_star else place
        bind_pattern(w, each, _item(w, subject, w.constant(key), pattern.lineno))


def _bind_mapping(w: FactRecorder, pattern: ast.MatchMapping, subject: int) -> None:
    for key, each in zip(pattern.keys, pattern.patterns, strict=True):
        known = constant_key(key)
        slot = NOTHING if known is None else w.constant(known)
        bind_pattern(w, each, _item(w, subject, slot, pattern.lineno))
    if pattern.rest:
        w.bind(pattern.rest, subject)


_PATTERNS: dict[type[ast.pattern], Callable[[FactRecorder, Any, int], None]] = {
    ast.MatchAs: _as,
    ast.MatchOr: _or,
    ast.MatchSequence: _sequence,
    ast.MatchMapping: _bind_mapping,
    ast.MatchClass: _class,
}
