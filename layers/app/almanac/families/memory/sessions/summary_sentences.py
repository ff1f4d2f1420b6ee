"""The sentences that a summary may take, each with its worth.

In English talk with an agent, the worth of a sentence is its weight for later work, and most sentences have none. In
other talk, such as that of people alone or a log, the form and the kind of the sentence count.
"""

import re
from collections.abc import Collection, Sequence

from msgspec import Struct
from msgspec.structs import replace as altered

from almanac.families.memory.core.likeness import same_words
from almanac.families.memory.sessions.carried import (
    CONFIRMED,
    REPLY,
    Reply,
    carried_by_agent,
    carried_by_person,
    has_name,
    is_english,
    reply_of,
    tells_result,
)
from almanac.families.memory.statements.classifier import classify
from almanac.families.memory.statements.sentence_worth import announces, is_answer, is_small_talk, worth_of
from almanac.families.memory.statements.sentences import PART_CHARACTERS, is_question, sentences_of
from almanac.families.memory.statements.weights import StatementKind
from almanac.families.memory.statements.words import words_of

_CUT = "\N{HORIZONTAL ELLIPSIS}"
_OF_AGENT = 0.8
"""Least weight of a turn in which an agent speaks. Turns of programs weigh less."""
_OF_A_TURN = 40
"""Most sentences of a turn that are read: the first ones and, in a long turn, the last ones."""
_STANDS_ALONE = 3
"""An answer with fewer meaningful words says nothing without its question."""
_ANSWER = 0.6
"""Factor for a short answer, which may bring its question along."""
_BINDS = 2.0
"""Least worth of a binding sentence in talk with an agent."""
_CONSENTS = re.compile(
    r"^\W*(?:(?:yes|yeah|yep|yup|y|ok|okay|sure|no|nope|nah|go on|please|do|go|pls|then)\b\W*)+$", re.IGNORECASE
)
"""Matches a whole turn that only answers yes or no, which closes a question."""
_LEAST_SHARE = 0.5
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


class SummaryInput(Struct, frozen=True):
    """A turn as input of a summary. A `weight` below 1 makes it count for less, for example as output of a program.

    `stated` has its statements that decide, forbid, request or date something. A statement may join several sentences,
    if a sentence shows that only together with its neighbours."""

    source: str
    speaker: str
    text: str
    weight: float = 1.0
    by_person: bool = True
    stated: tuple[str, ...] = ()


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


def replies_in(turns: Sequence[SummaryInput]) -> list[Reply] | None:
    """Return the reply of another speaker to each turn; None if no agent speaks, or the talk is not in English."""
    if not (any(map(_is_agent, turns)) and is_english(one.text for one in turns if one.by_person or _is_agent(one))):
        return None
    found: list[Reply] = []
    following: SummaryInput | None = None
    reply = Reply()
    for turn in reversed(turns):
        if following is not None and following.speaker != turn.speaker:
            reply = altered(reply_of(following.text), by_agent=_is_agent(following))
        elif following is not None:
            # A reply accepts only the turn right before it, but it may repeat words of earlier turns too.
            reply = Reply(words=reply.words)
        found.append(reply)
        following = turn if turn.by_person or _is_agent(turn) else following
    return found[::-1]


def _is_agent(turn: SummaryInput) -> bool:
    return not turn.by_person and turn.weight >= _OF_AGENT


def sentences_in(turns: Sequence[SummaryInput], known: Known, replies: Sequence[Reply] | None) -> list[SummarySentence]:
    """Return the sentences of the turns, without those that are known or were said before."""
    found: list[SummarySentence] = []
    said = set(known)
    question: SummarySentence | None = None
    for number, turn in enumerate(turns):
        of_turn: list[SummarySentence] = []
        for place, text in enumerate(_looked_at(_units(turn))):
            same = same_words(text)
            if not same or same in said:
                continue
            said.add(same)
            asks = question if question is not None and not of_turn else None
            if asks is not None and turns[asks.turn].speaker == turn.speaker:
                asks = None
            if replies is None:
                of_turn.append(_sentence(number, place, text, turn, asks))
            else:
                follows = turns[number - 1] if number else None
                of_turn.append(_carried(number, place, text, turn, asks, replies[number], follows))
        if replies is not None:
            of_turn = _with_numbers(of_turn) if turn.by_person else _with_reply(of_turn, found, turns)
        if question is not None and turns[question.turn].speaker != turn.speaker and _CONSENTS.match(turn.text):
            question = None
        question = _open_question(of_turn, question)
        found += of_turn
    return found


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
    if judgement.share >= _LEAST_SHARE:
        return _WORTHS.get(judgement.kind, 1.0)
    return _UNLIKELY_FILLER if judgement.kind == "filler" else _UNCLEAR


def _carried(
    number: int,
    place: int,
    text: str,
    turn: SummaryInput,
    asks: SummarySentence | None,
    reply: Reply,
    follows: SummaryInput | None,
) -> SummarySentence:
    """Return a sentence of talk with an agent; its worth is its weight for later work. `follows` is the turn before."""
    words = words_of(text)
    if _is_cut(text) or not (turn.by_person or _is_agent(turn)):
        return SummarySentence(number, place, text, words, 0.0)
    if turn.by_person:
        worth = carried_by_person(text, words, reply, _statement(text, turn))
    else:
        finds = follows is not None and not follows.by_person
        worth = carried_by_agent(text, words, asks.words if asks else (), reply, finds=finds)
    if asks is None or len(words) >= _STANDS_ALONE or is_question(text):
        return SummarySentence(number, place, text, words, worth)
    if is_answer(text) and (has_name(words) or (turn.by_person and words and reply.confirms(words))):
        worth = max(worth, CONFIRMED)
    return SummarySentence(number, place, text, {**asks.words, **words}, worth, asks)


def _with_reply(
    of_turn: list[SummarySentence], found: Sequence[SummarySentence], turns: Sequence[SummaryInput]
) -> list[SummarySentence]:
    """Return the sentences of an agent's turn, with the first one that adds something made worth telling.

    This is done if the person's words before the turn carry something but say little by themselves, as "let's do 20"
    does."""
    if _restates(of_turn, turns):
        return [altered(of_turn[0], worth=CONFIRMED), *of_turn[1:]]
    if not of_turn or not found or not _is_agent(turns[of_turn[0].turn]) or not turns[found[-1].turn].by_person:
        return of_turn
    said = [one for one in found if one.turn == found[-1].turn and one.worth]
    known = {word for one in said for word in one.words}
    if not said or len(known) >= _STANDS_ALONE:
        return of_turn
    for place, one in enumerate(of_turn):
        idle = one.worth or is_question(one.text) or announces(one.text)
        if not idle and len(one.words) > 1 and not one.words.keys() <= known:
            return [*of_turn[:place], altered(one, worth=REPLY), *of_turn[place + 1 :]]
    return of_turn


def _restates(of_turn: Sequence[SummarySentence], turns: Sequence[SummaryInput]) -> bool:
    """Return whether an agent's turn begins by spelling out a person's words that say little by themselves.

    "The limit is 90 for all four tables" spells out "all"."""
    if not of_turn or not of_turn[0].turn or not _is_agent(turns[of_turn[0].turn]):
        return False
    first, before = of_turn[0], turns[of_turn[0].turn - 1]
    is_short = len(words_of(before.text)) < _STANDS_ALONE and not is_question(before.text)
    if not (before.by_person and is_short) or is_small_talk(before.text) or first.worth:
        return False
    return tells_result(first.text, first.words)


def _with_numbers(of_turn: list[SummarySentence]) -> list[SummarySentence]:
    """Return the sentences of a person's turn, with those made worth telling that add a number to a binding one.

    In "we cannot open on the 20th. it's March 6 now", this is the second sentence."""
    told = list(of_turn)
    for place in range(1, len(told)):
        one = told[place]
        if told[place - 1].worth >= _BINDS and not one.worth and not is_question(one.text) and _has_number(one.text):
            told[place] = altered(one, worth=CONFIRMED)
    return told


def _has_number(text: str) -> bool:
    return any(map(str.isdecimal, text))


def _open_question(sentences: list[SummarySentence], before: SummarySentence | None) -> SummarySentence | None:
    """Return the question that the next turn may answer: the last sentence, if it is a question.

    A turn without content leaves an earlier question open."""
    if not any(one.worth or is_question(one.text) for one in sentences):
        return before
    last = sentences[-1]
    return last if is_question(last.text) and len(last.words) > 1 else None
