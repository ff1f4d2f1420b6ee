"""Find statements that answer a question in other words: "longest stay allowed" asks for "make it 10 nights".

Question and answer share no rare word here, so search ranks other hits, which do share words, before the answer. But in
the latest conversation only a few dozen sentences decide, forbid or date something and still hold. Among these, vectors
of whole turns rank the right one near the top.
"""

from collections.abc import Iterator, Sequence
from itertools import islice

from almanac.content import judge
from almanac.families.memory.candidates.current_statements import SENTENCE_CHARACTERS, CurrentStatement, Talk
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import SPEAKING_ROLES, Turn
from almanac.families.memory.search.likely_answers import likeliest_first, nearness_before_turns
from almanac.families.memory.search.sought_rules import rule_judge
from almanac.families.memory.snapshot.ranking import PassageShares
from almanac.families.memory.statements.sentences import cut, is_question, on_one_line
from almanac.families.memory.synthesis.passages import Passage, passage_of_statement, passage_of_turn
from almanac.search.port import Filters
from almanac.search.questions.port import MAX_LIMIT, Hit, Search, SearchRequest

_MOST, _MOST_OTHERS = 3, 2
"""Most quoted turns with statements, and most quoted turns without statements."""
_LEAST = 0.2
"""Least cosine of a turn with the question. Turns about something else rarely reach it."""
_NEAR = 0.15
"""Least nearness of a quoted turn, or of the turns before it, to the question."""
_NEAR_AS_RULE = 0.1
"""Nearness that is added to a turn that states a rule of the form that the question seeks."""
_TELLS_NOTHING = ("filler", "question", "aside")


def nearest_statements(question: str, hits: Sequence[Hit], talk: Talk, turns: Sequence[Turn]) -> tuple[Passage, ...]:
    """Return the current statements of the three turns that most likely answer the question, and two other turns.

    Text that addresses a model is left out. `hits` come from `nearest_turns`, and `talk` has the statements of
    `turns`."""
    by_id = {turn.id: turn for turn in turns}
    quotes = _quote_statements([*_near_hits(question, hits, by_id)], talk, by_id)
    return tuple(passage for passage in quotes if not judge(passage.text).findings)


def _near_hits(question: str, hits: Sequence[Hit], turns: dict[str, Turn]) -> Iterator[Hit]:
    """Yield the hits that are near to the question, the likeliest answers first.

    A turn is near by itself, by the turns before it, or as a rule of the form that the question seeks."""
    probability_of_rule = rule_judge(question)
    nearness_before = nearness_before_turns(hits, turns)
    shares = PassageShares([*turns.values()])
    for hit in likeliest_first(hits, turns, question, lambda turn: shares.share_of(turn.id)):
        if (turn := turns.get(hit.id)) is not None:
            rule = probability_of_rule(turn.content) if probability_of_rule is not None else 0.0
            if max(hit.whole, nearness_before(turn)) + _NEAR_AS_RULE * rule >= _NEAR:
                yield hit


def is_any_near(question: str, hits: Sequence[Hit], turns: Sequence[Turn]) -> bool:
    """Return whether any turn is so near to the question that the talk is probably about the question's subject.

    A turn that states a rule of the form that the question seeks may be less near."""
    texts = {turn.id: turn.content for turn in turns}
    probability_of_rule = rule_judge(question)
    return any(hit.whole >= _LEAST for hit in hits) or (
        probability_of_rule is not None
        and any(hit.whole + _NEAR_AS_RULE * probability_of_rule(texts.get(hit.id, "")) >= _LEAST for hit in hits)
    )


def nearest_turns(memory: MemoryProject, search: Search, question: str, turns: Sequence[Turn]) -> Sequence[Hit]:
    """Return hits for the question among `turns`, each with the nearness of the whole turn to the question."""
    if not turns:
        return ()
    filters = Filters(kinds=("turn",), roles=SPEAKING_ROLES, since=min(turn.at for turn in turns))
    request = SearchRequest(
        text=question, profile="talk", filters=filters, limit=MAX_LIMIT, covers=False, reasons=False
    )
    return search.search(memory.scope, request).hits


def _quote_statements(hits: Sequence[Hit], talk: Talk, turns: dict[str, Turn]) -> Iterator[Passage]:
    statements: dict[str, list[CurrentStatement]] = {}
    for statement in talk.current:
        if statement.kind not in _TELLS_NOTHING:
            statements.setdefault(statement.turn, []).append(statement)
    for hit in [hit for hit in hits if hit.id in statements][:_MOST]:
        yield from map(passage_of_statement, statements[hit.id])
    others = (turns[hit.id] for hit in hits if hit.id in turns and hit.id not in statements)
    for other in islice((turn for turn in others if not is_question(turn.content)), _MOST_OTHERS):
        yield passage_of_turn(other, cut(on_one_line(other.content), SENTENCE_CHARACTERS))
