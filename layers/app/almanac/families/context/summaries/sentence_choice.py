"""The text of a summary: the most informative sentences of its memories, within a number of tokens.

A word is worth less the more memories have it. Sentences are picked greedily by the new information they add relative
to their length. They are grouped by type of memory, the oldest first. Sentences are never cut; one without room is left
out.
"""

import heapq
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from almanac.families.context.core.types import type_of
from almanac.families.memory.core.likeness import same_words
from almanac.families.memory.core.records import Memory
from almanac.families.memory.sessions.summary import added_value, word_values
from almanac.families.memory.snapshot.tokens import tokens_of
from almanac.families.memory.statements.sentence_worth import worth_of
from almanac.families.memory.statements.sentences import (
    cut,
    is_question,
    join_sentences,
    sentences_of,
    whole_sentences_of,
)
from almanac.families.memory.statements.words import words_of
from almanac.kernel.instants import instant_at

_HEADINGS: Mapping[str, str] = {
    "decision": "Key decisions",
    "bug_fix": "Bugs fixed",
    "convention": "Conventions",
    "code_pattern": "Code patterns",
    "relationship": "Feedback and relationships",
    "documentation": "Documentation",
    "error": "Errors",
}
_OTHERS = "Observations"
_SENTENCES = 12
"""Sentences of a memory that are considered, from its beginning."""
_PICKED = 3
"""Maximum sentences of a memory in a summary."""
_CODE_CHARACTERS = 280
"""Maximum characters quoted of a memory without sentences, such as code."""
_FIRST = 1.1
_LEAST = 0.2
"""Minimum worth of small talk and of code. An actor stored the memory on purpose."""


class _Sentence(Struct, frozen=True):
    memory: int
    place: int
    text: str
    words: dict[str, float]
    worth: float


def summary_text(memories: Sequence[Memory], target_tokens: int) -> str:
    """Return a summary of `memories`, oldest first, in at most `target_tokens`, which is 50 or more."""
    heading = _heading(memories)
    left = target_tokens - tokens_of(heading)
    picked: list[_Sentence] = []
    headed: set[str] = set()
    for sentence in _by_gain(_sentences(memories)):
        title = _title(memories[sentence.memory])
        cost = tokens_of(f"- {sentence.text}\n") + (0 if title in headed else tokens_of(f"\n{title}:\n"))
        if cost <= left:
            left -= cost
            headed.add(title)
            picked.append(sentence)
    text = _format(heading, memories, picked)
    while picked and tokens_of(text) > target_tokens:
        picked.pop()
        text = _format(heading, memories, picked)
    return text


def dates_of(memories: Sequence[Memory]) -> tuple[str, str]:
    """Return the first and the last day of the memories in UTC, as 2026-02-25."""
    first, last = (instant_at(memory.at).date().isoformat() for memory in (memories[0], memories[-1]))
    return first, last


def _heading(memories: Sequence[Memory]) -> str:
    first, last = dates_of(memories)
    count = "1 memory was" if len(memories) == 1 else f"{len(memories)} memories were"
    return f"{first}: {count} archived." if first == last else f"{first} to {last}: {count} archived."


def _title(memory: Memory) -> str:
    return _HEADINGS.get(type_of(memory), _OTHERS)


def _sentences(memories: Sequence[Memory]) -> list[_Sentence]:
    """Return the different sentences, each where it occurs first."""
    found: list[_Sentence] = []
    said: set[str] = set()
    for number, memory in enumerate(memories):
        for place, text in enumerate(_first_sentences(memory.content)):
            same = same_words(text)
            if same and same not in said:
                said.add(same)
                worth = max(_LEAST, worth_of(text, is_question=is_question(text))) * (1.0 if place else _FIRST)
                found.append(_Sentence(number, place, text, words_of(text), worth))
    return found


def _first_sentences(content: str) -> list[str]:
    """Return the first sentences of a memory. For code, return its first words."""
    told = whole_sentences_of(content)[:_SENTENCES]
    return told if told or sentences_of(content) else [cut(" ".join(content.split()), _CODE_CHARACTERS)]


def _by_gain(sentences: Sequence[_Sentence]) -> Iterator[_Sentence]:
    """Yield the sentences by gain, the best first. The gain of a sentence only falls as others are picked. So a
    sentence that is still first after its gain is computed again is the best of all (lazy greedy)."""
    values, covered, of_memory = (
        word_values((each.memory, each.words) for each in sentences),
        set[str](),
        Counter[int](),
    )
    waiting = [(-_gain(each, values, covered), number) for number, each in enumerate(sentences)]
    heapq.heapify(waiting)
    while waiting:
        _, number = heapq.heappop(waiting)
        sentence = sentences[number]
        gain = _gain(sentence, values, covered)
        if waiting and gain < -waiting[0][0]:
            heapq.heappush(waiting, (-gain, number))
        elif of_memory[sentence.memory] < _PICKED:
            of_memory[sentence.memory] += 1
            covered.update(sentence.words)
            yield sentence


def _gain(sentence: _Sentence, values: Mapping[str, float], covered: set[str]) -> float:
    return sentence.worth * added_value(sentence.words, len(sentence.text), values, covered)


def _format(heading: str, memories: Sequence[Memory], picked: Sequence[_Sentence]) -> str:
    """Return the text with a line for each memory, under the heading of its type."""
    lines: dict[int, list[str]] = {}
    for each in sorted(picked, key=lambda one: (one.memory, one.place)):
        lines.setdefault(each.memory, []).append(each.text)
    grouped: dict[str, list[str]] = {}
    for number, texts in lines.items():
        grouped.setdefault(_title(memories[number]), []).append(f"- {join_sentences(texts)}")
    titles = [title for title in (*_HEADINGS.values(), _OTHERS) if title in grouped]
    return "\n\n".join([heading, *("\n".join([f"{title}:", *grouped[title]]) for title in titles)])
