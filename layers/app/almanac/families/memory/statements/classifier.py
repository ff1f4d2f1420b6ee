"""Classify a sentence into kinds, by rules in certain cases and by a small linear model in all others."""

import re
from collections.abc import Collection
from functools import lru_cache
from math import exp

from msgspec import Struct

from almanac.families.memory.statements.features import features_of
from almanac.families.memory.statements.pasted_output import names_error
from almanac.families.memory.statements.sentence_worth import is_small_talk
from almanac.families.memory.statements.sentences import is_question
from almanac.families.memory.statements.weights import KINDS, StatementKind, Weights, packaged_weights

_REMEMBERED = 4096
_TASK = re.compile(r"\bTO-?DO\b|^(?:action item|follow-up)\b", re.IGNORECASE)
_OPEN = re.compile(r"^(?:still )?(?:open|left|outstanding|remaining)\s*:", re.IGNORECASE)
_SUPPOSED = re.compile(
    r"^(?:if|suppose|imagine|what if|maybe|perhaps|vielleicht|eventuell|peut-être|quizás|tal vez)\b"
    r"|\b(?:wait,? no|no,? wait|hypothetically|we'll see|who knows|not sure|no idea|haha|at my (?:last|old)"
    r"|when (?:I|we|he|she|they) (?:was|were)"
    r"|(?:did|ha[ds]|have)(?: not|n't)(?: \w+)? (?:decided?|agreed?|settled?|choose|chosen)|nothing (?:is )?decided)\b",
    re.IGNORECASE,
)
_CHOOSES = re.compile(
    r"^(?:(?:ok(?:ay)?|right|so|alright|fine|well|then|hm+|ah|oh)\W+)*"
    r"(?!(?:I|you|we|he|she|they|here|there|that|this|as|how|what|such|yes|no|sure|because|of|like|where|and|but)\b)"
    r"[\w'-]+(?: (?!(?:as|how|that|what|like|where|think|know|course)\b)[\w'-]+){0,2} it is(?: then)?\W*$",
    re.IGNORECASE,
)
_CHOOSES_THEN = re.compile(
    r"^(?:(?:ok(?:ay)?|right|so|alright|fine|well|hm+|ah|oh)\W+)*"
    r"(?!\W*(?:go|wait|see|talk|call|write|come|leave|carry|let|try|do|bye|good|until|till|by|since|back|even|just|not|no|yes|and"
    r"|but|that|this|it|what|who|why|how|when|where|now|well|later|next|tell|show|run|stop|on|off|more|most)\b)"
    r"[\w'.+-]+(?: (?!(?:you|it|me|him|her|them|by|until|till|since|back|even|just|and|now|was|were|is|are|had|did)\b)"
    r"[\w'.+-]+){0,2},? then\W*$",
    re.IGNORECASE,
)
"""Matches a choice in one to three words and "then": "ok, larch then", unlike "go on then"."""
_ASKS = re.compile(
    r"^(?:(?:and|so|ok|hey|but|well),? )?(?:what|when|where|who|how|why|which)"
    r"(?:'?s| (?:is|are|do|does|did|have|has|can|should|would|was|were|many|much|long|time|day|about)) [^.!:;]+$"
    r"|^(?:(?:and|so|ok|hey|but|well|hm+),? )?(?:do (?:I|you|we|they)"
    r"|(?:can|could|should|shall|will|would|does|did|is|are|was|were) (?:I|you|we|he|she|they|it|this|that|there))"
    r" [^.!:;]+$"
    r"|^(?:(?:and|so|ok|hey|but|well|hm+),? )?(?:can|could|should|would|wo|is|are|did|does|was|were)n?'?t"
    r" (?:I|you|we|he|she|they|it|this|that|there) [^.!:;]+$"
    r"|^[^.!:;?]{1,80}, (?:what|who|how) (?:can|could|would|will|else|are|is) [^.!:;,]+$",
    re.IGNORECASE,
)
_QUOTE = re.compile(
    '^["\'\N{LEFT DOUBLE QUOTATION MARK}][^"]{4,}["\'\N{RIGHT DOUBLE QUOTATION MARK}][,.]? (?:is|was|as|says)\\b'
)


STATING: tuple[StatementKind, ...] = ("decision", "convention", "preference", "constraint", "deadline")
"""The kinds of statements that bind people or agents."""
LEAST_STATING = 0.6
"""Least share, from 0 to 1, that the model must give to these kinds together for a sentence to state something."""
_STATING = tuple(map(KINDS.index, STATING))


class Judgement(Struct, frozen=True):
    """The likeliest kind of a sentence, and its probability or `share`, from 0 to 1.

    `stating` is the share of the kinds in `STATING` together. `shares` has the share of each kind in the order of
    `KINDS`, and is empty if a rule chose the kind."""

    kind: StatementKind
    share: float
    stating: float = 0.0
    shares: tuple[float, ...] = ()

    def share_of(self, kinds: Collection[StatementKind]) -> float:
        """Return the sum of the shares of these kinds."""
        if not self.shares:
            return self.share if self.kind in kinds else 0.0
        return sum(share for kind, share in zip(KINDS, self.shares, strict=True) if kind in kinds)


def classify(sentence: str) -> Judgement:
    """Return the kind of a sentence. Results are cached."""
    return _classify_cached(sentence)


@lru_cache(_REMEMBERED)
def _classify_cached(sentence: str) -> Judgement:
    return _by_rule(sentence) or classify_by_model(sentence, packaged_weights())


def classify_by_model(sentence: str, weights: Weights) -> Judgement:
    """Return the judgement of the model alone, without rules."""
    scores = list(weights.biases)
    rows = [row for feature in features_of(sentence) if (row := weights.by_feature.get(feature)) is not None]
    if rows:
        unit = weights.unit
        for kind, column in enumerate(zip(*rows, strict=True)):
            scores[kind] += unit * sum(column)
    best = max(range(len(KINDS)), key=scores.__getitem__)
    shares = [exp(max(-60.0, score - scores[best])) for score in scores]
    total = sum(shares)
    stating = sum(shares[column] for column in _STATING) / total
    return Judgement(KINDS[best], 1 / total, stating, tuple(share / total for share in shares))


def _by_rule(sentence: str) -> Judgement | None:
    text = sentence.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").strip()
    if is_question(text) or _ASKS.match(text):
        return Judgement("question", 1.0)
    if names_error(text):
        return Judgement("error", 1.0)
    if is_small_talk(text) or not any(map(str.isalnum, text)):
        return Judgement("filler", 1.0)
    if _QUOTE.match(text) or _SUPPOSED.search(text):
        return Judgement("aside", 1.0)
    if _TASK.search(text) or _OPEN.match(text):
        return Judgement("task", 1.0)
    if _CHOOSES.match(text) or _CHOOSES_THEN.match(text):
        return Judgement("decision", 1.0, 1.0)
    return None
