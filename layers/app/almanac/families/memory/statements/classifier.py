"""The kind of a sentence: rules for what is certain, a small linear model for the rest."""

import re
from functools import lru_cache
from math import exp

from msgspec import Struct

from almanac.families.memory.statements.features import features_of
from almanac.families.memory.statements.sentence_worth import is_small_talk
from almanac.families.memory.statements.sentences import is_question
from almanac.families.memory.statements.weights import KINDS, StatementKind, Weights, packaged_weights

_REMEMBERED = 4096
_TASK = re.compile(r"\bTO-?DO\b|^(?:action item|follow-up)\b", re.IGNORECASE)
_OPEN = re.compile(r"^(?:still )?(?:open|left|outstanding|remaining)\s*:", re.IGNORECASE)
_SUPPOSED = re.compile(
    r"^(?:if|suppose|imagine|what if|maybe|perhaps)\b|\b(?:wait,? no|no,? wait|hypothetically|we'll see|who knows"
    r"|not sure|no idea|haha|at my (?:last|old)|(?:did|ha[ds]|have)(?: not|n't)(?: \w+)? (?:decided?|agreed?|settled?"
    r"|choose|chosen)|nothing (?:is )?decided)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"^(?:(?:and|so|ok|hey|but|well),? )?(?:what|when|where|who|how|why|which)(?:'s| (?:is|are|do|does|did|have|has|can"
    r"|should|would|was|were|many|much|long|time|day|about)) [^.!:;]+$",
    re.IGNORECASE,
)
_QUOTE = re.compile(
    '^["\'\N{LEFT DOUBLE QUOTATION MARK}][^"]{4,}["\'\N{RIGHT DOUBLE QUOTATION MARK}][,.]? (?:is|was|as|says)\\b'
)


class Judgement(Struct, frozen=True):
    """The likeliest kind, and its share of all kinds, from 0 to 1."""

    kind: StatementKind
    share: float


def classify(sentence: str) -> Judgement:
    """Return what a sentence does. The same sentence is judged once."""
    return _remembered(sentence)


@lru_cache(_REMEMBERED)
def _remembered(sentence: str) -> Judgement:
    return _by_rule(sentence) or judged(sentence, packaged_weights())


def judged(sentence: str, weights: Weights) -> Judgement:
    """Return the kind by the model alone."""
    scores = list(weights.biases)
    rows = [row for one in features_of(sentence) if (row := weights.by_feature.get(one)) is not None]
    if rows:
        unit = weights.unit
        for kind, column in enumerate(zip(*rows, strict=True)):
            scores[kind] += unit * sum(column)
    best = max(range(len(KINDS)), key=scores.__getitem__)
    return Judgement(KINDS[best], 1 / sum(exp(max(-60.0, one - scores[best])) for one in scores))


def _by_rule(sentence: str) -> Judgement | None:
    text = sentence.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").strip()
    if is_question(text) or _ASKS.match(text):
        return Judgement("question", 1.0)
    if is_small_talk(text) or not any(map(str.isalnum, text)):
        return Judgement("filler", 1.0)
    if _QUOTE.match(text) or _SUPPOSED.search(text):
        return Judgement("aside", 1.0)
    if _TASK.search(text) or _OPEN.match(text):
        return Judgement("task", 1.0)
    return None
