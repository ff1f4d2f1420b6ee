"""The turns of a talk with what they state, and their worth as an answer to a broad question.

A turn is worth most if it states something of a kind that the question asks for. The likelihood of these kinds, remarks
on which later work may depend, and words for causes and dates count as well.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct

from almanac.families.memory.candidates.corrections import is_in_doubt
from almanac.families.memory.candidates.current_statements import CurrentStatement, Talk
from almanac.families.memory.core.records import SPEAKING_ROLES, Turn
from almanac.families.memory.snapshot.ranking import remarks_in
from almanac.families.memory.statements.classifier import classify
from almanac.families.memory.statements.recalled_text import is_recalled
from almanac.families.memory.statements.sentences import cut, is_question, join_sentences, on_one_line, sentences_of
from almanac.families.memory.statements.weights import StatementKind
from almanac.families.memory.synthesis.plans import Plan, PlanKind
from almanac.search.analysis.words import terms_in

CHARACTERS = 240
"""Most characters of a turn that is quoted whole. Longer turns are reduced to their statements."""
MOST_CHARACTERS = 400
_SENTENCES = 12

BINDING: tuple[StatementKind, ...] = ("constraint", "convention", "preference")
_FIRST, _SECOND, _OTHER = 1.0, 0.6, 0.25
WORTHS: dict[PlanKind, dict[StatementKind, float]] = {
    "tasks": {"task": _FIRST, "deadline": _SECOND},
    "deadlines": {"deadline": _FIRST},
    "preferences": {"preference": _FIRST, "convention": _SECOND, "constraint": _SECOND},
    "rules": {"constraint": _FIRST, "convention": _FIRST, "preference": _SECOND},
    "errors": {"cause": _FIRST, "error": _FIRST},
    "decisions": {"decision": _FIRST, "constraint": _SECOND, "convention": _SECOND, "deadline": _SECOND},
}
"""The worth of each kind of statement for a question that asks for some kinds."""
_WORTHS_OF_ALL: dict[StatementKind, float] = {
    "decision": 1.0,
    "constraint": 1.0,
    "convention": 0.9,
    "deadline": 0.9,
    "preference": 0.9,
    "task": 0.8,
    "cause": 0.7,
    "done": 0.6,
    "fact": 0.6,
    "error": 0.5,
}
"""The worth of each kind for a question that asks for all kinds."""
REMARK, OTHER_REMARK = 0.45, 0.2
"""The worth of a sentence without a clear kind on which later work may depend. It is lower for tasks and deadlines, and
for any other kind without a topic: few remarks are of that kind, and many together hide those that are."""
LIKELY = 0.5
"""Factor for the probability that a sentence has one of the kinds in question, where no kind is clear."""
_OF_ALL_KINDS = 0.3
"""Further factor for this probability if the question asks for all kinds."""
_BY_WORDS = 1.1
"""The worth of a sentence that uses a word for causes, such as "because" or "culprit"."""
_DATED_WORTH, _DUE_WORTH = 0.5, 1.0

_CAUSE = re.compile(
    r"\b(?:cause[ds]?|reasons?|because|due to|turn(?:s|ed) out|culprit|the (?:problem|bug|error|mistake|fault))\b",
    re.IGNORECASE,
)
MONTH = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)(?:[a-z]{2,6})?"
_DATED = re.compile(
    rf"\b\d{{1,2}}(?:st|nd|rd|th)\b|\b\d{{1,2}}\.? (?:of )?{MONTH}\b|\b{MONTH}\.? \d{{1,2}}\b|\b\d{{4}}-\d\d-\d\d\b",
    re.IGNORECASE,
)
DAY = re.compile(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:tomorrow|tonight)\b"
    r"|\bend of (?:the|next|this) (?:week|month)\b",
    re.IGNORECASE,
)
_DUE = re.compile(
    r"\b(?:by|until|till|before|due|deadline|latest|no later|not earlier|(?:has|have|need|needs) to be|needs?)\b",
    re.IGNORECASE,
)


class SpokenTurn(Struct, frozen=True):
    """A turn with its sentences. `stated` has its statements that hold, `ended` its statements that no longer hold.

    `remarks` are sentences without a clear kind on which later work may depend."""

    turn: Turn
    sentences: tuple[str, ...]
    terms: frozenset[str]
    stated: Sequence[CurrentStatement] = ()
    ended: Sequence[str] = ()
    remarks: Sequence[str] = ()

    @property
    def text(self) -> str:
        """Return the text to quote, without sentences that no longer hold. A long turn is reduced to its statements."""
        for statement in self.stated:
            # "b" says nothing without the option that it takes.
            if statement.text.endswith(")") and statement.text not in self.turn.content and len(self.sentences) == 1:
                return statement.text
        current = [sentence for sentence in self.sentences if not any(sentence in ended for ended in self.ended)]
        if not self.ended and len(self.turn.content) <= CHARACTERS:
            return on_one_line(self.turn.content)
        worth_quoting = [*(statement.text for statement in self.stated), *self.remarks]
        chosen = [
            sentence for sentence in current if any(sentence in each or each in sentence for each in worth_quoting)
        ]
        return cut(join_sentences(chosen or current[:1]), MOST_CHARACTERS)


def spoken_turns(plan: Plan, talk: Talk, turns: Sequence[Turn]) -> list[SpokenTurn]:
    """Return the turns of people and agents, without statements that no longer hold.

    Replaced statements stay if the question is about a past span of time, or if the replacement is in doubt."""
    current: dict[str, list[CurrentStatement]] = {}
    gone: dict[str, list[str]] = {}
    for place, statement in enumerate(talk.statements):
        if place in talk.outdated and plan.until is None and not _is_doubtful(talk, place):
            gone.setdefault(statement.turn, []).append(statement.text)
        else:
            current.setdefault(statement.turn, []).append(statement)
    remarks: dict[str, list[str]] = {}
    for remark in remarks_in(turns, talk):
        remarks.setdefault(remark.turn, []).append(remark.text)
    return [
        SpokenTurn(
            each,
            *sentences_and_terms(each.content),
            current.get(each.id, ()),
            gone.get(each.id, ()),
            remarks.get(each.id, ()),
        )
        for each in turns
        if each.role in SPEAKING_ROLES and not is_recalled(each) and (each.id in current or each.id not in gone)
    ]


def _is_doubtful(talk: Talk, place: int) -> bool:
    """Return whether it is doubtful that a statement was replaced: it shares only one word with the later statement,
    and the later statement does not reject that word."""
    return place in talk.replaced and is_in_doubt(
        talk.statements[talk.replaced[place]].text, talk.statements[place].text
    )


@lru_cache(1024)
def sentences_and_terms(content: str) -> tuple[tuple[str, ...], frozenset[str]]:
    """Return the first twelve sentences of a turn, and its terms."""
    return tuple(sentences_of(content)[:_SENTENCES]), terms_in(content)


def worth_of(plan_kind: PlanKind, spoken_turn: SpokenTurn, remark_worth: float) -> float:
    """Return the worth of a turn by the kinds of its sentences. `remark_worth` is that of a remark."""
    worths = WORTHS.get(plan_kind, _WORTHS_OF_ALL)
    first: list[StatementKind] = [kind for kind, worth in worths.items() if worth == _FIRST or plan_kind not in WORTHS]
    likely = LIKELY if plan_kind in WORTHS else LIKELY * _OF_ALL_KINDS
    worth = max((worths.get(each.kind, _OTHER) for each in spoken_turn.stated), default=0.0)
    for text in spoken_turn.sentences:
        if is_question(text):
            continue
        share = likely * classify(text).share_of(first)
        worth = max(worth, share + (remark_worth if text in spoken_turn.remarks else 0.0))
        if plan_kind == "errors" and _CAUSE.search(text):
            worth = max(worth, _BY_WORDS)
        if plan_kind == "deadlines":
            worth = max(worth, _worth_of_date(text))
    return worth


def _worth_of_date(text: str) -> float:
    is_dated = _DATED.search(text) is not None
    if _DUE.search(text) and (is_dated or DAY.search(text)):
        return _DUE_WORTH
    return _DATED_WORTH if is_dated else 0.0
