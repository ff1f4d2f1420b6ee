"""The sentences that a summary may take, each with its worth.

In English talk with an agent, the worth of a sentence is its weight for later work, and most sentences have none. In
other talk, such as that of people alone or a log, the form and the kind of the sentence count.
"""

import re
from collections.abc import Collection, Sequence
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace as altered

from almanac.families.memory.core.likeness import same_words
from almanac.families.memory.sessions.passages import PassageModel, SummaryInput
from almanac.families.memory.statements.classifier import classify
from almanac.families.memory.statements.sentence_worth import is_answer, is_small_talk, worth_of
from almanac.families.memory.statements.sentences import PART_CHARACTERS, is_question, sentences_of
from almanac.families.memory.statements.weights import StatementKind
from almanac.families.memory.statements.words import words_of

_CUT = "\N{HORIZONTAL ELLIPSIS}"
_OF_A_TURN = 40
"""Most sentences of a turn that are read: the first ones and, in a long turn, the last ones."""
_STANDS_ALONE = 3
"""An answer with fewer meaningful words says nothing without its question."""
_ANSWER = 0.6
"""Factor for a short answer, which may bring its question along."""
LEAST_SHARE = 0.52
"""Least share of the model for a passage of talk with an agent that is told."""
_SHORT_TALK = 20
"""With 70 percent of this number of turns or more, a passage needs all of `LEAST_SHARE`; in shorter talk, less."""
_WHOLE = 240
"""Most characters of a turn that is a passage as a whole."""
_CONSENTS = re.compile(
    r"^\W*(?:(?:yes|yeah|yep|yup|y|ok|okay|sure|no|nope|nah|go on|please|do|go|pls|then)\b\W*)+$", re.IGNORECASE
)
"""Matches a whole turn that only answers yes or no, which closes a question."""
_LEAST_OF_KIND = 0.5
_STATED = 3.0
"""Factor for a sentence that states something binding, alone or together with its neighbours."""
_UNLIKELY_FILLER = 0.5
"""Factor for a person's sentence that may be filler."""
_UNCLEAR = 0.65
"""Factor for a person's sentence of which no kind is likely."""
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
    """A sentence that a summary may take. `turn` is the index of its turn, and `asks` the question that it answers."""

    turn: int
    place: int
    text: str
    words: dict[str, float]
    worth: float
    asks: "SummarySentence | None" = None
    stated: bool = False

    @property
    def shown(self) -> str:
        """Return the text, with the question behind an answer."""
        return self.text if self.asks is None else f"{self.text} ({self.asks.text})"


def sentences_in(turns: Sequence[SummaryInput], known: Known) -> list[SummarySentence]:
    """Return the sentences of the turns, without those that are known or were said before."""
    found: list[SummarySentence] = []
    said = set(known)
    question: SummarySentence | None = None
    for number, turn in enumerate(turns):
        of_turn: list[SummarySentence] = []
        for place, text in enumerate(_looked_at(_units(turn))):
            if _is_news(text, said):
                asks = _asked(question, turn, turns) if not of_turn else None
                of_turn.append(_sentence(number, place, text, turn, asks))
        question = _open_question(of_turn, _unless_closed(question, turn, turns))
        found += of_turn
    return found


def passages_in(turns: Sequence[SummaryInput], known: Known) -> list[SummarySentence]:
    """Return the passages of talk with an agent, without sentences that are known or were said before.

    A passage is a short turn as a whole, because its sentences need each other, or a sentence of a long turn. Its worth
    is the model's share, or 0 if later work hardly depends on it."""
    model = PassageModel(turns)
    least = LEAST_SHARE * min(1.0, 0.3 + len(turns) / _SHORT_TALK)
    found: list[SummarySentence] = []
    said = set(known)
    question: SummarySentence | None = None
    for number, turn in enumerate(turns):
        of_turn: list[SummarySentence] = []
        for place, sentences in enumerate(() if turn.is_program else passages_of(turn)):
            news = [one for one in sentences if _is_news(one, said)]
            text = " ".join(news)
            if words := words_of(text):
                asks = _asked(question, turn, turns) if not of_turn and len(words) < _STANDS_ALONE else None
                share = 0.0
                if not all(map(is_question, news)):
                    share = model.share(number, news if asks is None else [*news, asks.text])
                of_turn.append(_passage(number, place, text, words, share if share >= least else 0.0, asks))
        question = _unless_closed(question, turn, turns)
        if of_turn:
            last = passages_of(turn)[-1][-1]
            asked = [altered(of_turn[-1], text=last, words=words_of(last))] if is_question(last) else []
            question = _open_question([*of_turn, *asked], question)
        found += of_turn
    return found


@lru_cache(maxsize=1024)
def passages_of(turn: SummaryInput) -> tuple[tuple[str, ...], ...]:
    """Return the sentences of each passage of a turn, without small talk at the ends of a short turn."""
    sentences = _looked_at(_units(turn))
    if len(turn.text) > _WHOLE or "\n" in turn.text.strip():
        return tuple((one,) for one in sentences if not (is_small_talk(one) or _is_cut(one)))
    telling = [place for place, one in enumerate(sentences) if not is_small_talk(one)]
    return (tuple(sentences[telling[0] : telling[-1] + 1]),) if telling else ()


def _passage(
    number: int, place: int, text: str, words: dict[str, float], worth: float, asks: SummarySentence | None
) -> SummarySentence:
    if asks is None or is_question(text):
        return SummarySentence(number, place, text, words, worth)
    return SummarySentence(number, place, text, {**asks.words, **words}, worth, asks)


def _is_news(text: str, said: set[str]) -> bool:
    """Return whether a sentence was not said before, and note it as said."""
    same = same_words(text)
    if not same or same in said:
        return False
    said.add(same)
    return True


def _asked(
    question: SummarySentence | None, turn: SummaryInput, turns: Sequence[SummaryInput]
) -> SummarySentence | None:
    """Return the open question if another speaker asked it."""
    return question if question is not None and turns[question.turn].speaker != turn.speaker else None


def _unless_closed(
    question: SummarySentence | None, turn: SummaryInput, turns: Sequence[SummaryInput]
) -> SummarySentence | None:
    """Return the open question, or None if the whole turn of another speaker only answers yes or no."""
    closed = _asked(question, turn, turns) is not None and _CONSENTS.match(turn.text)
    return None if closed else question


def _units(turn: SummaryInput) -> list[str]:
    """Return the sentences of a turn, with those joined that make one statement together."""
    units: list[str] = []
    last: str | None = None
    for text in sentences_of(turn.text):
        whole = _statement(text, turn)
        if units and whole is not None and whole == last:
            units[-1] = f"{units[-1]} {text}"
        else:
            units.append(text)
        last = whole
    return units


def _looked_at(sentences: list[str]) -> list[str]:
    return (
        sentences if len(sentences) <= _OF_A_TURN else sentences[: _OF_A_TURN * 3 // 4] + sentences[-_OF_A_TURN // 4 :]
    )


def _sentence(number: int, place: int, text: str, turn: SummaryInput, asks: SummarySentence | None) -> SummarySentence:
    asking = is_question(text)
    words = words_of(text)
    worth = worth_of(text, is_question=asking) * turn.weight * (1.1 if place == 0 else 1.0)
    if _is_cut(text):
        return SummarySentence(number, place, text, words, 0.0)
    if words and _statement(text, turn) is not None:
        needs = asks if len(words) < _STANDS_ALONE else None
        return SummarySentence(number, place, text, words, max(worth * _STATED, turn.weight), needs, stated=True)
    worth *= _worth_of_kind(text, turn)
    if asks is None or asking:
        return SummarySentence(number, place, text, words, worth if len(words) > 1 else 0.0)
    if len(words) < _STANDS_ALONE:
        # "Yes" and "Ann does" count with the words of the question.
        return SummarySentence(
            number, place, text, {**asks.words, **words}, turn.weight * _ANSWER * is_answer(text), asks
        )
    return SummarySentence(number, place, text, words, worth)


def _is_cut(text: str) -> bool:
    return text.endswith(_CUT) and len(text) > PART_CHARACTERS


def _statement(text: str, turn: SummaryInput) -> str | None:
    return next((one for one in turn.stated if text in one), None)


def _worth_of_kind(text: str, turn: SummaryInput) -> float:
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
