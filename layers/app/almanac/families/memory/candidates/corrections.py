"""Compare two statements: does the later one correct or replace the earlier one?

"No, the bench" corrects something. "The tender moves to Tuesday" replaces "the tender sails on Monday", because both
name the tender.
"""

import re

from almanac.families.memory.candidates.topics import NUMBER_STEMS, topic_terms
from almanac.search.analysis.words import terms_in

_CORRECTS = re.compile(
    r"\b(?:instead|not|no|nope|rather than|too (?:\w+)|make (?:it|that)|moves?|moved|postponed?|change of plan|forget"
    r"|drop|kick|scrap|overruled|after all|nicer|better|cheaper|can't|cannot|now|replaces?|switch(?:ing)?|changed?)\b",
    re.IGNORECASE,
)
REFUSES = re.compile(
    r"^\W*(?:(?:ah+|oh+|hm+|ok|okay|ugh|argh|lol|sorry)\W+)*(?:wait\b|(?:no|nope|nah)(?:\s*[,.!]|$|\s(?:way|wait)\b))",
    re.IGNORECASE,
)
"""Matches a refusal of the statement right before it: "no, a bench", unlike "no bench"."""
_REJECTS_NAMED = re.compile(
    r"\b(?:not|no|instead of|rather than|forget|drop|kick|scrap|without|replac(?:e|es|ing))"
    r" (?:on |at |in |by )?(?:the |that |this |an? )?([\w.-]+)"
    r"|([\w.-]+) (?:([\w.-]+) )?(?:(?:is|are|was|were) (?:too|gone|off|dead|out|over|cancel\w+|not)|moves?|moved|thing"
    r"|chang\w+|isn't|aren't|won't|can't|cannot|doesn't|postponed)\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"^(?P<own>.+?) \(.+\)$", re.DOTALL)
_VALUES = (
    re.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b", re.IGNORECASE),
    re.compile(
        r"\d+(?:[.:]\d+)*|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty)\b", re.IGNORECASE
    ),
)
_CHANGES_VALUE = re.compile(
    r"\b(?:make (?:it|that|the \w+)|after all|instead|rather|actually|now)\b|^\W*(?:no|nope|wait|then)\b", re.IGNORECASE
)
_LEAST_SHARED = 0.25
"""Two statements are on the same topic if they share at least this part of the shorter one's topic words."""


def corrects(text: str) -> bool:
    """Return whether a sentence sounds as if it takes back or replaces an earlier one."""
    return _CORRECTS.search(text) is not None


def replaces(newer: str, older: str) -> bool:
    """Return whether a later decision or date corrects an earlier one on the same topic."""
    return corrects(newer) and is_same_topic(topic_terms(newer), topic_terms(older))


def is_same_topic(terms: frozenset[str], other: frozenset[str], least: float = _LEAST_SHARED) -> bool:
    """Return whether two sentences share at least this part of the topic words of the shorter one."""
    shared = len(terms & other)
    return bool(shared) and shared >= least * min(len(terms), len(other))


def is_in_doubt(newer: str, older: str) -> bool:
    """Return whether a later statement may leave an earlier one unchanged, although both name the same topic.

    It may if they share only one topic word and the later one rejects no word of the earlier one. "svelte
    charts instead" may leave "svelte kit" unchanged; "not the ferry", "the fitting moves" and "instead of Tuesdays"
    leave no doubt. A shared word with a number always counts as changed.
    """
    shared = topic_terms(newer) & topic_terms(older)
    if len(shared) != 1 or any(" " in term for term in shared):
        return False
    rejected = " ".join(word for match in _REJECTS_NAMED.finditer(newer) for word in match.groups() if word)
    return not (shared & topic_terms(rejected) or terms_in(rejected) & terms_in(older))


def surely_replaces(newer: str, older: str) -> bool:
    """Return whether a later decision or date corrects an earlier one, and certainly means that one."""
    names_it = (topic_terms(newer) & topic_terms(older)) - NUMBER_STEMS
    return bool(names_it) and replaces(newer, older) and not is_in_doubt(newer, older)


def gives_another_value(newer: str, older: str, *, is_next: bool) -> bool:
    """Return whether a later choice only gives another day or number: "make it 30", "on Mondays after all".

    The choice, or the answer that it quotes, must name the topic of the earlier choice. With `is_next` it may also name
    no topic, because it is the next choice of the same talk."""
    own = own_words(newer)
    topics = _topics(own)
    shared = _topics(newer) & _topics(older)
    is_about_it = topics <= shared if shared else is_next and not topics
    return is_about_it and len(topics) <= 1 and _CHANGES_VALUE.search(own) is not None and _has_other_value(own, older)


def _topics(text: str) -> frozenset[str]:
    """Return the topic words of a text, without numbers and number words."""
    return frozenset(term for term in topic_terms(text) if " " not in term and term not in NUMBER_STEMS)


def _has_other_value(newer: str, older: str) -> bool:
    for values in _VALUES:
        now, before = ({one.lower() for one in values.findall(text)} for text in (newer, older))
        if now and before and not now <= before:
            return True
    return False


def own_words(text: str) -> str:
    """Return the words of a statement without the proposal that it quotes in brackets."""
    quoting = _QUOTED.match(text)
    return quoting["own"] if quoting else text
