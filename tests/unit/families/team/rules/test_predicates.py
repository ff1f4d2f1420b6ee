"""Test the predicates of rules: their meaning, their refusals, and their bounded cost."""

import json
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from almanac.families.team.rules.paths import document
from almanac.families.team.rules.predicates import compile_predicate
from almanac.kernel.errors import InvalidInput
from almanac.kernel.events import Event
from tests.cpu_time import measure_cpu_seconds

PAYLOAD: dict[str, Any] = {
    "role": "assistant",
    "content_preview": "The request Timed Out after 30 s",
    "size": 3,
    "ratio": 0.5,
    "flag": True,
    "nothing": None,
    "metadata": {"kind": "error", "tags": ["db", "slow"], "deep": {"er": 1}},
    "files": [{"path": "src/a.py"}, {"path": "src/b.py"}],
}


def event(payload: dict[str, Any] = PAYLOAD) -> Event:
    return Event(
        id="01J", kind="turn_recorded", tenant="t", project="p", key="turn/1", at=1000, actor="ann", payload=payload
    )


def holds(where: dict[str, Any] | None) -> bool:
    return compile_predicate(where)(document(event()))


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (None, True),
        ({}, True),
        ({"payload.role": "assistant"}, True),
        ({"payload.role": "user"}, False),
        ({"payload.metadata.kind": "error", "event.actor": "ann"}, True),
        ({"payload.metadata.kind": "error", "event.actor": "bob"}, False),
        ({"payload.metadata.deep": {"er": 1}}, True),
        ({"payload.metadata.deep": {"er": 2}}, False),
        ({"payload.metadata.tags": "slow"}, True),
        ({"payload.metadata.tags": ["db", "slow"]}, True),
        ({"payload.metadata.tags": ["slow", "db"]}, False),
        ({"payload.files.1.path": "src/b.py"}, True),
        ({"payload.files.2.path": "src/b.py"}, False),
        ({"payload.size": 3.0}, True),
        ({"payload.flag": 1}, False),
        ({"payload.flag": True}, True),
        ({"payload.size": "3"}, False),
        ({"payload.nothing": None}, True),
        ({"payload.missing": None}, False),
        ({"payload.role": {"$eq": "assistant"}}, True),
        ({"payload.role": {"$ne": "user"}}, True),
        ({"payload.role": {"$ne": "assistant"}}, False),
        ({"payload.role": {"$in": ["user", "assistant"]}}, True),
        ({"payload.role": {"$nin": ["user", "assistant"]}}, False),
        ({"payload.size": {"$in": [1, 3]}}, True),
        ({"payload.size": {"$nin": ["3"]}}, True),
        ({"payload.metadata.tags": {"$in": ["slow", "x"]}}, True),
        ({"payload.size": {"$gt": 2, "$lte": 3}}, True),
        ({"payload.size": {"$gt": 3}}, False),
        ({"payload.size": {"$gte": 3, "$lt": 3.5}}, True),
        ({"payload.size": {"$gt": "2"}}, False),
        ({"payload.flag": {"$gte": 0}}, False),
        ({"payload.role": {"$gt": "a", "$lt": "b"}}, True),
        ({"event.at": {"$gte": 1000}}, True),
        ({"payload.content_preview": {"$matches": "(?i)timed out"}}, True),
        ({"payload.content_preview": {"$matches": "^timed"}}, False),
        ({"payload.metadata.tags": {"$matches": "^sl"}}, True),
        ({"payload.size": {"$matches": "3"}}, False),
        ({"payload.role": {"$not": {"$matches": "^user"}}}, True),
        ({"$and": [{"payload.size": 3}, {"payload.flag": True}]}, True),
        ({"$or": [{"payload.size": 4}, {"payload.flag": True}]}, True),
        ({"$or": [{"payload.size": 4}, {"payload.flag": False}]}, False),
        ({"$not": {"payload.size": 4}}, True),
        ({"payload.size": 3, "$or": [{"payload.role": "user"}, {"$not": {"payload.flag": False}}]}, True),
    ],
)
def test_a_predicate_holds_or_not(where: dict[str, Any] | None, expected: bool):
    assert holds(where) is expected


@pytest.mark.parametrize(
    "operators",
    [
        {"$eq": None},
        {"$ne": "x"},
        {"$in": [None]},
        {"$nin": ["x"]},
        {"$matches": ""},
        {"$gt": 0},
        {"$gte": ""},
        {"$lt": 9},
        {"$lte": 9},
    ],
)
def test_a_path_that_leads_nowhere_satisfies_no_operator_but_its_absence(operators: dict[str, Any]):
    assert not holds({"payload.metadata.none.at.all": operators})
    assert holds({"payload.metadata.none.at.all": {"$not": operators}})


def test_existence_is_about_the_path_and_not_about_its_value():
    assert holds({"payload.nothing": {"$exists": True}})
    assert holds({"payload.missing": {"$exists": False}})
    assert not holds({"payload.role": {"$exists": False}})


def _nest(depth: int) -> dict[str, Any]:
    where: dict[str, Any] = {"payload.role": "user"}
    for _ in range(depth):
        where = {"$not": where}
    return where


@pytest.mark.parametrize(
    ("where", "path"),
    [
        ({"payload.role": {"$regex": "x"}}, "where.payload.role.$regex"),
        ({"payload.role": {"$eq": 1, "other": 2}}, "where.payload.role"),
        ({"$nor": [{"payload.role": "x"}]}, "where.$nor"),
        ({"$or": []}, "where.$or"),
        ({"$or": {"payload.role": "x"}}, "where.$or"),
        ({"$and": [{"payload.role": "x"}, {}]}, "where.$and[1]"),
        ({"$not": [{"payload.role": "x"}]}, "where.$not"),
        ({"role": "user"}, "where.role"),
        ({"payload..role": "user"}, "where.payload..role"),
        ({"payload.role.": "user"}, "where.payload.role."),
        ({"payload.role": {"$in": "user"}}, "where.payload.role.$in"),
        ({"payload.role": {"$in": []}}, "where.payload.role.$in"),
        ({"payload.role": {"$in": ["x"] * 101}}, "where.payload.role.$in"),
        ({"payload.role": {"$exists": 1}}, "where.payload.role.$exists"),
        ({"payload.size": {"$gt": True}}, "where.payload.size.$gt"),
        ({"payload.size": {"$gt": [1]}}, "where.payload.size.$gt"),
        ({"payload.role": {"$not": "user"}}, "where.payload.role.$not"),
        ({"payload.role": {"$matches": 3}}, "where.payload.role.$matches"),
        ({"payload.role": {"$matches": "(?=x)"}}, "where.payload.role.$matches"),
        ({"payload.role": {"$matches": r"(a)\1"}}, "where.payload.role.$matches"),
        ({"payload.role": {"$matches": "("}}, "where.payload.role.$matches"),
        ({"payload.role": {"$matches": "((a{500}){500}){500}"}}, "where.payload.role.$matches"),
        ({"payload.role": {"$matches": "x" * 513}}, "where.payload.role.$matches"),
        ({"payload.role": "x" * 9000}, "where"),
        (_nest(8), "where" + ".$not" * 8),
        ({f"payload.a{n}": n for n in range(101)}, "where.payload.a100"),
        ({f"payload.a{n}": {"$matches": "x"} for n in range(11)}, "where.payload.a10.$matches"),
    ],
)
def test_what_cannot_be_meant_is_refused_at_its_path(where: dict[str, Any], path: str):
    with pytest.raises(InvalidInput) as refused:
        compile_predicate(where)
    assert refused.value.path == path
    assert refused.value.hint


def test_a_pattern_that_stops_backtracking_engines_takes_no_longer_than_its_text():
    found = document(event({"text": "a" * 16_000 + "b"}))
    wheres = [{"payload.text": {"$matches": pattern}} for pattern in ("^(a+)+$", "^(a|a)*$", "^(.*a){12}c", "(x+x+)+y")]
    predicates = [compile_predicate(where) for where in wheres]
    met, seconds = measure_cpu_seconds(lambda: [each(found) for each in predicates])
    assert met == [False] * 4
    assert seconds < 1


_scalars = st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-2, 2) | st.text("ab", max_size=2)
_values = st.recursive(
    _scalars, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner)
)


def _naive(value: Any, operator: str, operand: Any) -> bool:
    """Evaluate a predicate by a simple implementation of the description."""
    if operator == "$eq":
        return _among(value, operand)
    if operator == "$ne":
        return not _among(value, operand)
    among = any(_among(value, each) for each in operand)
    return among if operator == "$in" else not among


def _among(value: Any, wanted: Any) -> bool:
    entries = cast("list[Any]", value) if isinstance(value, list) else []
    return _canonical(wanted) in {_canonical(value), *map(_canonical, entries)}


def _canonical(value: Any) -> str:
    """JSON text in which equal numbers look alike."""
    match value:
        case float() if value.is_integer():
            return json.dumps(int(value))
        case list():
            entries = cast("list[Any]", value)
            return f"[{','.join(map(_canonical, entries))}]"
        case dict():
            fields = cast("dict[str, Any]", value)
            return f"{{{','.join(f'{name}:{_canonical(fields[name])}' for name in sorted(fields))}}}"
        case _:
            return json.dumps(value)


@given(_values, _values, st.lists(_values, min_size=1, max_size=3))
def test_equality_and_membership_are_those_of_json(value: Any, operand: Any, operands: list[Any]):
    found = document(event({"x": value}))
    for operator in ("$eq", "$ne"):
        assert compile_predicate({"payload.x": {operator: operand}})(found) is _naive(value, operator, operand)
    for operator in ("$in", "$nin"):
        assert compile_predicate({"payload.x": {operator: operands}})(found) is _naive(value, operator, operands)
