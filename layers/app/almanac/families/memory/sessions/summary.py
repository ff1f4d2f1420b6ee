"""The summary of a window of turns, made of their own sentences: no model, the same everywhere, each word sourced.

A word is worth less the more turns have it, and less where an earlier summary has it already. Sentences are picked
one after another, each time the one that brings most that no picked one has said, for its length. A short answer is
kept with its question. What is picked stands in the order of the talk, under the name of who said it.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec import Struct

from almanac.families.memory.core.likeness import same_words
from almanac.families.memory.statements.classifier import classify
from almanac.families.memory.statements.sentence_worth import is_answer, worth_of
from almanac.families.memory.statements.sentences import PART_CHARACTERS, is_question, sentences_of
from almanac.families.memory.statements.weights import StatementKind
from almanac.families.memory.statements.words import words_of

CHARACTERS = 1_200
_CUT = "\N{HORIZONTAL ELLIPSIS}"
_OF_TALK = 0.4
"""The least weight of a turn in which somebody speaks, rather than a program."""
MOST_SENTENCES = 20
"""One atomic write checks every turn that is quoted, and links it."""
_OF_A_TURN = 40
"""Sentences that are looked at: the first ones, and the last of a long turn."""
_PICKED_OF_A_TURN = 3
_KNOWN_WORD = 0.4
_SAID_WORD = 0.1
_LEAST_GAIN = 1.1
_LENGTH_OFFSET = 30
_SHORT_TALK = 20
"""From four fifths as many turns on a sentence must bring all of `_LEAST_GAIN`."""
_STANDS_ALONE = 3
"""An answer with fewer words than these says nothing without its question."""
_SAYS_LITTLE = 4
"""With fewer words than these an agent only tells that it works: "Added to the list"."""

_ANSWER = 0.6
"""Factor for a short answer, which may bring its question along."""
_LEAST_SHARE = 0.5
_STATED = 3.0
"""Factor for a sentence that states something binding, as its neighbours show."""
_UNLIKELY_FILLER = 0.5
"""The same for words of a person that may be filler."""
_UNCLEAR = 0.65
"""The same for words of a person of which no kind is likely."""
_UNASKED = 0.5
"""The same for words of an agent that nobody asked for and that confirm nothing."""
_SHORTLY_SAID = 0.3
"""The same for an agent's words where they are few."""
_NEWLY_SAID = 0.4
"""The share of the words of what is stated that must be new, or else it is as good as told."""
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
_OF_AGENTS: dict[StatementKind, float] = {
    "cause": 1.6,
    "done": 1.1,
    "deadline": 1.0,
    "error": 0.9,
    "task": 0.7,
    "constraint": 0.3,
    "question": 0.2,
    "aside": 0.5,
    "filler": 0.1,
}
"""Factors for an agent's sentence by its kind, if the kind is likely."""

Known = Collection[str]


class SummaryInput(Struct, frozen=True):
    """A turn as input of a summary. A `weight` below 1 makes it count for less, such as output of a program. `stated`
    are its sentences that decide, forbid, ask for or date something; only their neighbours may show that."""

    source: str
    speaker: str
    text: str
    weight: float = 1.0
    by_person: bool = True
    stated: tuple[str, ...] = ()


class Summary(Struct, frozen=True):
    """`sources` are those that it quotes, in their order. An empty text: there was nothing to say."""

    text: str
    sources: tuple[str, ...]


class _Sentence(Struct, frozen=True, eq=False):
    """`asks` is the question that this one answers."""

    turn: int
    place: int
    text: str
    words: dict[str, float]
    worth: float
    asks: "_Sentence | None" = None
    stated: bool = False


def summarise(
    turns: Sequence[SummaryInput], known: Known = frozenset(), earlier: str = "", characters: int = CHARACTERS
) -> Summary:
    """Sentences in `known`, given as `same_words`, are left out; words of `earlier` summaries are worth less."""
    sentences = _sentences(turns, known)
    picked = _pick(
        sentences,
        word_values(((one.turn, one.words) for one in sentences), words_of(earlier).keys()),
        turns,
        characters,
    )
    return Summary(_written(picked, turns), tuple(dict.fromkeys(turns[one.turn].source for one in picked)))


def _sentences(turns: Sequence[SummaryInput], known: Known) -> list[_Sentence]:
    """Each once, the first time that it is said."""
    found: list[_Sentence] = []
    said = set(known)
    question: _Sentence | None = None
    asked = False
    for number, turn in enumerate(turns):
        asked = asked if not turn.by_person else bool(turn.stated) or is_question(turn.text)
        of_turn: list[_Sentence] = []
        for place, text in enumerate(_looked_at(sentences_of(turn.text))):
            same = same_words(text)
            if not same or same in said:
                continue
            said.add(same)
            asks = question if question is not None and not of_turn else None
            of_turn.append(_sentence(number, place, text, turn, asks, asked))
        question = _open_question(of_turn, question)
        found += of_turn
    return found


def _looked_at(sentences: list[str]) -> list[str]:
    return (
        sentences if len(sentences) <= _OF_A_TURN else sentences[: _OF_A_TURN * 3 // 4] + sentences[-_OF_A_TURN // 4 :]
    )


def _sentence(number: int, place: int, text: str, turn: SummaryInput, asks: _Sentence | None, asked: bool) -> _Sentence:
    asking = is_question(text)
    words = words_of(text)
    worth = worth_of(text, is_question=asking) * turn.weight * (1.1 if place == 0 else 1.0)
    if text.endswith(_CUT) and len(text) > PART_CHARACTERS:
        return _Sentence(number, place, text, words, 0.0)
    if any(text in one for one in turn.stated) and words:
        needs = asks if len(words) < _STANDS_ALONE else None
        return _Sentence(number, place, text, words, max(worth * _STATED, turn.weight), needs, stated=True)
    worth *= _worth_of_kind(text, turn, asked)
    if not turn.by_person and turn.weight > _OF_TALK and len(words) < _SAYS_LITTLE:
        worth *= _SHORTLY_SAID
    if asks is None or asking:
        return _Sentence(number, place, text, words, worth if len(words) > 1 else 0.0)
    if len(words) < _STANDS_ALONE:
        # "Yes", "Ann does": worth what the question is about.
        return _Sentence(number, place, text, {**asks.words, **words}, turn.weight * _ANSWER * is_answer(text), asks)
    return _Sentence(number, place, text, words, worth)


def _worth_of_kind(text: str, turn: SummaryInput, asked: bool) -> float:
    """Return the factor for a sentence by its kind. `asked`: the last person asked or stated something, which an agent
    may answer or confirm."""
    judgement = classify(text)
    likely = judgement.share >= _LEAST_SHARE
    if turn.by_person:
        unlikely = _UNLIKELY_FILLER if judgement.kind == "filler" else _UNCLEAR
        return _WORTHS.get(judgement.kind, 1.0) if likely else unlikely
    factor = 1.0 if asked or turn.weight < _OF_TALK else _UNASKED
    known = _OF_AGENTS.get(judgement.kind) if likely else None
    return factor if known is None else known


def _open_question(sentences: list[_Sentence], before: _Sentence | None) -> _Sentence | None:
    """Return the question that the next turn may answer: the last sentence, if it asks. A turn without content leaves a
    question open."""
    if not any(one.worth for one in sentences):
        return before
    last = sentences[-1]
    return last if is_question(last.text) and len(last.words) > 1 else None


def word_values(said: Iterable[tuple[int, Iterable[str]]], known: Collection[str] = ()) -> dict[str, float]:
    """Return what each word is worth: 1 where one source has it, less the more do (inverse document frequency). `said`
    are the sources of sentences and their words; words that are `known` already are worth less."""
    pairs = {(source, word) for source, words in said for word in words}
    sources = len({source for source, _ in pairs})
    having = Counter(word for _, word in pairs)
    return {
        word: math.log1p(sources / count) / math.log1p(sources) * (_KNOWN_WORD if word in known else 1.0)
        for word, count in having.items()
    }


def brought_by(words: Mapping[str, float], length: int, values: Mapping[str, float], covered: Collection[str]) -> float:
    """Return what a sentence of `length` brings by its words that no picked one has said, for its length."""
    brought = sum(looks * values[word] * (_SAID_WORD if word in covered else 1.0) for word, looks in words.items())
    return brought / (_LENGTH_OFFSET + length) ** 0.75


def _pick(
    sentences: list[_Sentence], values: dict[str, float], turns: Sequence[SummaryInput], characters: int
) -> list[_Sentence]:
    """Return the sentences of the summary, in the order in which they were said."""
    left: list[_Sentence] = [one for one in sentences if one.worth > 0]
    picked: list[_Sentence] = []
    covered: set[str] = set()
    of_turn: Counter[int] = Counter()
    room = characters
    # Of a session that nobody spoke in, such as a log of events, the events are what matters.
    # Of a short talk more is told: there is room for it.
    least = _LEAST_GAIN * max((turn.weight for turn in turns), default=1.0) * min(1.0, 0.2 + len(turns) / _SHORT_TALK)
    while left:
        best = max(left, key=lambda one: _gain(one, values, covered, least))
        if _gain(best, values, covered, least) < least:
            break
        left.remove(best)
        taken = [each for each in (best.asks, best) if each is not None and each not in picked]
        length = sum(len(each.text) + len(turns[each.turn].speaker) + 3 for each in taken)
        too_many = len(picked) + len(taken) > MOST_SENTENCES or of_turn[best.turn] == _PICKED_OF_A_TURN
        if length > room or too_many:
            continue
        room -= length
        of_turn[best.turn] += 1
        covered.update(best.words)
        picked += taken
        left = [one for one in left if one is not best.asks]
    return sorted(picked, key=lambda one: (one.turn, one.place))


def _gain(sentence: _Sentence, values: dict[str, float], covered: set[str], least: float) -> float:
    length = len(sentence.text) + (len(sentence.asks.text) if sentence.asks else 0)
    gain = sentence.worth * brought_by(sentence.words, length, values, covered) * 10
    is_new = len(sentence.words.keys() - covered) > _NEWLY_SAID * len(sentence.words)
    return max(gain, least) if sentence.stated and is_new else gain


def _written(picked: list[_Sentence], turns: Sequence[SummaryInput]) -> str:
    """A line for each turn: its speaker, and what he said."""
    lines: dict[int, list[str]] = {}
    for one in picked:
        lines.setdefault(one.turn, []).append(one.text)
    return "\n".join(f"{turns[number].speaker}: {' '.join(texts)}" for number, texts in lines.items())
