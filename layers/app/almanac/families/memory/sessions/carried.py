"""Decide for each sentence of a talk with an agent whether later work may depend on it.

A person's sentence counts more surely as an order or a statement if the agent's reply accepts it or repeats its words.
An agent's sentence counts if it gives a cause, a date, a result with a name, or a finding from a program's output. It
does not count if it announces, asks or merely repeats. The word patterns are English, so other talk is not judged here.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache

from msgspec import Struct

from almanac.families.memory.statements.classifier import classify
from almanac.families.memory.statements.sentence_worth import announces
from almanac.families.memory.statements.sentences import is_question
from almanac.families.memory.statements.words import words_of

STATED = 3.0
"""Weight of a sentence that states something binding. It is the highest weight."""
REPLY = 0.5
"""Weight of the reply to a short statement, because it names the subject of the statement."""
CONFIRMED = 1.0
"""Weight of words that count only because the reply accepts or repeats them."""
_TASK, _BINDING, _REPORT = 2.5, 2.0, 1.5
_LIKELY = 0.5
_SURELY_STATED = 0.8
_SAYS_SOMETHING = 3
"""Fewest meaningful words of a sentence that tells something by itself without a name or number."""
_IDLE_KINDS = ("filler", "aside", "fact")
"""Kinds that add little. Even within a statement, a sentence of these kinds counts only if the reply confirms it."""
_NO_FINDINGS = ("filler", "decision", "convention", "preference", "constraint")
"""Kinds that exclude a finding. An agent at work decides nothing for others, so such a sentence only describes."""
_FINDING = 6
NAME_LOOKS = 1.4
"""Least value that `words_of` gives to a name, a number or an identifier."""
_ENGLISH_SHARE = 0.08
_LANGUAGE_CHARACTERS = 4000
_ENGLISH = re.compile(r"\b(?:the|an?|to|is|are|of|and|in|it|for|you|we|i|that|this|on|with|not|be)\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_ACCEPTS = re.compile(
    r"^\W*(?:ok(?:ay)?|noted|understood|got it|will do|done|agreed|sure|right|yes"
    r"|(?!(?:nothing|anything|everything|something|during|morning|evening)\b)\w+ing"
    r"|i(?:'ll|'ve| set| put| add\w*| mov\w+| chang\w+)|moved|booked|added|set|changed|sent|cancell?ed|ordered"
    r"|replaced|removed|updated|ticked|merged|fixed|closed)\b",
    re.IGNORECASE,
)
_APPROVES = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|ah|oh|hm+)\W+)*(?:yes|yep|yeah|agreed|do (?:it|that|so)|go|deal|fine|perfect|let's|sure"
    r"|please|sounds good|good|great|nice|makes sense|approved|right)\b",
    re.IGNORECASE,
)
_NARRATES = re.compile(
    r"^\W*(?:reading|read|opened|opening|editing|edited|running|ran|looking|looked|checking)\b", re.IGNORECASE
)
_POINTS_BACK = re.compile(r"^\W*(?:it|it's|its|that|that's|there|there's|this|they|they're|he|she)\b", re.IGNORECASE)
_CHANGED = re.compile(
    r"\b(?:is|are|has|have|runs?|takes?|keeps?|uses?)\b[^.]{0,20}\bnow\b"
    r"|\bnow (?:is|are|has|have|runs?|takes?|keeps?|uses?|on|at|in)\b|\b(?:is|are) (?:gone|live|out)\b|^merged as\b",
    re.IGNORECASE,
)
"""Matches a change as an agent reports it: "The limit is now 90 minutes"."""
_CHOOSES = re.compile(r"\w then\W*$", re.IGNORECASE)
_OPEN_LIST = re.compile(r"\b(?:open|left|outstanding|remaining)\s*:", re.IGNORECASE)


class Reply(Struct, frozen=True):
    """The reply of another speaker to a turn, with its meaningful words.

    `accepts`: it agrees or does as asked, as agents mostly do. `begins`: it announces the next step. `approves`: it
    welcomes the words before it, by more than "ok". `by_agent`: an agent replies. People among themselves confirm
    little."""

    accepts: bool = False
    begins: bool = False
    approves: bool = False
    by_agent: bool = False
    words: frozenset[str] = frozenset()

    def confirms(self, words: Mapping[str, float]) -> bool:
        """Return whether the reply accepts the words, or repeats any of them."""
        return self.accepts or any(word in self.words for word in words)


@lru_cache(maxsize=1024)
def reply_of(text: str) -> Reply:
    """Return the traits of a turn as a reply to the turn before it."""
    plain = text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    accepts, approves = _ACCEPTS.match(plain) is not None, _APPROVES.match(plain) is not None
    return Reply(accepts, announces(plain), approves, words=frozenset(words_of(text)))


def has_name(words: Mapping[str, float]) -> bool:
    """Return whether the words, from `words_of`, include a name, a number or an identifier."""
    return any(looks >= NAME_LOOKS for looks in words.values())


def is_english(texts: Iterable[str]) -> bool:
    """Return whether the texts have enough of the most common English words to count as English."""
    joined = "\n".join(texts)[:_LANGUAGE_CHARACTERS]
    return len(_ENGLISH.findall(joined)) >= _ENGLISH_SHARE * len(_WORD.findall(joined))


def carried_by_person(text: str, words: Mapping[str, float], reply: Reply, statement: str | None) -> float:
    """Return the weight of a person's sentence, 0 if nothing depends on it.

    `statement` is the binding statement that it belongs to, with the proposal that it accepts; None if there is
    none."""
    judgement = classify(text)
    shared = sum(word in reply.words for word in words)
    confirmed = reply.confirms(words)
    if statement is not None and words:
        surely = max(judgement.stating, classify(statement).stating) >= _SURELY_STATED
        idle = not confirmed and judgement.kind in _IDLE_KINDS and judgement.share >= _SURELY_STATED
        if not idle and (surely or not reply.by_agent or reply.begins or reply.confirms(words_of(statement))):
            return STATED
    if confirmed and words and judgement.kind != "question" and _CHOOSES.search(text):
        return CONFIRMED
    match judgement.kind:
        case _ if judgement.share < _LIKELY:
            told = confirmed or (not reply.by_agent and has_name(words))
            return CONFIRMED if told and len(words) >= _SAYS_SOMETHING else 0.0
        case "question":
            return 0.0
        case "filler" | "aside":
            repeated = reply.accepts and (len(words) > _SAYS_SOMETHING or 2 <= len(words) <= 2 * shared)
            return CONFIRMED if confirmed and (repeated or any(map(str.isdecimal, text))) else 0.0
        case "task":
            return _TASK if len(words) > 1 and (confirmed or judgement.share >= _SURELY_STATED) else 0.0
        case "fact" | "error":
            return _REPORT if confirmed and len(words) > 1 else 0.0
        case "cause" | "done":
            told = confirmed or (len(words) >= _SAYS_SOMETHING and (not reply.by_agent or has_name(words)))
            return _REPORT if told and len(words) > 1 else 0.0
        case _:
            return _BINDING if confirmed or len(words) >= _SAYS_SOMETHING else 0.0


def carried_by_agent(
    text: str, words: Mapping[str, float], asked: Collection[str], reply: Reply, *, finds: bool
) -> float:
    """Return the weight of an agent's sentence, 0 if nothing depends on it.

    `asked` has the words of the question that it may answer. `finds`: it follows the agent's own work rather than
    the words of a person."""
    if is_question(text) or announces(text) or _NARRATES.match(text):
        return 0.0
    if _OPEN_LIST.search(text):
        return _TASK
    if _CHANGED.search(text) and has_name(words) and len(words) >= _SAYS_SOMETHING:
        return _REPORT
    judgement = classify(text)
    is_likely = judgement.share >= _LIKELY
    named = has_name(words)
    describes = _POINTS_BACK.match(text) or (is_likely and judgement.kind in _NO_FINDINGS)
    if finds and named and len(words) >= _FINDING and not describes:
        return _REPORT
    serves = (reply.approves and named) or any(word in asked for word in words)
    answers = CONFIRMED if serves and len(words) > _SAYS_SOMETHING else 0.0
    if not is_likely:
        return answers
    match judgement.kind:
        case "cause" if finds and len(words) > _SAYS_SOMETHING and (named or judgement.share >= _SURELY_STATED):
            return _BINDING
        case "deadline" if named:
            return _BINDING
        case "done" if named and len(words) > _SAYS_SOMETHING:
            return _REPORT
        case "filler" | "aside":
            return 0.0
        case _:
            return answers


def tells_result(text: str, words: Mapping[str, float]) -> bool:
    """Return whether an agent's sentence tells something about a name or number, rather than asking or announcing."""
    idle = is_question(text) or announces(text) or _NARRATES.match(text) is not None
    return not idle and has_name(words) and len(words) > _SAYS_SOMETHING
