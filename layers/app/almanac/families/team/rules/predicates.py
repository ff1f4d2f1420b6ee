"""Predicates of rules: the `where` that selects the events of a rule.

    {"payload.metadata.kind": "error"}                              a value: equality, or an entry of a list
    {"payload.metadata.retries": {"$gte": 3, "$lt": 10}}            operators; all of them hold
    {"$or": [{"payload.role": "user"}, {"event.actor": "ann"}]}     several keys of one object: all of them hold

Operators of a path: $eq $ne $in $nin $matches $exists $gt $gte $lt $lte $not. Of predicates: $and $or $not. A path that
leads nowhere satisfies `{"$exists": false}` and no other operator, not even $ne and $nin. A `$not` reverses the result
of the condition or predicate inside it.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from math import inf
from typing import Any, cast

from almanac.families.team.rules.comparisons import ORDERS, Test, compares_with, equals, matches, one_of
from almanac.families.team.rules.effort import FOR_A_COMPARISON, FOR_A_CONDITION, spend
from almanac.families.team.rules.paths import MISSING, Document, Read, reader
from almanac.families.team.rules.patterns import pattern
from almanac.kernel.errors import InvalidInput

MAX_BYTES = 8 * 1024
MAX_DEPTH = 8
MAX_CONDITIONS = 100
MAX_VALUES = 100
MAX_PATTERNS = 10
MAX_PROGRAM = 450
"""Instructions of all patterns of one predicate. That many can each examine 4 KB within one round."""
MAX_CLASSES = 20
"""Unicode classes in all patterns of one predicate. Compiling one takes up to half a millisecond."""

OPERATORS = ("$eq", "$ne", "$in", "$nin", "$matches", "$exists", *ORDERS, "$not")
LOGIC = ("$and", "$or", "$not")

Predicate = Callable[[Document], bool]


def compile_predicate(where: Mapping[str, Any] | None) -> Predicate:
    """Compile `where` to a function. None and {} match every event.

    Raises InvalidInput whose `path` leads to the error: an unknown operator, an operand of the wrong form, a bad path
    or pattern, or more than 8 KB, 8 levels, 100 conditions or 10 patterns.
    """
    if not where:
        return _always
    _check_size(where)
    return _Parser().predicate(where, "where", 1)


def compile_checked(where: Mapping[str, Any] | None) -> Predicate:
    """Compile the predicate of a new rule. Raises InvalidInput as `predicate` does, and for patterns too large to match
    on every event. It stops at the first of these, since compiling all would cost more than matching them."""
    if not where:
        return _always
    _check_size(where)
    return _Parser(MAX_PROGRAM, MAX_CLASSES).predicate(where, "where", 1)


def paths_in(where: Mapping[str, Any] | None) -> Iterator[str]:
    """Yield the paths of a checked predicate."""
    for name, value in (where or {}).items():
        if not name.startswith("$"):
            yield name
        else:
            for each in cast("list[dict[str, Any]]", value if isinstance(value, list) else [value]):
                yield from paths_in(each)


def _always(_: Document) -> bool:
    return True


def _check_size(where: Mapping[str, Any]) -> None:
    try:
        size = len(json.dumps(where, ensure_ascii=False, allow_nan=False).encode())
    except (TypeError, ValueError, RecursionError):
        raise InvalidInput("where is not JSON.", "Send an object of paths and values.", path="where") from None
    if size > MAX_BYTES:
        raise InvalidInput(f"where has {size} bytes, over {MAX_BYTES}.", "Split it into several rules.", path="where")


class _Parser:
    """Parses one `where` and counts everything that is bounded."""

    def __init__(self, most_program: float = inf, most_classes: float = inf) -> None:
        self._conditions = 0
        self._patterns = 0
        self._program = 0
        self._most_program = most_program
        self._classes = 0
        self._most_classes = most_classes

    def predicate(self, where: Any, path: str, depth: int) -> Predicate:
        if not isinstance(where, dict) or not where:
            raise InvalidInput(
                f"{path} is not an object with conditions.", 'Write one such as {"payload.role": "user"}.', path=path
            )
        if depth > MAX_DEPTH:
            raise InvalidInput(f"{path} is nested deeper than {MAX_DEPTH}.", "Flatten it.", path=path)
        entries = cast("dict[str, Any]", where).items()
        return _all([self._entry(name, value, f"{path}.{name}", depth) for name, value in entries])

    def _entry(self, name: str, value: Any, path: str, depth: int) -> Predicate:
        if not name.startswith("$"):
            return self._condition(reader(name, path), value, path, depth)
        if name == "$not":
            inner = self.predicate(value, path, depth + 1)
            return lambda document: not inner(document)
        if name not in LOGIC:
            raise _unknown(name, LOGIC, path)
        if not isinstance(value, list) or not value:
            raise InvalidInput(
                f"{path} is not a list of predicates.", 'Write one such as [{"payload.role": "user"}].', path=path
            )
        listed = enumerate(cast("list[Any]", value))
        parts = [self.predicate(each, f"{path}[{place}]", depth + 1) for place, each in listed]
        return _all(parts) if name == "$and" else _any(parts)

    def _condition(self, read: Read, value: Any, path: str, depth: int) -> Predicate:
        if not _has_operators(value, path):
            self._count(path)
            return _apply_test(read, equals(value), 1)
        operators = cast("dict[str, Any]", value).items()
        return _all([self._operator(read, name, operand, f"{path}.{name}", depth) for name, operand in operators])

    def _operator(self, read: Read, name: str, operand: Any, path: str, depth: int) -> Predicate:
        self._count(path)
        if name == "$exists":
            if not isinstance(operand, bool):
                raise InvalidInput(f"{path} is neither true nor false.", "Use true or false.", path=path)
            return lambda document: (read(document) is not MISSING) is operand
        if name == "$not":
            if depth >= MAX_DEPTH or not _has_operators(operand, path):
                raise InvalidInput(
                    f"{path} has no operators.", 'Write some, such as {"$not": {"$matches": "^draft"}}.', path=path
                )
            inner = self._condition(read, operand, path, depth + 1)
            return lambda document: not inner(document)
        values = len(cast("list[Any]", operand)) if isinstance(operand, list) else 1
        return _apply_test(read, self._test(name, operand, path), values)

    def _test(self, name: str, operand: Any, path: str) -> Test:
        if name == "$eq":
            return equals(operand)
        if name == "$ne":
            return _negate(equals(operand))
        if name in ("$in", "$nin"):
            test = one_of(_values(operand, path))
            return test if name == "$in" else _negate(test)
        if name in ORDERS:
            if isinstance(operand, bool) or not isinstance(operand, int | float | str):
                raise InvalidInput(f"{path} is neither a number nor text.", "Write one of them, such as 3.", path=path)
            return compares_with(ORDERS[name], operand)
        if name == "$matches":
            return self._matches(operand, path)
        raise _unknown(name, OPERATORS, path)

    def _matches(self, operand: Any, path: str) -> Test:
        if not isinstance(operand, str):
            raise InvalidInput(f"{path} is not text.", 'Write a pattern such as "(?i)time.?out".', path=path)
        self._patterns += 1
        if self._patterns > MAX_PATTERNS:
            raise InvalidInput(
                f"There are more than {MAX_PATTERNS} patterns.", "Join some with a|b, or split the rule.", path=path
            )
        self._classes += operand.count("\\p") + operand.count("\\P")
        if self._classes > self._most_classes:
            raise InvalidInput(
                f"There are more than {self._most_classes} classes such as \\pL in the patterns.",
                "Use fewer of them, or split the rule.",
                path=path,
            )
        document = pattern(operand, path)
        self._program += document.size
        if self._program > self._most_program:
            raise InvalidInput(
                f"The patterns compile to {self._program} steps in total, over {self._most_program}.",
                "Use shorter patterns and smaller repetitions, or split the rule.",
                path="where",
            )
        return matches(document)

    def _count(self, path: str) -> None:
        self._conditions += 1
        if self._conditions > MAX_CONDITIONS:
            raise InvalidInput(
                f"There are more than {MAX_CONDITIONS} conditions.", "Split it into several rules.", path=path
            )


def _has_operators(value: Any, path: str) -> bool:
    """Return whether the value is an object of operators. Raises InvalidInput if only some of its names are."""
    if not isinstance(value, dict) or not value:
        return False
    marked = [name.startswith("$") for name in cast("dict[str, Any]", value)]
    if any(marked) and not all(marked):
        raise InvalidInput(f"{path} mixes operators with names.", "Use only operators, or only names.", path=path)
    return all(marked)


def _values(operand: Any, path: str) -> list[Any]:
    values = cast("list[Any]", operand) if isinstance(operand, list) else []
    if not 1 <= len(values) <= MAX_VALUES:
        raise InvalidInput(
            f"{path} is not a list of 1 to {MAX_VALUES} values.", 'Write one such as ["error", "fatal"].', path=path
        )
    return values


def _unknown(name: str, known: tuple[str, ...], path: str) -> InvalidInput:
    return InvalidInput(f'"{name[:40]}" is not an operator here.', f"Use one of {' '.join(known)}.", path=path)


def _apply_test(read: Read, test: Test, values: int) -> Predicate:
    """Build a predicate from a test. The value at the path, or each entry of it, is compared with at most `values`
    values."""
    each = FOR_A_COMPARISON * values

    def holds(document: Document) -> bool:
        value = read(document)
        if type(value) is list:
            spend(FOR_A_CONDITION + each * len(cast("list[Any]", value)))
        else:
            spend(FOR_A_CONDITION + each)
        return value is not MISSING and test(value)

    return holds


def _negate(test: Test) -> Test:
    return lambda value: not test(value)


def _all(parts: list[Predicate]) -> Predicate:
    return parts[0] if len(parts) == 1 else lambda document: all(part(document) for part in parts)


def _any(parts: list[Predicate]) -> Predicate:
    return lambda document: any(part(document) for part in parts)
