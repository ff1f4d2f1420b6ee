"""Speakers: people that a question names, and turns that answer a question asked just before.

None of it applies if the speakers are roles, such as user and assistant.
"""

import re
from typing import TYPE_CHECKING

import numpy as np

from almanac.search.analysis.parsed_question import ParsedQuestion
from almanac.search.analysis.words import fold
from almanac.search.frame import Frame, Vector

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ROLES = frozenset({"", "user", "assistant", "system", "tool", "human", "ai", "agent", "bot", "model"})
_WORD = re.compile(r"[^\W_]+")


def speaks_by_name(frame: Frame) -> "NDArray[np.bool_]":
    """Return a mask of the rows whose speaker is a person."""
    people = {name: name.strip().lower() not in _ROLES for name in set(frame.speakers)}
    return np.array([people[name] for name in frame.speakers], dtype=np.bool_)


def named_speaker(parsed: ParsedQuestion, frame: Frame) -> Vector:
    """Return 1 for the rows of the person whom the question names, and 0 for others. All are 0 unless the question
    names exactly one of the speakers."""
    named = named_people(parsed, frame)
    one = len({name.casefold() for name in named}) == 1
    return np.array([one and name in named for name in frame.speakers], dtype=np.float32)


def named_people(parsed: ParsedQuestion, frame: Frame) -> set[str]:
    """Return the speakers that the question names."""
    return {name for name in set(frame.speakers) if name.strip().lower() not in _ROLES and _is_named(name, parsed)}


def answers(frame: Frame, by_name: "NDArray[np.bool_]") -> Vector:
    """Return 1 for a turn that directly follows another person's question, and 0 for others."""
    found = np.zeros(len(frame.ids), dtype=np.float32)
    others = np.array(frame.speakers[1:], dtype=object) != np.array(frame.speakers[:-1], dtype=object)
    follows = (frame.session[1:] == frame.session[:-1]) & (frame.position[1:] == frame.position[:-1] + 1)
    found[1:] = others & follows & frame.asks[:-1] & by_name[1:] & by_name[:-1]
    return found


def _is_named(name: str, parsed: ParsedQuestion) -> bool:
    """Return whether the question names the speaker by first name."""
    words = _WORD.findall(fold(name).lower())
    return bool(words) and len(words[0]) > 1 and words[0] in parsed.words
