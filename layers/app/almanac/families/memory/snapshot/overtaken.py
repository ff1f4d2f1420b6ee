"""Estimate how probable it is that a later line of a talk overtakes an earlier one.

"New try Monday the 9th, same hour" names nothing of "release Thursday 14:00", and no rule can be sure that it replaces
it. But the reply to it says "Release on Monday". A later line probably overtakes an earlier one if it and what is said
around it have the same uncommon topic words, and most so with another day, time or number. Lines that are probably
overtaken come later on a page.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import exp, log
from typing import NamedTuple

from almanac.families.memory.candidates.current_statements import REPLACEABLE, CurrentStatement
from almanac.families.memory.candidates.topics import topic_terms
from almanac.families.memory.core.records import SPEAKING_ROLES, Turn
from almanac.families.memory.statements.claims import values_of

_AROUND_CHARACTERS = 300
_NEXT_TURNS = 3
"""Lines at most this many turns apart belong together, and seldom replace each other."""
_LEAST_COVERED = 0.2
"""Least share of the earlier line's topic words, by their weight, that the later one has."""
_MOST_SHARED = 4
_MOST_VALUES = 2
_OFTEN_SAID = 5.0
_CHANGES = re.compile(
    r"\b(?:instead|rather than|change of plan|scrap|kill|throw out|overruled|after all|replac\w+|switch\w*|no longer"
    r"|any ?more|moves?d?|forget|take (?:it|that) back|changed? (?:my|our) mind)\b",
    re.IGNORECASE,
)
# Fitted by logistic regression on pairs of lines of labelled talks; see decision 0083.
_ALWAYS = -5.7
_COVERED = 1.2
_SHARED = 3.0
_UNCOMMON = 1.2
_OTHER_VALUES = 2.5
_SAYS_CHANGE = 1.0
_OF_REPLACEABLE = 0.95
_OF_TASK = 0.5


def overtaken_shares(lines: Sequence[CurrentStatement], turns: Sequence[Turn]) -> list[float]:
    """Return for each line the probability, from 0 to 1, that a later one of them overtakes it.

    `turns` are in the order of time, and the lines are of these turns."""
    places = {turn.id: place for place, turn in enumerate(turns)}
    around = _surroundings(turns)
    terms = [topic_terms(one.text) for one in lines]
    with_around = [topic_terms(f"{one.text}\n{around[one.turn]}") | own for one, own in zip(lines, terms, strict=True)]
    counts = Counter(term for each in with_around for term in each)
    weights = {term: log((len(lines) + 1) / (count + 0.5)) for term, count in counts.items()}
    holders: dict[str, list[int]] = {}
    for index, each in enumerate(with_around):
        for term in each:
            holders.setdefault(term, []).append(index)
    later = [_later_line(one, around[one.turn]) for one in lines]
    shares: list[float] = []
    for index, one in enumerate(lines):
        covered: dict[int, float] = {}
        for term in terms[index]:
            for other in holders[term]:
                if places[lines[other].turn] > places[one.turn] + _NEXT_TURNS:
                    covered[other] = covered.get(other, 0.0) + weights[term]
        total = sum(weights[term] for term in terms[index])
        scores = (
            _score(one, later[other], value / total) + _likeness(with_around[index] & with_around[other], weights)
            for other, value in covered.items()
            if total > 0 and value >= _LEAST_COVERED * total
        )
        shares.append(1 / (1 + exp(-max(scores, default=-30.0))))
    return shares


class _LaterLine(NamedTuple):
    """A line that may overtake earlier ones. `says_change`: it has words of change.

    `values` are its days, times and numbers; of a person's line also those of what is said around it."""

    says_change: bool
    values: Mapping[str, str]


def _later_line(line: CurrentStatement, around: str) -> _LaterLine:
    text = f"{line.text}\n{around}" if line.role == "user" else line.text
    return _LaterLine(_CHANGES.search(line.text) is not None, _values(text))


def _score(earlier: CurrentStatement, later: _LaterLine, covered: float) -> float:
    score = _ALWAYS + _COVERED * covered + _SAYS_CHANGE * later.says_change
    before, now = _values(earlier.text), later.values
    others = sum(before[kind] != now[kind] for kind in before.keys() & now.keys())
    score += _OTHER_VALUES * min(_MOST_VALUES, others) / _MOST_VALUES
    return score + _OF_REPLACEABLE * (earlier.kind in REPLACEABLE) + _OF_TASK * (earlier.kind == "task")


def _likeness(shared: frozenset[str], weights: Mapping[str, float]) -> float:
    rarest = max(weights[term] for term in shared)
    return _SHARED * min(_MOST_SHARED, len(shared)) / _MOST_SHARED + _UNCOMMON * rarest / _OFTEN_SAID


def _surroundings(turns: Sequence[Turn]) -> dict[str, str]:
    """Return what is said around each turn: the reply to a person, and the question or order that an agent answers."""
    around: dict[str, str] = {}
    last: dict[str | None, Turn] = {}
    for turn in turns:
        around[turn.id] = ""
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
            around[before.id] += f"\n{turn.content[:_AROUND_CHARACTERS]}"
    return around


@lru_cache(maxsize=2048)
def _values(text: str) -> Mapping[str, str]:
    return dict(values_of(text))
