"""Which two facts of a subject cannot both hold, and how sure that is."""

from typing import Any

import pytest
from msgspec.structs import replace

from almanac.families.knowledge.contradictions.rules import (
    ContradictionFinding,
    DatedStatement,
    dated_statement,
    find_contradiction,
)
from almanac.families.knowledge.core.records import Cardinality
from almanac.families.knowledge.core.timeline import HoldingInterval
from tests.unit.families.knowledge.said_facts import make_fact


def statement(
    predicate: str, what: str, start: int = 0, end: int | None = None, cardinality: Cardinality | None = None
) -> DatedStatement:
    fact = replace(make_fact(f"{predicate}{what}", what, start), predicate=predicate, predicate_key=predicate)
    return dated_statement(fact, HoldingInterval(start, end), cardinality)


def find(
    predicate: str, one: str, other: str, cardinality: Cardinality | None = None, **spans: Any
) -> ContradictionFinding | None:
    """Look for a contradiction between two objects of a predicate, both valid from 0 on, or over `a` and `b`."""
    (start, end), (begin, stop) = spans.get("a", (0, None)), spans.get("b", (0, None))
    first = statement(predicate, one, start, end, cardinality)
    second = statement(predicate, other, begin, stop, cardinality)
    finding = find_contradiction(first, second)
    assert finding == find_contradiction(second, first), "in either order"
    return finding


CARDINALITIES: list[Cardinality | None] = [None, "one", "many"]
OVERLAPPING: dict[str, Any] = {"a": (0, 10), "b": (5, 15)}


def test_two_objects_where_there_is_one_are_sure() -> None:
    assert find("lives_in", "Oslo", "Lima", "one") == ContradictionFinding("high", "one")
    assert find("lives_in", "Oslo", "Lima", "one", **OVERLAPPING) == ContradictionFinding("high", "one")


def test_names_of_which_nobody_stated_how_many_there_are_leave_a_doubt() -> None:
    assert find("lives_in", "Oslo", "Lima") == ContradictionFinding("medium", "together", doubtful=True)
    assert find("lives_in", "Oslo", "Lima", **OVERLAPPING) == ContradictionFinding("low", "overlap", doubtful=True)


def test_what_never_holds_together_is_none() -> None:
    assert find("lives_in", "Oslo", "Lima", "one", a=(0, 5), b=(5, None)) is None
    assert find("lives_in", "Oslo", "Lima", "one", a=(0, 0), b=(0, None)) is None
    assert find_contradiction(statement("likes", "tea", 0, 5), statement("dislikes", "tea", 5)) is None


@pytest.mark.parametrize(
    ("one", "other"), [("tea", "jazz"), ("12 employees", "15 employees"), ("true", "false"), ("open", "closed")]
)
def test_different_objects_of_many_are_none(one: str, other: str) -> None:
    assert find("has", one, other, "many") is None


def test_a_no_to_the_same_object_is_one_of_many_too() -> None:
    assert find("speaks", "German", "not German", "many") == ContradictionFinding("high", "negation")
    one, other = statement("uses", "Go", cardinality="many"), statement("does_not_use", "Go", cardinality="many")
    assert find_contradiction(one, other) == ContradictionFinding("high", "negation")


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        ("12 employees", "15 employees", "value"),
        ("2024-03-05", "6 May 2024", "value"),
        ("open", "closed", "opposite"),
        ("true", "false", "negation"),
    ],
)
def test_values_that_differ_are_sure_together_and_likely_where_they_overlap(one: str, other: str, reason: str) -> None:
    cases: list[tuple[Cardinality | None, dict[str, Any], str]] = [
        (None, {}, "high"),
        (None, OVERLAPPING, "medium"),
        ("one", OVERLAPPING, "high"),
    ]
    for cardinality, spans, severity in cases:
        finding = find("has", one, other, cardinality, **spans)
        assert finding is not None
        assert (finding.severity, finding.reason, finding.doubtful) == (severity, reason, False)


@pytest.mark.parametrize("cardinality", CARDINALITIES)
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("180 cm", "1.8 m"),
        ("about 12 employees", "14 employees"),
        ("March 2024", "2024-03-05"),
        ("Acme", "ACME."),
        ("yes", "True"),
        ("not red", "blue"),
        ("not red", "not blue"),
        ("3.11", "3.11.2"),
        ("Acme, Inc.", "Acme Inc"),
        ("+1 (555) 010-0200", "+15550100200"),
        ("https://a.example/", "https://a.example"),
        ("10 x 20 cm", "10x20 cm"),
    ],
)
def test_objects_that_can_both_be_meant_are_none(cardinality: Cardinality | None, one: str, other: str) -> None:
    assert find("is", one, other, cardinality) is None


def test_measures_of_different_things_are_none_unless_there_is_one_object() -> None:
    assert find("has", "12 employees", "3 offices") is None
    assert find("costs", "5 USD", "5 EUR", "one") == ContradictionFinding("low", "unlike", doubtful=True)


def test_an_object_that_may_say_more_is_doubtful() -> None:
    assert find("lives_in", "Berlin", "Berlin, Germany", "one") == ContradictionFinding(
        "low", "says_more", doubtful=True
    )
    assert find("lives_in", "Berlin", "Berlin, Germany") == ContradictionFinding("low", "says_more", doubtful=True)
    assert find("lives_in", "Berlin", "Berlin, Germany", **OVERLAPPING) is None
    assert find("lives_in", "York", "Yorkshire", "one") == ContradictionFinding("high", "one")


def test_long_texts_that_differ_are_doubtful() -> None:
    one, other = (" ".join([f"the {word} paragraph tells of many things"] * 9) for word in ("first", "second"))
    assert find("summary", one, other, "one") == ContradictionFinding("low", "says_more", doubtful=True)


def test_versions_are_compared_as_such_by_the_name_of_the_predicate() -> None:
    assert find("python_version", "3.1", "3.10") == ContradictionFinding("high", "value")
    assert find("height", "3.1", "3.10") is None


def test_different_predicates_are_only_compared_for_yes_and_no() -> None:
    assert (
        find_contradiction(
            statement("lives_in", "Oslo", cardinality="one"), statement("born_in", "Lima", cardinality="one")
        )
        is None
    )
    assert find_contradiction(statement("likes", "tea"), statement("dislikes", "milk")) is None
