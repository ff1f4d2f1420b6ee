"""List the sentences that a summary may take, each with its worth.

In English talk with an agent, the worth of a sentence is its weight for later work, and most sentences have none. In
other talk, such as a talk among people or a log, the form and the kind of the sentence count.
"""

import re
from collections.abc import Collection, Sequence
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace as altered

from almanac.families.memory.core.likeness import same_words
from almanac.families.memory.statements.classifier import classify
from almanac.families.memory.statements.passages import PassageModel, SpokenTurn
from almanac.families.memory.statements.sentence_worth import is_answer, is_small_talk, without_opening, worth_of
from almanac.families.memory.statements.sentences import PART_CHARACTERS, is_question, join_sentences, sentences_of
from almanac.families.memory.statements.weights import StatementKind
from almanac.families.memory.statements.words import words_of

_CUT = "\N{HORIZONTAL ELLIPSIS}"
_MOST_OF_A_TURN = 40
"""Most sentences of a turn that are read. Of a longer turn, its beginning and its end are read."""
_STANDS_ALONE = 3
"""Least number of meaningful words with which an answer is understood without its question."""
_ANSWER = 0.6
"""Factor for a short answer, which is quoted with its question."""
_OUTCOME = re.compile(
    r"(?:decision|decided|agreed|verdict|conclusion|root cause|rule|convention|constraint|deadline)\s*:", re.IGNORECASE
)
"""Matches what its author marked as an outcome, such as an item below the heading "Decisions"."""
LEAST_SHARE = 0.4
"""Least probability by the model at which a summary takes a passage of talk with an agent."""
_SHORT_TALK = 20
"""A talk of 70 percent of this many turns or more uses the whole `LEAST_SHARE` as threshold, a shorter talk less.

The turns of the session before the summarised ones count."""
_WHOLE = 320
"""Most characters of a turn that counts as one passage. Longer turns are split into sentences."""
_CONSENTS = re.compile(
    r"^\W*(?:(?:yes|yeah|yep|yup|y|ok|okay|sure|no|nope|nah|go on|please|do|go|pls|then)\b\W*)+$", re.IGNORECASE
)
"""Matches a turn that answers only yes or no, which closes a question."""
_LEAST_OF_KIND = 0.5
_STATED = 3.0
"""Factor for a sentence that is a binding statement, such as a decision, or part of one."""
_UNLIKELY_FILLER = 0.5
"""Factor for a person's sentence that may be filler."""
_UNCLEAR = 0.65
"""Factor for a person's sentence whose kind the classifier is unsure of."""
_WORTHS: dict[StatementKind, float] = {
    "decision": 2.5,
    "constraint": 2.5,
    "convention": 2.5,
    "preference": 2.5,
    "deadline": 2.5,
    "task": 2.0,
    "cause": 2.0,
    "done": 1.2,
    "question": 0.2,
    "aside": 0.45,
    "filler": 0.2,
}
Known = Collection[str]


class SummarySentence(Struct, frozen=True, eq=False):
    """A sentence that a summary may take.

    `turn` is the index of its turn, `place` its index in the turn, and `asks` the question that it answers.
    `stated` marks a part of a binding statement."""

    turn: int
    place: int
    text: str
    words: dict[str, float]
    worth: float
    asks: "SummarySentence | None" = None
    stated: bool = False

    @property
    def text_with_question(self) -> str:
        """Return the text, followed by the question if it is an answer."""
        return self.text if self.asks is None else f"{self.text} ({self.asks.text})"


def sentences_in(turns: Sequence[SpokenTurn], known: Known) -> list[SummarySentence]:
    """Return the sentences of the turns, without those that memory knows (`known`) or an earlier turn has."""
    sentences: list[SummarySentence] = []
    seen = set(known)
    question: SummarySentence | None = None
    for number, turn in enumerate(turns):
        of_turn: list[SummarySentence] = []
        for place, text in enumerate(_first_and_last(_units(turn))):
            if _is_news(text, seen):
                asks = _question_for(question, turn, turns) if not of_turn else None
                of_turn.append(_sentence(number, place, text, turn, asks))
        question = _open_question(of_turn, _still_open(question, turn, turns))
        sentences += of_turn
    return sentences


def passages_in(turns: Sequence[SpokenTurn], known: Known) -> list[SummarySentence]:
    """Return the passages of talk with an agent, without sentences that memory knows or an earlier turn has.

    A passage is a short turn as a whole, because its sentences need each other, or a sentence of a long turn. Its worth
    is the probability by the model that later work depends on it, or 0 if that is below the threshold."""
    model = PassageModel(turns)
    turns_of_session = (turns[0].position or 0) + len(turns) if turns else 0
    least = LEAST_SHARE * min(1.0, 0.3 + turns_of_session / _SHORT_TALK)
    passages: list[SummarySentence] = []
    seen = set(known)
    question: SummarySentence | None = None
    for number, turn in enumerate(turns):
        of_turn: list[SummarySentence] = []
        for place, sentences in enumerate(() if turn.is_program else passages_of(turn)):
            news = [one for one in sentences if _is_news(one, seen)]
            text = " ".join(news)
            if words := words_of(text):
                asks = _question_for(question, turn, turns) if not of_turn and len(words) < _STANDS_ALONE else None
                share = 0.0
                if not all(map(is_question, news)):
                    share = model.share(number, news if asks is None else [*news, asks.text])
                    share = 1.0 if _OUTCOME.match(text) else share
                is_answering = _question_for(question, turn, turns) is not None
                told = text if of_turn or is_answering else without_opening(text)
                of_turn.append(_passage(number, place, told, words, share if share >= least else 0.0, asks))
        question = _still_open(question, turn, turns)
        if of_turn:
            last = passages_of(turn)[-1][-1]
            question_at_end = [altered(of_turn[-1], text=last, words=words_of(last))] if is_question(last) else []
            question = _open_question([*of_turn, *question_at_end], question)
        passages += of_turn
    return passages


@lru_cache(maxsize=1024)
def passages_of(turn: SpokenTurn) -> tuple[tuple[str, ...], ...]:
    """Return the sentences of each passage of a turn.

    Small talk is left out of a long turn, and at the ends of a short one."""
    sentences = _first_and_last(_units(turn))
    if len(turn.text) > _WHOLE or "\n" in turn.text.strip():
        said = (one for one in sentences if not (is_small_talk(one) or _is_cut(one)))
        return tuple((one,) for one in said if not one.endswith(":") or one == sentences[-1])
    meaningful = [place for place, one in enumerate(sentences) if not is_small_talk(one)]
    return (tuple(sentences[meaningful[0] : meaningful[-1] + 1]),) if meaningful else ()


def _passage(
    number: int, place: int, text: str, words: dict[str, float], worth: float, asks: SummarySentence | None
) -> SummarySentence:
    if asks is None or is_question(text):
        return SummarySentence(number, place, text, words, worth)
    return SummarySentence(number, place, text, {**asks.words, **words}, worth, asks)


def _is_news(text: str, seen: set[str]) -> bool:
    """Return whether a sentence is not in `seen` yet, and add it."""
    same = same_words(text)
    if not same or same in seen:
        return False
    seen.add(same)
    return True


def _question_for(
    question: SummarySentence | None, turn: SpokenTurn, turns: Sequence[SpokenTurn]
) -> SummarySentence | None:
    """Return the open question, or None if the speaker of the turn asked it."""
    return question if question is not None and turns[question.turn].speaker != turn.speaker else None


def _still_open(
    question: SummarySentence | None, turn: SpokenTurn, turns: Sequence[SpokenTurn]
) -> SummarySentence | None:
    """Return the open question, or None if the turn closes it: another speaker answers only yes or no."""
    closed = _question_for(question, turn, turns) is not None and _CONSENTS.match(turn.text)
    return None if closed else question


def _units(turn: SpokenTurn) -> list[str]:
    """Return the sentences of a turn, and join those that make one statement together."""
    units: list[str] = []
    last: str | None = None
    for text in sentences_of(turn.text):
        whole = _statement(text, turn)
        if units and whole is not None and whole == last:
            units[-1] = join_sentences([units[-1], text])
        else:
            units.append(text)
        last = whole
    return units


def _first_and_last(sentences: list[str]) -> list[str]:
    return (
        sentences
        if len(sentences) <= _MOST_OF_A_TURN
        else sentences[: _MOST_OF_A_TURN * 3 // 4] + sentences[-_MOST_OF_A_TURN // 4 :]
    )


def _sentence(number: int, place: int, text: str, turn: SpokenTurn, asks: SummarySentence | None) -> SummarySentence:
    is_asking = is_question(text)
    words = words_of(text)
    worth = worth_of(text, is_question=is_asking) * turn.weight * (1.1 if place == 0 else 1.0)
    if _is_cut(text):
        return SummarySentence(number, place, text, words, 0.0)
    if words and _statement(text, turn) is not None:
        needs = asks if len(words) < _STANDS_ALONE else None
        return SummarySentence(number, place, text, words, max(worth * _STATED, turn.weight), needs, stated=True)
    worth *= _worth_of_kind(text, turn)
    if asks is None or is_asking:
        return SummarySentence(number, place, text, words, worth if len(words) > 1 else 0.0)
    if len(words) < _STANDS_ALONE:
        # "Yes" and "Ann does" are judged together with the words of the question.
        return SummarySentence(
            number, place, text, {**asks.words, **words}, turn.weight * _ANSWER * is_answer(text), asks
        )
    return SummarySentence(number, place, text, words, worth)


def _is_cut(text: str) -> bool:
    return text.endswith(_CUT) and len(text) > PART_CHARACTERS


def _statement(text: str, turn: SpokenTurn) -> str | None:
    return next((one for one in turn.stated if text in one), None)


def _worth_of_kind(text: str, turn: SpokenTurn) -> float:
    """Return the factor for the kind of a person's sentence; 1 for sentences of agents and programs."""
    if not turn.by_person:
        return 1.0
    judgement = classify(text)
    if judgement.share >= _LEAST_OF_KIND:
        return _WORTHS.get(judgement.kind, 1.0)
    return _UNLIKELY_FILLER if judgement.kind == "filler" else _UNCLEAR


def _open_question(sentences: list[SummarySentence], before: SummarySentence | None) -> SummarySentence | None:
    """Return the question that the next turn may answer: the last sentence, if it is a question.

    A turn without content leaves an earlier question open."""
    if not any(one.worth or is_question(one.text) for one in sentences):
        return before
    last = sentences[-1]
    return last if is_question(last.text) and len(last.words) > 1 else None
