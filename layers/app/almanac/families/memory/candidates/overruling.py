"""Find out whether a statement, or the agent's reply to it, says that an earlier statement no longer holds.

"Let's take them" names nothing of "we go with Altstadt". The reply does: "Altstadt is out". So a statement is compared
together with its reply. What is rejected must be named: a replacement that is not sure leaves both statements open.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from enum import Enum, auto
from functools import lru_cache

from msgspec import Struct

from almanac.families.memory.candidates.topics import NUMBER_STEMS, topic_terms
from almanac.families.memory.statements.sentences import is_question, sentences_of

_CHARACTERS = 600
"""Most characters of a statement or a reply that are read."""
_LEAST_PREFIX = 4
"""Least length of a word that counts as the beginning of a longer one, as "prod" of "production"."""
_ARTICLE = r"(?:(?:the|that|this|an?|any|all|those|these|our|your|his|her|every) )?"
_NAMED = r"([\w.-]{2,40})(?: ([\w.-]{2,40}))?"
_REJECTS = re.compile(
    rf"\b(?:instead of|rather than|no longer(?: (?:on|at|in|for|use|using|with|take))?|scrap(?:s|ped)?|ditch(?:ed)?"
    rf"|drop(?:s|ped|ping)?|forget(?: about)?|replac(?:e|es|ed|ing)|remov(?:e|es|ed|ing)|(?:threw|throw|kick) out|kick"
    rf"|out with|get rid of|cancel(?:s|ed|led|ling)?) {_ARTICLE}{_NAMED}"
    rf"|{_NAMED}(?:'s| is| are| goes| go|,?) (?:now )?(?:out(?=\W*$|[.,;:!)]| (?:and|then|now)\b)"
    r"|(?:dropped|removed|cancell?ed|scrapped|retired|off the table|history)\b)",
    re.IGNORECASE | re.MULTILINE,
)
"""Captures what no longer holds: "instead of the ferry", "Altstadt is out"."""
_KEEPS = re.compile(
    r"(?:\b(?:not|never|cannot|nothing|nobody|no one|without|dont|cant|wont)|n['\u2019]t)(?: [\w'\u2019]{1,20}){0,3} $",
    re.IGNORECASE,
)
"""Matches the words before a rejection that reverse it: "don't forget the Adler"."""
_KEEPS_CHARACTERS = 90
_DENIES = re.compile(
    rf"\b(?:not|no|without|no more) (?:(?:on|at|in|by|to|from|with|for) )?{_ARTICLE}([\w.-]{{2,40}})", re.IGNORECASE
)
"""Captures what is denied, which may be a mere detail of something else: "not on Friday", "no ER185"."""
_MOVES = re.compile(
    rf"\b(?:moved?|moving|postponed?|pushed?|shifted|rescheduled) {_ARTICLE}{_NAMED}"
    rf"|{_NAMED}(?: page| date| run)? (?:moves|moved|shifts|is moved|was moved|is postponed)\b",
    re.IGNORECASE,
)
"""Captures what takes place at another time: "she moved the fitting", "the fitting moves"."""
_NO_TOPIC = frozenset({"quart", "half", "past", *NUMBER_STEMS})
_FORBIDS = re.compile(r"\b(?:nobody|no one|never|must|ever)\b", re.IGNORECASE)
"""Matches words of a ban, in which "not" rejects no earlier statement: "nobody changes it, not even Ann"."""
_NEGATES = re.compile(
    r"\b(?:no|not|nothing|nobody|never|none|without|\w+n't|dont|doesnt|cant|wont|isnt|arent)\b", re.IGNORECASE
)
"""Matches an earlier statement that rejects something itself, with which a later rejection may agree."""
_NUMBER = re.compile(r"(?<![\w.:-])\d+(?:[.:]\d+)*(?:st|nd|rd|th)?(?![\w:-]|\.\d)", re.IGNORECASE)
_DATE = re.compile(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b\d{1,2}(?:st|nd|rd|th)\b|\b\d{1,2}[:.]\d\d\b|\b\d{4}-\d\d-\d\d\b"
    r"|\b(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]* \d{1,2}\b|\b\d{1,2}(?::\d\d)? ?[ap]\.?m\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<=[\w,;:] )[A-Z][\w.-]+|\b[A-Za-z]\w*\d[\w.-]*|\b\w+[A-Z]\w*")


class Rejections(Struct, frozen=True):
    """The words that a statement and the agent's reply to it reject, in lower case.

    `denied` are words that they only deny, `moved` those that take place at another time. `terms` has all topic words,
    and `dates` the days and times of day."""

    rejected: frozenset[str]
    denied: frozenset[str]
    moved: frozenset[str]
    terms: frozenset[str]
    dates: frozenset[str]

    def __bool__(self) -> bool:
        return bool(self.rejected or self.denied or self.moved)


@lru_cache(512)
def rejections_of(statement: str, reply: str = "") -> Rejections:
    """Return what a statement or its reply rejects. Questions reject nothing, and in a ban "not" does not."""
    sentences = (one for each in (statement, reply) for one in sentences_of(each[:_CHARACTERS]))
    text = "\n".join(one for one in sentences if not is_question(one))
    return Rejections(
        _words(match for match in _REJECTS.finditer(text) if not _is_kept(match)),
        frozenset() if _FORBIDS.search(text) else _words(_DENIES.finditer(text)),
        _words(_MOVES.finditer(text)),
        topic_terms(text),
        _found(_DATE, text),
    )


def find_overruled(rejections: Rejections, earlier: Sequence[str]) -> list[int]:
    """Return the indexes of the earlier statements that no longer hold according to these rejections.

    A common word that several of them have says of none of them which is meant."""
    matches = [_match(rejections, each[:_CHARACTERS]) for each in earlier]
    is_clear = sum(one is not None for one in matches) == 1
    return [place for place, one in enumerate(matches) if one is _Match.SURE or (one is _Match.BY_WORD and is_clear)]


class _Match(Enum):
    """How an earlier statement has what is rejected: as a name or a time, only as a word, or rejected as well."""

    SURE = auto()
    BY_WORD = auto()
    AGREES = auto()


class _Named(Struct, frozen=True):
    """The topic words, names, numbers and dates of an earlier statement. `rejects` are words that it rejects."""

    terms: frozenset[str]
    names: frozenset[str]
    topics_of_names: frozenset[str]
    numbers: frozenset[str]
    dates: frozenset[str]
    rejects: frozenset[str]
    is_negative: bool


@lru_cache(1024)
def _named_in(earlier: str) -> _Named:
    own, names = rejections_of(earlier), _found(_NAME, earlier)
    return _Named(
        topic_terms(earlier),
        names,
        frozenset(_topics(names)),
        _found(_NUMBER, earlier),
        _found(_DATE, earlier),
        own.rejected | own.denied,
        _NEGATES.search(earlier) is not None,
    )


def _match(rejections: Rejections, earlier: str) -> _Match | None:
    named = _named_in(earlier)
    if shared := _shared(_topics(rejections.rejected - named.rejects), named.terms):
        if named.is_negative:
            return _Match.AGREES
        return _Match.SURE if _shared(shared, named.topics_of_names) else _Match.BY_WORD
    denied = rejections.denied - named.rejects
    if _shared(denied, named.names):
        return _Match.SURE
    if denied & (named.numbers | named.dates) and _shared(rejections.terms, named.terms):
        return _Match.SURE
    is_moved = named.dates and rejections.dates and not rejections.dates <= named.dates
    return _Match.SURE if is_moved and _shared(_topics(rejections.moved), named.terms) else None


def _shared(terms: Iterable[str], others: Collection[str]) -> set[str]:
    """Return the terms that others have, or of which one is the beginning of the other."""
    return {one for one in terms if one in others or any(_begins(one, each) for each in others)}


def _begins(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return len(short) >= _LEAST_PREFIX and long.startswith(short)


def _is_kept(match: re.Match[str]) -> bool:
    return _KEEPS.search(match.string[max(0, match.start() - _KEEPS_CHARACTERS) : match.start()]) is not None


def _words(matches: Iterable[re.Match[str]]) -> frozenset[str]:
    """Return the first word of each match that names a topic, a name or a number, in small letters."""
    captured = ([word.strip(".-") for word in match.groups() if word] for match in matches)
    words = (next((word for word in each if _may_reject(word)), None) for each in captured)
    return frozenset(word.lower() for word in words if word)


def _may_reject(word: str) -> bool:
    return bool(word) and (bool(topic_terms(word) - _NO_TOPIC) or _DATE.search(word) is not None or word[0].isdecimal())


def _topics(words: Iterable[str]) -> set[str]:
    return {term for word in words for term in topic_terms(word)} - _NO_TOPIC


def _found(form: re.Pattern[str], text: str) -> frozenset[str]:
    return frozenset(one.lower() for one in form.findall(text))
