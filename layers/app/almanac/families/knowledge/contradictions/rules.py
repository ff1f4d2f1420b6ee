"""Rules that decide whether two facts of one subject that hold at the same time can both be true, and how sure that is.

high     sure: the one says yes and the other no of the same thing; two objects where the predicate has one; two
         numbers, dates, versions or opposite values that begin together; an edge says that they contradict
medium   likely: two such values with stated ends that overlap, where nobody stated a cardinality; two names that
         begin at the same instant
low      only if one alone can hold: names with stated ends that overlap; an object that may only say more
"""

from typing import Literal

from msgspec import Struct

from almanac.families.knowledge.contradictions.quantities import compared, readings
from almanac.families.knowledge.contradictions.statements import (
    Statement,
    is_negated,
    opposite_values,
    plain_of,
    same_signs,
    statement_of,
)
from almanac.families.knowledge.core.records import Cardinality, Fact
from almanac.families.knowledge.core.timeline import HoldingInterval

Severity = Literal["low", "medium", "high"]
Reason = Literal["negation", "opposite", "value", "one", "together", "overlap", "says_more", "unlike", "stated"]

_VERSIONS = ("version", "release", "revision")
_PROSE = 300
"""Longer objects are texts: which values in them differ is no matter for rules."""


class DatedStatement(Struct, frozen=True):
    """A fact, when it holds, and what it says."""

    fact: Fact
    holding: HoldingInterval
    statement: Statement
    cardinality: Cardinality | None


class ContradictionFinding(Struct, frozen=True):
    """`doubtful`: rules cannot tell whether only one can hold; a model may. `by`: who stated it with an edge."""

    severity: Severity
    reason: Reason
    doubtful: bool = False
    by: str = ""


def reading_of(fact: Fact, holding: HoldingInterval, cardinality: Cardinality | None) -> DatedStatement:
    return DatedStatement(fact, holding, statement_of(fact.predicate, fact.object), cardinality)


def finding_of(one: DatedStatement, other: DatedStatement) -> ContradictionFinding | None:
    """Return the contradiction of two facts of one subject; None if both can hold, or never hold together."""
    if not one.holding.overlaps(other.holding):
        return None
    if one.statement.about == other.statement.about:
        return _negation(one, other) if one.statement.says != other.statement.says else None
    if one.fact.predicate_key != other.fact.predicate_key or one.fact.object_key == other.fact.object_key:
        return None
    return None if one.cardinality == "many" else _values(one, other)


def _negation(one: DatedStatement, other: DatedStatement) -> ContradictionFinding | None:
    """true and false beside each other are what `many` allows."""
    by_value = one.statement.by_value and other.statement.by_value
    same = one.fact.predicate_key == other.fact.predicate_key
    if by_value and same:
        return None if one.cardinality == "many" else _by_span(one, other, "negation")
    return ContradictionFinding("high", "negation")


def _values(one: DatedStatement, other: DatedStatement) -> ContradictionFinding | None:
    a, b = one.fact.object, other.fact.object
    if is_negated(a) or is_negated(b):
        # "not red" goes well with blue.
        return None
    versioned = any(word in one.fact.predicate.casefold() for word in _VERSIONS)
    amounts = readings(a, versioned=versioned), readings(b, versioned=versioned)
    same = compared(*amounts)
    if same is not None:
        return None if same else _by_span(one, other, "value")
    if same_signs(a, b):
        return None
    if opposite_values(a, b):
        return _by_span(one, other, "opposite")
    is_one = one.cardinality == "one"
    if all(amounts):
        # 12 employees and 3 offices; but of one thing alone, 5 USD and 4 EUR may be wrong.
        return ContradictionFinding("low", "unlike", doubtful=True) if is_one else None
    if _says_more(a, b):
        return ContradictionFinding("low", "says_more", doubtful=True) if is_one or _together(one, other) else None
    if is_one:
        return ContradictionFinding("high", "one")
    if _together(one, other):
        return ContradictionFinding("medium", "together", doubtful=True)
    return ContradictionFinding("low", "overlap", doubtful=True)


def _by_span(one: DatedStatement, other: DatedStatement, reason: Reason) -> ContradictionFinding:
    is_sure = one.cardinality == "one" or _together(one, other)
    return ContradictionFinding("high" if is_sure else "medium", reason)


def _together(one: DatedStatement, other: DatedStatement) -> bool:
    return one.holding.start == other.holding.start


def _says_more(one: str, other: str) -> bool:
    """Berlin and "Berlin, Germany"; a text and a longer one that begins or ends with it. Long texts mostly do."""
    a, b = plain_of(one), plain_of(other)
    if min(len(a), len(b)) > _PROSE:
        return True
    short, long = sorted((a, b), key=len)
    rest = long.removeprefix(short) if long.startswith(short) else long.removesuffix(short)[::-1]
    return len(rest) < len(long) and not rest[:1].isalnum()
