"""Find statements of a turn that may be worth keeping, by rules for clear sentences and by a small model otherwise."""

import re
from collections.abc import Callable, Sequence

from msgspec import Struct

from almanac.families.memory.candidates.deadlines import deadline_in, may_be_due
from almanac.families.memory.candidates.patterns import (
    ANYBODY,
    EMPTY,
    FIRST_PERSON,
    NOT_MEANT,
    OF_OTHERS,
    PASSING,
    UNCERTAIN,
    Forms,
)
from almanac.families.memory.candidates.records import CandidateKind
from almanac.families.memory.core.likeness import same_words
from almanac.families.memory.core.memory import digest_of
from almanac.families.memory.core.records import Turn
from almanac.families.memory.statements.antecedents import antecedent_of, choice_of, needs_antecedent
from almanac.families.memory.statements.classifier import LEAST_STATING, Judgement, classify
from almanac.families.memory.statements.recalled_text import is_recalled
from almanac.families.memory.statements.sentences import is_question, sentences_of
from almanac.families.memory.statements.words import words_of

OF_A_TURN = 5
MAX_CHARACTERS = 300
"""Most characters of a sentence to keep. Longer sentences tell a story."""
_READ = 200
_TAIL = 200
"""Characters at the end of a turn that may take back the rest: "just kidding"."""
_DEADLINES_READ = 10
"""Most sentences of a turn that are searched for a deadline."""
_ROLES = frozenset({"user", "assistant", "agent"})
_LEAST_SHARE = 0.5
"""Share, from 0 to 1, above which the model's kind for a sentence counts as sure."""
_KINDS: dict[str, CandidateKind] = {
    "decision": "decision",
    "convention": "convention",
    "preference": "preference",
    "constraint": "constraint",
    "deadline": "deadline",
}
_STANDS_ALONE = 4
"""A sentence with fewer meaningful words is kept together with its neighbours. An answer of up to as many may only name
its choice, and waits for the agent where an agent takes part."""
_LEAST_OF_SHORT = 0.8
"""Least share, from 0 to 1, of the kinds that state something in fewer meaningful words than `_STANDS_ALONE`."""
_MOST_FILLER = 0.1
"""Share of filler, from 0 to 1, from which so few words count as small talk."""
_LIGHT = re.compile(
    r"\b(?:later|forget|think|even|enough|today|thought|cancel|first|tonight|thing|new|way|time|flow|mind|stop|leave"
    r"|disagree|best|stand|wait|carry|sorry|actually|enough|hmm?|oh+|lol|true|ask"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|week(?:end)?|month|christmas|easter)\b",
    re.IGNORECASE,
)
_REACTS = re.compile(
    r"^\W*(?:whatever\b"
    r"|(?:o+h+|a+h+|wow|yay|ha+)\W+(?:brilliant|great|lovely|nice|wonderful|cool|dear|god|well|I (?:like|love))\b)"
    r"|\bI think\W*$",
    re.IGNORECASE,
)
"""Matches delight, indifference and doubt, which decide nothing: "oh lovely, so there is a bath", "blue, I think"."""
_AGREES = re.compile(r"^\W*(?:(?:ok|okay|yes|yeah|fine|right)\W+)*agreed\b", re.IGNORECASE)
_POINTS_BACK = re.compile(
    r"^\W*(?:(?:and|so|but|then|ok|also|because|since)\W+)*"
    r"(?:it|its|it's|she|she's|he|he's|they|they're|them|by the \d+\w*)\b"
    r"|\b(?:send|take|put|keep|bring|move|book|order|do|get|make|drop|use|have|need) (?:it|them)\b",
    re.IGNORECASE,
)


class FoundStatement(Struct, frozen=True):
    """A statement found in a turn. `due` has the words for a deadline.

    `statement` is a digest of its kind and words. It does not depend on case, punctuation and, for statements found by
    a rule, words of introduction. `is_short`: it says little by itself and accepts no proposal, so in a talk with an
    agent only the agent's answer shows that it decided something."""

    kind: CandidateKind
    content: str
    statement: str
    due: str | None = None
    is_short: bool = False


def find_statements(turn: Turn, before: Callable[[], Sequence[Turn]] = tuple) -> list[FoundStatement]:
    """Return at most 5 statements of a turn by a person or an agent; none of memory's answers or a program's output.

    `before` returns the turns right before it, latest first, because an answer is kept with the proposal it accepts.
    """
    if turn.role not in _ROLES or is_recalled(turn) or NOT_MEANT.search(turn.content[-_TAIL:]):
        return []
    found: dict[str, FoundStatement] = {}
    deadlines_read = 0
    sentences = sentences_of(turn.content)[:_READ]
    for place, sentence in enumerate(sentences):
        text = sentence.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
        if len(found) == OF_A_TURN:
            break
        due = None
        if deadlines_read < _DEADLINES_READ and may_be_due(text):
            deadlines_read += 1
            due = deadline_in(text, turn.at)
        one = _stated(_with_subject(sentences, place), text, turn, due) if _is_statement(text) else None
        if one is None and turn.role == "user" and len(text) <= MAX_CHARACTERS and not _passes(text):
            one = _judged(sentences, place, before, due)
        if one is not None and not any(one.content in each.content for each in found.values()):
            found = {name: each for name, each in found.items() if each.content not in one.content}
            found[one.statement] = one
    return list(found.values())


def _passes(text: str) -> bool:
    return any(form.search(text) for form in (_REACTS, PASSING, OF_OTHERS))


def _is_statement(text: str) -> bool:
    is_own = not UNCERTAIN.search(text) and not OF_OTHERS.search(text)
    return len(text) <= MAX_CHARACTERS and not is_question(text) and is_own


def _stated(content: str, text: str, turn: Turn, due: str | None) -> FoundStatement | None:
    matching = (_matching(FIRST_PERSON, text) if turn.role == "user" else None) or _matching(ANYBODY, text)
    if matching is None and due is None:
        return None
    kind, start = matching or ("deadline", 0)
    return FoundStatement(kind, content, digest_of(kind, same_words(text[start:])), due)


def _judged(
    sentences: Sequence[str], place: int, before: Callable[[], Sequence[Turn]], due: str | None
) -> FoundStatement | None:
    """Judge a sentence that no rule knows by the model; None if it states nothing to keep.

    A short sentence is read with a neighbour. An answer that says little by itself is kept with the proposal that it
    accepts."""
    content = _with_neighbours(sentences, place)
    texts = list(dict.fromkeys((sentences[place], content)))
    judgements = [classify(each) for each in texts]
    likely = [one for text, one in zip(texts, judgements, strict=True) if _states(text, one)]
    own = judgements[0]
    is_supposed = judgements[-1].kind == "aside" and judgements[-1].share == 1.0
    says_little = (
        own.kind == "question" or is_supposed or (own.kind in ("filler", "aside", "task") and own.share > _LEAST_SHARE)
    )
    chosen = _chosen(sentences[place], content, own, before)
    if (not likely or says_little) and chosen is None:
        return None
    kind = _KINDS[likely[0].kind] if likely and not says_little else "decision"
    if chosen is not None and not words_of(chosen).keys() <= words_of(content).keys():
        content = f"{content} ({chosen})"
    if not _says_what(_LIGHT.sub(" ", content)) or len(content) > MAX_CHARACTERS:
        return None
    is_short = chosen is None and len(words_of(content)) <= _STANDS_ALONE
    return FoundStatement(kind, content, digest_of(kind, same_words(content)), due, is_short)


def _states(text: str, judged: Judgement) -> bool:
    """Return whether the model is sure enough that the text states something. Few words must leave less doubt."""
    if judged.kind not in _KINDS or judged.stating < LEAST_STATING:
        return False
    if len(words_of(text)) >= _STANDS_ALONE:
        return True
    return judged.stating >= _LEAST_OF_SHORT and judged.share_of(("filler",)) < _MOST_FILLER


def _chosen(sentence: str, content: str, own: Judgement, before: Callable[[], Sequence[Turn]]) -> str | None:
    """Return the option or proposal right before it that an answer accepts; None if it accepts none."""
    pointing = next((text for text in (sentence, content) if needs_antecedent(text)), None)
    if own.kind in ("question", "aside", "task") or not (pointing or len(words_of(content)) <= _STANDS_ALONE):
        return None
    said = [(each.role, each.content) for each in before()]
    if not pointing:
        return choice_of(content, said)
    accepted = antecedent_of(pointing, said)
    is_own = _AGREES.match(pointing) and any(role == "user" and _asks(text, accepted) for role, text in said)
    return None if is_own else accepted


def _asks(text: str, accepted: str | None) -> bool:
    """Return whether a person's turn ends with this question. "Agreed" accepts the answer to it instead."""
    return is_question(text) and sentences_of(text)[-1].rstrip(" .?!") == accepted


def _with_neighbours(sentences: Sequence[str], place: int) -> str:
    """Return the sentence. A short one comes with a neighbour that is no question, task or small talk."""
    if len(words_of(sentences[place])) >= _STANDS_ALONE:
        return _with_subject(sentences, place)
    first, last = place, place
    while first > 0 and last - first < 1 and _belongs(sentences[first - 1]):
        first -= 1
    while last + 1 < len(sentences) and last - first < 1 and _belongs(sentences[last + 1]):
        last += 1
    return " ".join(sentences[first : last + 1])


def _with_subject(sentences: Sequence[str], place: int) -> str:
    """Return the sentence, behind up to two earlier ones if it names its subject only as "it", "she" or "they"."""
    first, told = place, sentences[place]
    while first > max(0, place - 2) and _POINTS_BACK.search(sentences[first]) and _belongs(sentences[first - 1]):
        first -= 1
        both = f"{sentences[first]} {told}"
        if len(both) > MAX_CHARACTERS:
            break
        told = both
    return told


def _belongs(sentence: str) -> bool:
    return classify(sentence).kind not in ("question", "filler", "task") and len(sentence) <= MAX_CHARACTERS // 2


def _matching(forms: Forms, text: str) -> tuple[CandidateKind, int] | None:
    """Return the kind of the first form that matches, and the place of the match; None if no form matches.

    A match within quotation marks does not count, nor does one without a subject."""
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
    """Return whether the text says more than "the first one", in words that mean something by themselves."""
    return bool({word.strip("'") for word in words_of(text)} - EMPTY)
