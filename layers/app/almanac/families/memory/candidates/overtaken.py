"""Estimate how probable it is that a later turn of a talk overtakes what an earlier one said.

"New try Monday the 9th, same hour" names nothing of "release Thursday 14:00", and no rule can be sure that it replaces
it. But the reply to it says "Release on Monday". A small logistic model reads a pair of an earlier sentence and a later
turn: the uncommon topic words that both have with what is said around the later one, other days, times and numbers, a
rejected word, and whether the later turn decides, reports or changes something. Its weights are fitted by
`tools/sentence_model/fit_overtaken.py` on talks in which a turn names the turns that it overtakes.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from math import exp, log
from operator import mul
from typing import NamedTuple

from almanac.families.memory.candidates.current_statements import (
    FINISHED,
    OPEN_LIST,
    REPLACEABLE,
    SENTENCE_CHARACTERS,
    CurrentStatement,
)
from almanac.families.memory.candidates.overtaken_weights import ALWAYS, OF_PAIRS
from almanac.families.memory.candidates.topics import topic_terms
from almanac.families.memory.core.records import AGENT_ROLES, SPEAKING_ROLES, Turn
from almanac.families.memory.statements.claims import values_of
from almanac.families.memory.statements.sentences import sentences_of

BINDING = frozenset({"decision", "deadline", "constraint", "convention", "preference"})
CHARACTERS = 2_000
"""Most characters of a turn that are read."""
_AROUND_CHARACTERS = 300
_NEXT_TURNS = 2
"""Turns at most this far apart belong together, and seldom overtake each other."""
_LEAST_COVERED = 0.15
"""Least share of the earlier words, by their weight, that the later turn has with what is said around it."""
_MOST_SHARED = 4
_MOST_VALUES = 2
_LISTED = 5
"""Fewest lines of a turn that is a list, a table or a report."""
_CHANGES = re.compile(
    r"\b(?:instead|rather than|change of plan|scrap|kill|throw out|overruled|after all|replac\w+|switch\w*|no longer"
    r"|any ?more|moves?d?|forget|take (?:it|that) back|changed? (?:my|our) mind)\b",
    re.IGNORECASE,
)
_REPORTS_CHANGE = re.compile(
    r"^\W*(?:changed|moved|switched|replaced|swapped|rebooked|rescheduled|reverted|replacing|moving|switching)\b"
    r"|\b(?:changed|moved|switched) (?:it|them|that|this|back)\b|\b(?:is|are|has|have|runs?|takes?|uses?) now\b"
    r"|\bnow (?:is|are|has|have|runs?|takes?|uses?)\b|\bthe new \w+ is\b",
    re.IGNORECASE,
)
"""Matches an agent's report of a change: "Changed: 14:05, coach 3", "I moved it back"."""
_REJECTED = re.compile(
    r"\b(?:no more|not(?: the| a| on| at| in| every)?|no|out with(?: the)?|threw out(?: the)?|instead of(?: the)?"
    r"|rather than|forget|drop|kick|scrap(?: that| the)?|without|replac(?:e|es|ing)|over|than) ([\w.-]+)"
    r"|(?<![\w.-])([\w.-]+)(?:'s| is| are|)"
    r" (?:too|gone|off|dead|out|over|cancel\w+|not|moves?|moved|can't|won't|isn't)\b",
    re.IGNORECASE,
)
"""Captures a word that a later choice rejects: "isar out", "the green's dead", "not every 15"."""
_VALUED = re.compile(r"\b([^\W\d_]{3,})(?:\W{1,3}(?:is|are|was|at|of|to))?\W{1,3}(\d+)\b")
_NUMBER = re.compile(r"\d+(?:[.:]\d+)*")
_WORD = re.compile(r"[\w.-]+")


class PairFeatures(NamedTuple):
    """Features of an earlier text and a later turn. All numbers are from 0 to about 1.

    `covered` is the share of the earlier words, by weight, that the later turn has. `shared` and `rarest` count the
    words that it has with what is said around it, and weigh the rarest. `other_values` counts other days, times and
    numbers of the same kind; with `other_numbers` it has any other number. `rejects`: it rejects an earlier word.
    `changes`: its reply, or its own report, tells a change. `binds` and `reports`: it decides something, or reports
    something as done. `of_choice` and `of_task`: the earlier turn decides or dates something, or has a task. `is_list`:
    the later turn is a list or a table, which repeats much."""

    covered: float
    shared: float
    rarest: float
    other_values: float
    other_numbers: float
    rejects: float
    changes: float
    binds: float
    reports: float
    of_choice: float
    of_task: float
    same_session: float
    is_list: float


class _Words(NamedTuple):
    """Features of the words of a later turn and of the words around it.

    `with_around` adds the words around it. `values` and `numbers` are its days, times and numbers, and of a person's
    turn also those around it."""

    terms: frozenset[str]
    with_around: frozenset[str]
    values: Mapping[str, str]
    numbers: frozenset[str]
    rejected: frozenset[str]
    changes: bool
    reports: bool
    is_list: bool


class LaterTurns:
    """The turns of a talk, and how probably each overtakes what an earlier one said.

    `turns` are in the order of time, and `statements` are theirs."""

    def __init__(self, turns: Sequence[Turn], statements: Sequence[CurrentStatement]) -> None:
        self._kinds: dict[str, set[str]] = {}
        for one in statements:
            self._kinds.setdefault(one.turn, set()).add(one.kind)
        around, replies = _surroundings(turns)
        self._places = {turn.id: place for place, turn in enumerate(turns)}
        self._spoken = [
            (turn, _words_of(turn.content[:CHARACTERS], turn.role, around[turn.id], replies.get(turn.id, "")))
            for turn in turns
            if turn.role in SPEAKING_ROLES
        ]
        self._sessions = {turn.id: turn.session for turn in turns}
        self._counts = Counter(chain.from_iterable(words.with_around for _, words in self._spoken))
        self._rarest = log((len(self._spoken) + 1) / 1.5)

    def share_of(self, text: str, turn: str) -> float:
        """Return the probability, from 0 to 1, that a later turn overtakes this text of a turn."""
        return max((probability_of(features) for _, features in self.pairs_of(text, turn)), default=0.0)

    def overtaking(self, turn: Turn, least: float) -> Turn | None:
        """Return the later turn that most probably overtakes a part of a turn; None if none reaches `least`."""
        pairs = (pair for part in parts_of(turn) for pair in self.pairs_of(part, turn.id))
        shares = ((probability_of(features), later.at, later) for later, features in pairs)
        share, _, later = max(shares, key=lambda one: one[:2], default=(0.0, 0, None))
        return later if share >= least else None

    def pairs_of(self, text: str, turn: str) -> Iterator[tuple[Turn, PairFeatures]]:
        """Yield the later turns that have enough of a text's words, with the features of the two."""
        terms = terms_of(text)
        weights = {term: log((len(self._spoken) + 1) / (self._counts[term] + 0.5)) for term in terms}
        total = sum(weights.values())
        if turn not in self._places:
            return
        first = self._places[turn] + _NEXT_TURNS
        earlier_kinds, values, numbers = self._kinds.get(turn, set()), _values(text), numbers_in(text)
        for later, words in self._spoken:
            if terms.isdisjoint(words.with_around) or self._places[later.id] <= first:
                continue
            shared = terms & words.with_around
            if sum(weights[term] for term in shared) < _LEAST_COVERED * total:
                continue
            kinds = self._kinds.get(later.id, set())
            others = sum(values[kind] != words.values[kind] for kind in values.keys() & words.values.keys())
            yield (
                later,
                PairFeatures(
                    sum(weights[term] for term in shared if term in words.terms) / total,
                    min(_MOST_SHARED, len(shared)) / _MOST_SHARED,
                    max(weights[term] for term in shared) / self._rarest,
                    min(_MOST_VALUES, others) / _MOST_VALUES,
                    float(bool(numbers and words.numbers) and not words.numbers <= numbers),
                    float(not words.rejected.isdisjoint(terms | words_in(text))),
                    float(words.changes),
                    float(not BINDING.isdisjoint(kinds)),
                    float(words.reports or "done" in kinds),
                    float(not REPLACEABLE.isdisjoint(earlier_kinds)),
                    float("task" in earlier_kinds),
                    float(later.session == self._sessions[turn]),
                    float(words.is_list),
                ),
            )


@lru_cache(1024)
def _words_of(text: str, role: str, around: str, reply: str) -> _Words:
    terms = terms_of(text)
    with_values = f"{text}\n{around}" if role == "user" else text
    own_report = role in AGENT_ROLES and _REPORTS_CHANGE.search(text)
    return _Words(
        terms,
        terms | terms_of(around),
        _values(with_values),
        numbers_in(with_values),
        rejected_words(text),
        bool(own_report or _CHANGES.search(reply) or _REPORTS_CHANGE.search(reply)),
        FINISHED.search(text) is not None,
        _has_lines(text) or OPEN_LIST.search(text) is not None,
    )


def probability_of(features: PairFeatures) -> float:
    """Return the probability, from 0 to 1, that the later one of a pair overtakes the earlier one."""
    return 1 / (1 + exp(-ALWAYS - sum(map(mul, OF_PAIRS, features))))


def parts_of(turn: Turn) -> Sequence[str]:
    """Return the texts of a turn of which each may be overtaken: a short turn as a whole, or else its sentences."""
    text = turn.content[:CHARACTERS]
    return [text] if len(text) <= SENTENCE_CHARACTERS else sentences_of(text)


def reports_change(turn: Turn) -> bool:
    """Return whether an agent reports that it changed something."""
    return turn.role in AGENT_ROLES and _REPORTS_CHANGE.search(turn.content[:CHARACTERS]) is not None


def is_list(turn: Turn) -> bool:
    """Return whether a turn is a list, a table or a report, which names more than the next turns are about."""
    return _has_lines(turn.content[:CHARACTERS])


def _has_lines(text: str) -> bool:
    return sum(1 for line in text.splitlines() if line.strip()) >= _LISTED


@lru_cache(1024)
def terms_of(text: str) -> frozenset[str]:
    """Return the topic words of a text, and each word together with its number.

    "the limit is 40" and "set limit 40" both have the pair "limit 40"."""
    return topic_terms(text) | {f"{match[1].lower()} {match[2]}" for match in _VALUED.finditer(text)}


def _surroundings(turns: Sequence[Turn]) -> tuple[dict[str, str], dict[str, str]]:
    """Return what is said around each turn, and the first words of the reply of an agent to each turn of a person.

    Around a person's turn are the reply and a question before it, around an agent's turn the order that it answers."""
    around = {turn.id: "" for turn in turns}
    replies: dict[str, str] = {}
    last: dict[str | None, Turn] = {}
    for turn in turns:
        if turn.role not in SPEAKING_ROLES:
            continue
        before = last.get(turn.session)
        last[turn.session] = turn
        if before is None or before.role == turn.role:
            continue
        text = before.content[:_AROUND_CHARACTERS]
        if turn.role != "user" or "?" in text:
            around[turn.id] = text
        if before.role == "user":
            replies[before.id] = turn.content[:_AROUND_CHARACTERS]
            around[before.id] += f"\n{replies[before.id]}"
    return around, replies


@lru_cache(maxsize=2048)
def _values(text: str) -> Mapping[str, str]:
    return dict(values_of(text))


def rejected_words(text: str) -> frozenset[str]:
    """Return the words that a text rejects, also as topic words."""
    words = {word.lower() for match in _REJECTED.finditer(text) for word in match.groups() if word}
    return frozenset(words).union(*map(topic_terms, words))


@lru_cache(1024)
def numbers_in(text: str) -> frozenset[str]:
    """Return the numbers of a text as they are written."""
    return frozenset(_NUMBER.findall(text[:CHARACTERS]))


@lru_cache(1024)
def words_in(text: str) -> frozenset[str]:
    """Return the words of a text in lower case."""
    return frozenset(_WORD.findall(text[:CHARACTERS].lower()))
