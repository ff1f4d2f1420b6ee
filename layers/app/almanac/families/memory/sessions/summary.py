"""Summarise a window of turns by selecting some of their sentences, without a language model.

The result is the same on every machine. A word is worth less if more turns have it, or if an earlier summary has it.
From talk with an agent, the summary takes every sentence on which later work may depend, once. From other talk it picks
sentences one after another: each time the sentence that adds most, for its length, to those picked before. A short
answer keeps its question. The picked sentences keep the order of the talk and the names of their speakers.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec import Struct

from almanac.families.memory.sessions.summary_sentences import (
    Known,
    SummarySentence,
    passages_in,
    sentences_in,
)
from almanac.families.memory.statements.passages import SpokenTurn, is_with_agent
from almanac.families.memory.statements.sentences import join_sentences
from almanac.families.memory.statements.words import NEWLY_SAID, restates, words_of

CHARACTERS = 1_400
MOST_SENTENCES = 20
"""Most sentences of a summary, because one atomic write checks and links every quoted turn."""
_PICKED_OF_A_TURN = 3
_PICKED_OF_A_LIST = 6
"""Most sentences that a summary takes from a turn of several lines, such as a list."""
_KNOWN_WORD = 0.4
_COVERED_WORD = 0.1
_LEAST_GAIN = 1.1
_LENGTH_OFFSET = 30
_ECHO_NEWLY_SAID = 0.6
"""Share of the words of an agent's reply that may be new where it only repeats the person's line before."""
_ECHO_SHARED = 2
"""Least number of words that an echo has from the line before."""
_SHORT_TALK = 20
"""A talk of four fifths of this many turns or more uses the whole `_LEAST_GAIN` as threshold, a shorter talk less."""


class Summary(Struct, frozen=True):
    """A summary, and the ids of the turns that it quotes in their order (`sources`). Both may be empty."""

    text: str
    sources: tuple[str, ...]


def summarise(
    turns: Sequence[SpokenTurn], known: Known = frozenset(), earlier: str = "", characters: int = CHARACTERS
) -> Summary:
    """Return a summary of the turns in at most `characters` characters.

    Sentences in `known`, in the form of `same_words`, are left out, and words of `earlier` summaries are worth less.
    From English talk with an agent, it takes only sentences on which later work may depend, however short the summary
    becomes."""
    with_agent = is_with_agent(turns)
    sentences = passages_in(turns, known) if with_agent else sentences_in(turns, known)
    values = word_values(((one.turn, one.words) for one in sentences), words_of(earlier).keys())
    pick = _pick_consequential if with_agent else _pick
    picked = pick(sentences, values, turns, characters)
    quoted = [each.turn for one in picked for each in (one.asks, one) if each is not None]
    return Summary(_format_lines(picked, turns), tuple(turns[number].source for number in sorted(set(quoted))))


def word_values(words_of_sources: Iterable[tuple[int, Iterable[str]]], known: Collection[str] = ()) -> dict[str, float]:
    """Return the value of each word: 1 if one source has it, and less if more do (inverse document frequency).

    `words_of_sources` pairs the source of each sentence, such as its turn, with its words. Words in `known` are worth
    less."""
    pairs = {(source, word) for source, words in words_of_sources for word in words}
    sources = len({source for source, _ in pairs})
    counts = Counter(word for _, word in pairs)
    return {
        word: math.log1p(sources / count) / math.log1p(sources) * (_KNOWN_WORD if word in known else 1.0)
        for word, count in counts.items()
    }


def added_value(
    words: Mapping[str, float], length: int, values: Mapping[str, float], covered: Collection[str]
) -> float:
    """Return the value that a sentence adds, relative to its length. Words that are covered already add little."""
    added = sum(looks * values[word] * (_COVERED_WORD if word in covered else 1.0) for word, looks in words.items())
    return added / (_LENGTH_OFFSET + length) ** 0.75


def _pick(
    sentences: list[SummarySentence], values: dict[str, float], turns: Sequence[SpokenTurn], characters: int
) -> list[SummarySentence]:
    """Return the sentences to summarise talk without an agent, in the order in which they were said."""
    remaining: list[SummarySentence] = [one for one in sentences if one.worth > 0]
    draft = _Draft(turns, characters)
    covered: set[str] = set()
    # In a session without a speaker, such as a log of events, the events matter.
    # A short talk may keep more of its sentences, because there is room for them.
    least = _LEAST_GAIN * max((turn.weight for turn in turns), default=1.0) * min(1.0, 0.2 + len(turns) / _SHORT_TALK)
    while remaining:
        best = max(remaining, key=lambda one: _gain(one, values, covered, least))
        if _gain(best, values, covered, least) < least:
            break
        remaining.remove(best)
        if draft.add(best):
            covered.update(best.words)
            remaining = [one for one in remaining if one is not best.asks]
    return draft.in_order


def _pick_consequential(
    sentences: list[SummarySentence], values: dict[str, float], turns: Sequence[SpokenTurn], characters: int
) -> list[SummarySentence]:
    """Return all sentences on which later work may depend, without restatements, in the order in which they were said.

    If there is too little room, the sentences of the highest worth are taken. An agent's echo of a person's line comes
    last, because the line says the same."""
    draft = _Draft(turns, characters)
    useful = [one for one in sentences if one.worth > 0]
    echoed = _echoed_lines(useful, turns)
    for one in sorted(useful, key=lambda each: (each in echoed, -each.worth, -_value_of(each, values, ()))):
        if echoed.get(one) in draft.picked:
            continue
        if not any(restates(one.words, other.words.keys()) for other in draft.picked):
            draft.add(one)
    return draft.in_order


def _echoed_lines(
    sentences: Sequence[SummarySentence], turns: Sequence[SpokenTurn]
) -> dict[SummarySentence, SummarySentence]:
    """Return the person's line that each echo repeats. An echo is a line of an agent in the reply."""
    echoed: dict[SummarySentence, SummarySentence] = {}
    last: list[SummarySentence] = []
    for one in sentences:
        if turns[one.turn].by_person:
            last = [*(last if last and last[0].turn == one.turn else ()), one]
        elif last and all(between.is_program for between in turns[last[0].turn + 1 : one.turn]):
            echoed.update((one, other) for other in last if _is_echo(one.words, other.words.keys()))
    return echoed


def _is_echo(words: Mapping[str, float], others: Collection[str]) -> bool:
    return len(words.keys() & others) >= _ECHO_SHARED and restates(words, others, _ECHO_NEWLY_SAID)


class _Draft:
    """A summary in the making, limited to a number of characters."""

    def __init__(self, turns: Sequence[SpokenTurn], characters: int) -> None:
        self._turns = turns
        self._room = characters
        self._of_turn: Counter[int] = Counter()
        self.picked: list[SummarySentence] = []

    def add(self, sentence: SummarySentence) -> bool:
        """Add a sentence if there is room for it, and return whether there was."""
        length = len(sentence.text_with_question) + len(self._turns[sentence.turn].speaker) + 3
        quoted = sum(1 if each.asks is None else 2 for each in (*self.picked, sentence))
        most = _PICKED_OF_A_LIST if "\n" in self._turns[sentence.turn].text.strip() else _PICKED_OF_A_TURN
        if length > self._room or quoted > MOST_SENTENCES or self._of_turn[sentence.turn] == most:
            return False
        self._room -= length
        self._of_turn[sentence.turn] += 1
        self.picked.append(sentence)
        return True

    @property
    def in_order(self) -> list[SummarySentence]:
        return sorted(self.picked, key=lambda one: (one.turn, one.place))


def _gain(sentence: SummarySentence, values: dict[str, float], covered: set[str], least: float) -> float:
    gain = sentence.worth * _value_of(sentence, values, covered)
    is_new = len(sentence.words.keys() - covered) > NEWLY_SAID * len(sentence.words)
    return max(gain, least) if sentence.stated and is_new else gain


def _value_of(sentence: SummarySentence, values: dict[str, float], covered: Collection[str]) -> float:
    length = len(sentence.text) + (len(sentence.asks.text) if sentence.asks else 0)
    return added_value(sentence.words, length, values, covered) * 10


def _format_lines(picked: list[SummarySentence], turns: Sequence[SpokenTurn]) -> str:
    """Return a line for each turn, with its speaker, the picked sentences and the questions of picked answers."""
    lines: dict[int, list[str]] = {}
    for one in picked:
        lines.setdefault(one.turn, []).append(one.text_with_question)
    return "\n".join(f"{turns[number].speaker}: {join_sentences(texts)}" for number, texts in lines.items())
