"""Order the hits of talk with an agent by how likely each answers the question.

Scores of a search count the words of neighbours, so "let me check" may come before the decision that follows it. Here
each hit also counts by itself: how near it is to the question as a whole, whether it has the kind of value or states
the form of rule that the question seeks, and how likely later work depends on it.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import islice

from almanac.families.memory.core.records import Memory, Turn
from almanac.families.memory.search.answer_values import has_answer_value
from almanac.families.memory.search.sought_rules import rule_judge
from almanac.families.memory.statements.sentences import every_sentence
from almanac.search.questions.port import Hit

_WHOLE, _BEFORE, _RULE, _VALUE, _WORTH = 0.6, 0.4, 0.35, 0.3, 0.5
"""Weights of a hit's nearness as a whole, of the nearness of the turns before it, of a rule of the form that the
question seeks, of a value of the kind that it seeks, and of the probability that later work depends on the turn. The
weight of the score, as a share of the best score, is 1."""
_UNKNOWN_WORTH = 0.3
"""Worth of a hit that the model of passages does not judge. The mean of judged turns is 0.36."""
_TURNS_BEFORE = 8
_OF_NEXT = 0.9
"""Factor by which a turn's nearness counts for each next turn of its session."""
_CHARACTERS = 600
_SENTENCES = 12

WorthOf = Callable[[Turn], float | None]


def likeliest_first(
    hits: Sequence[Hit], contents: Mapping[str, Turn | Memory], question: str, worth_of: WorthOf
) -> list[Hit]:
    """Return the same hits, the likeliest answers first. Hits that are as likely keep their order.

    `contents` has contents by id. The callback `worth_of` returns the probability that later work depends on a turn,
    or None if it is unknown."""
    probability_of_rule = rule_judge(question)
    best = max((hit.score for hit in hits), default=0.0) or 1.0
    nearness_before = nearness_before_turns(hits, contents)

    def likelihood(hit: Hit) -> float:
        content, worth = contents.get(hit.id), _UNKNOWN_WORTH
        likely = hit.score / best + _WHOLE * hit.whole
        if isinstance(content, Turn):
            known = 0.0 if content.role == "tool" else worth_of(content)
            worth = _UNKNOWN_WORTH if known is None else known
            likely += _BEFORE * nearness_before(content)
        likely += _WORTH * worth
        if content is None or (isinstance(content, Turn) and content.role == "tool"):
            return likely
        if probability_of_rule is not None:
            likely += _RULE * probability_of_rule(content.content)
        sentences = islice(every_sentence(content.content[:_CHARACTERS]), _SENTENCES)
        return likely + _VALUE * any(has_answer_value(question, sentence) for sentence in sentences)

    return sorted(hits, key=likelihood, reverse=True)


def nearness_before_turns(hits: Sequence[Hit], contents: Mapping[str, Turn | Memory]) -> Callable[[Turn], float]:
    """Return a function that returns the greatest nearness among the hits before a turn in the same session.

    The nearness of a hit counts less the further back it is. A terse answer has no word of its question: "14, and keep
    it dry"."""
    wholes = {
        (content.session, content.position): hit.whole
        for hit in hits
        if isinstance(content := contents.get(hit.id), Turn)
    }

    def nearness_before(turn: Turn) -> float:
        if turn.session is None or turn.position is None:
            return 0.0
        before = (wholes.get((turn.session, turn.position - back), 0.0) for back in range(1, _TURNS_BEFORE + 1))
        return max(0.0, *(nearness * _OF_NEXT**back for back, nearness in enumerate(before)))

    return nearness_before
