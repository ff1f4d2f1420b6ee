"""Rules that decide whether two facts of one subject contradict each other while both hold, and how sure that is.

- high: certain. One fact denies the other, the predicate has one object at a time, two numbers, dates, versions or
  opposite values start together, or an edge states the contradiction.
- medium: likely. Two such values overlap with stated ends and no stated cardinality, or two names start at the same
  instant.
- low: a contradiction only if the predicate has one object at a time. Two names overlap with stated ends, or an object
  may only be more precise than the other.
"""

from typing import Literal

from msgspec import Struct

from almanac.families.knowledge.contradictions.quantities import may_be_equal, quantities_in
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
"""Longer objects are prose, and the rules do not compare values inside them."""


class DatedStatement(Struct, frozen=True):
    """A fact, when it holds, and its normal form."""

    fact: Fact
    holding: HoldingInterval
    statement: Statement
    cardinality: Cardinality | None


class ContradictionFinding(Struct, frozen=True):
    """Reason and certainty of a contradiction between two facts. `doubtful`: the rules cannot decide, but a language
    model may. `by`: the actor of a stated contradiction."""

    severity: Severity
    reason: Reason
    doubtful: bool = False
    by: str = ""


def dated_statement(fact: Fact, holding: HoldingInterval, cardinality: Cardinality | None) -> DatedStatement:
    return DatedStatement(fact, holding, statement_of(fact.predicate, fact.object), cardinality)


def find_contradiction(one: DatedStatement, other: DatedStatement) -> ContradictionFinding | None:
    """Return the contradiction of two facts of one subject; None if both can be true, or never hold together."""
    if not one.holding.overlaps(other.holding):
        return None
    if one.statement.about == other.statement.about:
        return _negation(one, other) if one.statement.says != other.statement.says else None
    if one.fact.predicate_key != other.fact.predicate_key or one.fact.object_key == other.fact.object_key:
        return None
    return None if one.cardinality == "many" else _values(one, other)


def _negation(one: DatedStatement, other: DatedStatement) -> ContradictionFinding | None:
    """Return the contradiction of a statement and its denial. A predicate with many objects may have both true and
    false."""
    by_value = one.statement.by_value and other.statement.by_value
    same = one.fact.predicate_key == other.fact.predicate_key
    if by_value and same:
        return None if one.cardinality == "many" else _by_span(one, other, "negation")
    return ContradictionFinding("high", "negation")


def _values(one: DatedStatement, other: DatedStatement) -> ContradictionFinding | None:
    a, b = one.fact.object, other.fact.object
    if is_negated(a) or is_negated(b):
        # "not red" does not contradict "blue".
        return None
    versioned = any(word in one.fact.predicate.casefold() for word in _VERSIONS)
    amounts = quantities_in(a, versioned=versioned), quantities_in(b, versioned=versioned)
    same = may_be_equal(*amounts)
    if same is not None:
        return None if same else _by_span(one, other, "value")
    if same_signs(a, b):
        return None
    if opposite_values(a, b):
        return _by_span(one, other, "opposite")
    is_one = one.cardinality == "one"
    if all(amounts):
        # "12 employees" and "3 offices" agree. A single value, such as a price of 5 USD or 4 EUR, may not.
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
    """Return whether one text begins or ends with the other, such as "Berlin, Germany" and "Berlin". Assume so for two
    long texts."""
    a, b = plain_of(one), plain_of(other)
    if min(len(a), len(b)) > _PROSE:
        return True
    short, long = sorted((a, b), key=len)
    rest = long.removeprefix(short) if long.startswith(short) else long.removesuffix(short)[::-1]
    return len(rest) < len(long) and not rest[:1].isalnum()
