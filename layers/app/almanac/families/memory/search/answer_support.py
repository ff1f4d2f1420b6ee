"""Decide whether a quoted sentence answers a question: it shares the topic and has the kind of value sought.

Coverage is thin if the hits are similar to the question but none has such a value: they may not be the answer.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from itertools import islice
from math import log1p

from msgspec import Struct
from msgspec.structs import replace

from almanac.families.memory.search.answer_values import MONTHS, WEEKDAYS, has_answer_value
from almanac.families.memory.statements.sentences import asks, every_sentence
from almanac.search.analysis.words import question_terms, terms_in
from almanac.search.coverage import Coverage

_NAME_IN_QUESTION = re.compile(
    rf"(?<!^)(?<!^\W)\b(?!(?:I|OK|Mr|Mrs|Ms|Miss|Dr|Prof|{MONTHS}|{WEEKDAYS})\b)[A-Z][\w'-]*\w|\b\w*\d\w*\b"
)
"""Matches names and numbers of a question, except its first word, titles, days and months."""
_OF_FORMS = terms_in(
    "long old big large high colour color phone telephone number version cost price date day time year"
)
"""Words of a question that name the kind of value sought. An answer has the value instead of the word."""
_TERMS = 100
_MOST_READ = 60
_FEW = 10
"""Added to the number of sentences in the weights of words, because two sentences do not show which words are rare."""
_LEAST_MATCHED = 0.6
"""Least share of the question's word weight that a sentence must contain to answer it."""
_IGNORANT = re.compile(
    r"\b(?:(?:do not|don't|doesn't|does not|did not|didn't) (?:know|say|tell|remember)|no idea|not sure|unknown"
    r"|never (?:said|told|heard)|nobody knows|(?:cannot|can't) (?:find|tell))\b",
    re.IGNORECASE,
)


class Quotation(Struct, frozen=True):
    """A quoted sentence, and the question that it replied to, or "".

    `source` is the whole text with the sentence, and the name of its speaker."""

    sentence: str
    replied_to: str
    source: str


def lower_if_unanswered(
    coverage: Coverage | None, question: str, quotes: Iterable[Quotation], texts: Iterable[str]
) -> Coverage | None:
    """Return `coverage`, with the verdict lowered from covered to thin if no quoted sentence answers the question.

    The sources of an answer must have all names of the question. `texts` has all texts that search found. A word of the
    question weighs more if few of their sentences contain it."""
    if coverage is None or coverage.verdict != "covered":
        return coverage
    weights = _weights(question, texts)
    names = terms_in(" ".join(_NAME_IN_QUESTION.findall(question)))
    if any(
        _answers(question, quote, weights, names) and names <= terms_in(f"{quote.replied_to} {quote.source}")
        for quote in quotes
    ):
        return coverage
    return replace(coverage, verdict="thin")


def _weights(question: str, texts: Iterable[str]) -> dict[str, float]:
    """Return the weights of the terms of the question, higher for terms that are rare in `texts`. They add up to 1."""
    sentences = [terms_in(sentence) for text in texts for sentence in islice(every_sentence(text), _MOST_READ)]
    counts = Counter(term for terms in sentences for term in terms)
    terms = [term for term in question_terms(question, _TERMS) if term not in _OF_FORMS] or [*terms_in(question)]
    weights = {term: log1p((len(sentences) + _FEW) / (counts[term] + 1)) for term in terms}
    total = sum(weights.values()) or 1.0
    return {term: weight / total for term, weight in weights.items()}


def _answers(question: str, quote: Quotation, weights: Mapping[str, float], names: Collection[str]) -> bool:
    sentence = quote.sentence
    if _IGNORANT.search(sentence) or asks(sentence):
        return False
    terms = terms_in(f"{quote.replied_to} {sentence}")
    matched = sum(weight for term, weight in weights.items() if term in terms)
    # All names alone show no topic: "Holm lives in Bergen" does not say what Holm paints in Bergen.
    topic = weights.keys() - names
    is_on_topic = not topic or not topic.isdisjoint(terms)
    return matched >= _LEAST_MATCHED and is_on_topic and has_answer_value(question, sentence, quote.replied_to)
