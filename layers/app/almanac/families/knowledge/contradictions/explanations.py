"""Explanations of contradictions in plain words.

Names are quoted so that they cannot end their quotation marks.
"""

from datetime import tzinfo

from almanac.families.knowledge.contradictions.pairs import Pair
from almanac.families.knowledge.contradictions.rules import DatedStatement
from almanac.families.knowledge.core.spans import common_span, span_text
from almanac.families.memory.synthesis.passages import quotable

_CHARACTERS = 80


def explanation_of(pair: Pair, zone: tzinfo) -> str:
    """Return both facts, when each holds, and why they contradict each other."""
    one, other = pair.one, pair.other
    both = span_text(common_span(one.holding, other.holding), zone)
    return f"{_describe(one, zone)}; {_describe(other, zone)}. {reason_of(pair)} Both are said to hold {both}."


def reason_of(pair: Pair) -> str:
    """Return a sentence on why the two facts contradict each other."""
    predicate = quote(pair.one.fact.predicate)
    match pair.finding.reason:
        case "negation":
            return "The one says yes and the other no of the same thing."
        case "opposite":
            return "The two values are opposites."
        case "value":
            return "The two values of the same measure differ."
        case "one":
            return f"{predicate} has one object at a time."
        case "together":
            return (
                f"Only if {predicate} can have one object at a time: nobody stated its cardinality. Both begin at once."
            )
        case "overlap":
            return f"Only if {predicate} can have one object at a time: nobody stated its cardinality."
        case "says_more":
            return "The one may only say more than the other."
        case "unlike":
            return f"{predicate} has one object at a time, and the two measures cannot be compared."
        case "stated":
            return f"{quote(pair.finding.by)} stated that the two contradict each other."


def _describe(one: DatedStatement, zone: tzinfo) -> str:
    fact = one.fact
    said = f"{quote(fact.subject)} {quote(fact.predicate)} {quote(fact.object)}"
    return f"{said} ({span_text(one.holding, zone)})"


def quote(name: str) -> str:
    plain = quotable(name)
    return f'"{plain}"' if len(plain) <= _CHARACTERS else f'"{plain[:_CHARACTERS].rstrip()}…"'
