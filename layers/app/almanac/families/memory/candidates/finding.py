"""What a turn states that may be worth keeping: pure rules over its sentences."""

from msgspec import Struct

from almanac.families.memory.candidates.deadlines import deadline_in, may_be_due
from almanac.families.memory.candidates.patterns import ANYBODY, EMPTY, FIRST_PERSON, UNCERTAIN, Forms
from almanac.families.memory.candidates.records import CandidateKind
from almanac.families.memory.core.memory import digest_of
from almanac.families.memory.core.records import Turn
from almanac.families.memory.sessions.recalled_text import is_recalled
from almanac.families.memory.sessions.sentences import is_question, sentences_of
from almanac.families.memory.sessions.summary import same_words
from almanac.families.memory.sessions.words import words_of

OF_A_TURN = 5
MAX_CHARACTERS = 300
"""Of a sentence: longer ones tell a story."""
_READ = 200
_DEADLINES_READ = 10
"""Sentences of a turn in which a deadline is looked for."""
_ROLES = frozenset({"user", "assistant", "agent"})


class Found(Struct, frozen=True):
    """`due` are the words for a deadline. `statement` is the same in other case and punctuation, and behind other
    words of introduction."""

    kind: CandidateKind
    content: str
    statement: str
    due: str | None = None


def found_in(turn: Turn) -> list[Found]:
    """At most 5 of a turn by a person or an agent; none of what memory returned or a program printed."""
    if turn.role not in _ROLES or is_recalled(turn):
        return []
    found: dict[str, Found] = {}
    deadlines_read = 0
    for sentence in sentences_of(turn.content)[:_READ]:
        text = sentence.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
        if len(found) == OF_A_TURN or not _is_statement(text):
            continue
        due = None
        if deadlines_read < _DEADLINES_READ and may_be_due(text):
            deadlines_read += 1
            due = deadline_in(text, turn.at)
        one = _stated(sentence, text, turn, due)
        if one is not None:
            found.setdefault(one.statement, one)
    return list(found.values())


def _is_statement(text: str) -> bool:
    return len(text) <= MAX_CHARACTERS and not is_question(text) and not UNCERTAIN.search(text)


def _stated(sentence: str, text: str, turn: Turn, due: str | None) -> Found | None:
    matching = (_matching(FIRST_PERSON, text) if turn.role == "user" else None) or _matching(ANYBODY, text)
    if matching is None and due is None:
        return None
    kind, start = matching or ("deadline", 0)
    return Found(kind, sentence, digest_of(kind, same_words(text[start:])), due)


def _matching(forms: Forms, text: str) -> tuple[CandidateKind, int] | None:
    """The kind of the first form that it has, outside of quotation marks and with something that it is about; and
    where that begins."""
    for kind, form in forms:
        found = form.search(text)
        if found is not None and not _is_quoted(text, found.start()) and _says_what(text[found.start() :]):
            return kind, found.start()
    return None


def _is_quoted(text: str, at: int) -> bool:
    before = text[:at]
    opened = before.count("\N{LEFT DOUBLE QUOTATION MARK}") > before.count("\N{RIGHT DOUBLE QUOTATION MARK}")
    return opened or before.count('"') % 2 == 1 or before.count("`") % 2 == 1


def _says_what(text: str) -> bool:
    """Whether it says more than "the first one": words that mean something by themselves."""
    return bool({word.strip("'") for word in words_of(text)} - EMPTY)
