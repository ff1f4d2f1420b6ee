"""Find statements of a turn that may be worth remembering.

Rules find statements in clear sentences, and a small model judges the other sentences.
"""

import re
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache

from msgspec import Struct

from almanac.families.memory.candidates.deadlines import deadline_in, may_be_due
from almanac.families.memory.candidates.patterns import (
    ANY_SPEAKER,
    FIRST_PERSON,
    LOGGED,
    NOT_MEANT,
    OF_OTHERS,
    OPEN_CHOICE,
    OTHER_SCRIPTS,
    PASSING,
    PAST,
    REPORTED,
    TELLS_OF_PAST,
    UNCERTAIN,
    WORDS_WITHOUT_SUBJECT,
    Forms,
)
from almanac.families.memory.candidates.records import CandidateKind
from almanac.families.memory.core.likeness import same_words
from almanac.families.memory.core.memory import digest_of
from almanac.families.memory.core.records import Turn
from almanac.families.memory.statements.antecedents import (
    antecedent_of,
    choice_of,
    mark_of,
    marked_option,
    needs_antecedent,
)
from almanac.families.memory.statements.classifier import LEAST_STATING, Judgement, classify
from almanac.families.memory.statements.pasted_output import names_error
from almanac.families.memory.statements.recalled_text import is_recalled
from almanac.families.memory.statements.sentences import (
    goes_on,
    is_question,
    is_quoted,
    items_in,
    join_sentences,
    sentences_of,
    without_label,
)
from almanac.families.memory.statements.weights import StatementKind
from almanac.families.memory.statements.words import words_of

OF_A_TURN = 5
MAX_CHARACTERS = 300
"""Most characters of a sentence to keep. Longer sentences tell a story."""
_MOST_SENTENCES = 200
_TAIL = 200
"""Number of characters at the end of a turn that may take back the rest: "just kidding"."""
_DEADLINES_READ = 10
"""Most sentences of a turn that are searched for a deadline."""
_ROLES = frozenset({"user", "assistant", "agent"})
_LEAST_SHARE = 0.5
"""Probability, from 0 to 1, above which the kind that the model gives a sentence counts as sure."""
_KINDS: dict[str, CandidateKind] = {
    "decision": "decision",
    "convention": "convention",
    "preference": "preference",
    "constraint": "constraint",
    "deadline": "deadline",
}
_KINDS_OF_REMARKS = ("convention", "decision", "preference", "constraint")
_STANDS_ALONE = 4
"""A sentence with fewer meaningful words is kept together with its neighbours.

An answer with up to this many words may say no more than its choice. In a talk with an agent, it waits for the agent's
answer."""
_SURE = 0.98
"""Probability, from 0 to 1, that a sentence states something. At this value the reply to it no longer matters."""
_STATING_OF_SHORT = 0.8
_FILLER_OF_SHORT = 0.1
"""Probability, from 0 to 1, of stating something from which few words count, and of small talk at which they do not."""
_SURE_OF_WHOLE = 0.95
"""Probability, from 0 to 1, that a turn as a whole states something, if none of its sentences does."""
_MOST_OF_WHOLE = 4
_WHOLE_CHARACTERS = 240
"""Most sentences and characters of a turn that is read as a whole."""
LEAST_WORTH_OF_SURE = 0.35
_LEAST_WORTH = 0.55
_LEAST_WORTH_OF_REMARK = 0.8
"""Least worth, from 0 to 1, of a sure statement, of one of which the model is not sure, and of a remark."""

_WORDS_OF_REMARK = 3
_NO_REMARKS: tuple[StatementKind, ...] = ("done", "task", "error", "question")
_MOST_OF_NO_REMARKS = 0.5
"""Probability, from 0 to 1, of these kinds together at which a sentence is no remark."""
_EMPTY_WORDS = re.compile(
    r"\b(?:later|forget|think|even|enough|today|thought|cancel|first|tonight|thing|new|way|time|flow|mind|stop|leave"
    r"|disagree|best|stand|wait|carry|sorry|actually|enough|hmm?|oh+|lol|true|ask"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|week(?:end)?|month|christmas|easter)\b",
    re.IGNORECASE,
)
_OWN_FORMS: Forms = (*FIRST_PERSON, *ANY_SPEAKER)
_REACTS = re.compile(
    r"^\W*(?:whatever\b"
    r"|(?:o+h+|a+h+|wow|yay|ha+)\W+(?:brilliant|great|lovely|nice|wonderful|cool|dear|god|well|I (?:like|love))\b)",
    re.IGNORECASE,
)
"""Matches delight and indifference, which decide nothing: "oh lovely, so there is a bath"."""
_HEDGES = re.compile(r"\bI (?:think|guess|suppose)\W*$", re.IGNORECASE)
"""Matches doubt, which decides nothing unless an agent's answer accepts it: "blue, I think"."""
_EMPHASIS = re.compile(
    r"^\W*(?:ever|never|always|period|full stop|no exceptions|none|zero|everywhere|at all)\W*$", re.IGNORECASE
)
"""Matches a sentence that only stresses the one before it: "no glaze in the sink. ever."."""
_NOT_DUE = re.compile(r"\b(?:not|isn.t|aren.t) due\b|\b(?:would|'d) (?:need|have)\b", re.IGNORECASE)
"""Matches an agent's words that date nothing: "it isn't due before the 20th", "you'd need to order by Monday"."""
_AGREES = re.compile(r"^\W*(?:(?:ok|okay|yes|yeah|fine|right)\W+)*agreed\b", re.IGNORECASE)
_POINTS_BACK = re.compile(
    r"^\W*(?:(?:and|so|but|then|ok|also|because|since)\W+)*"
    r"(?:it|its|it's|she|she's|he|he's|they|they're|them|by the \d+\w*)\b"
    r"|\b(?:send|take|put|keep|bring|move|book|order|do|get|make|drop|use|have|need) (?:it|them)\b",
    re.IGNORECASE,
)


class FoundStatement(Struct, frozen=True):
    """A statement found in a turn. `due` has the words for a deadline.

    `digest` identifies its kind and words. It does not depend on case and punctuation nor, for statements found by a
    rule, on words before the rule's match. `is_short`: the statement says little by itself and accepts no proposal, so
    in a talk with an agent only the agent's answer shows that it decided something. `least_worth`: in a talk with an
    agent, the least probability, judged by the reply, that later work depends on it."""

    kind: CandidateKind
    content: str
    digest: str
    due: str | None = None
    is_short: bool = False
    least_worth: float = 0.0


def find_statements(
    turn: Turn, before: Callable[[], Sequence[Turn]] = tuple, *, remarks: bool = False
) -> list[FoundStatement]:
    """Return at most 5 statements of a turn by a person or an agent.

    Answers read from memory and the output of programs have none. `before` returns the turns right before the turn,
    latest first; an answer is kept together with the proposal that it accepts. With `remarks`, sentences count too that
    say in passing what holds, and that only an agent's reply shows to be worth keeping.
    """
    if turn.role not in _ROLES or is_recalled(turn) or NOT_MEANT.search(turn.content[-_TAIL:]):
        return []
    statements: dict[str, FoundStatement] = {}
    deadlines_read = 0
    sentences = _own_sentences(turn.content)[:_MOST_SENTENCES]
    for place, sentence in enumerate(sentences):
        text = sentence.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
        if len(statements) == OF_A_TURN:
            break
        if text.endswith(":") and place + 1 < len(sentences):
            # It says nothing without the list behind it.
            continue
        due = None
        if deadlines_read < _DEADLINES_READ and may_be_due(text):
            deadlines_read += 1
            due = deadline_in(text, turn.at)
        statement = _match_rules(_with_subject(sentences, place), text, turn, due) if _is_statement(text) else None
        is_read = turn.role == "user" and len(text) <= MAX_CHARACTERS and not _is_passing(text, remarks=remarks)
        if statement is None and is_read:
            statement = _classify_sentence(sentences, place, items_in(turn.content), before, due, remarks=remarks)
        if statement is not None and not any(statement.content in each.content for each in statements.values()):
            statements = {name: each for name, each in statements.items() if each.content not in statement.content}
            statements[statement.digest] = statement
    found = list(statements.values())
    whole = _read_whole(turn, sentences, remarks=remarks) if turn.role == "user" and (remarks or not found) else None
    return [*found, whole] if whole else found


def _is_of_others(sentence: str) -> bool:
    """Return whether a sentence quotes somebody or an error, so that its author states nothing."""
    return is_quoted(sentence) or names_error(sentence) or LOGGED.match(sentence) is not None


def _own_sentences(text: str) -> list[str]:
    """Return the sentences of a text. One that only stresses the one before it is joined to that.

    Quotations of others, errors of programs and headings of lists are left out."""
    sentences: list[str] = []
    is_within = False
    every = sentences_of(text)
    for place, one in enumerate(every):
        was_within, is_within = is_within, is_within != (one.count('"') % 2 == 1)
        is_heading = one.endswith(":") and place + 1 < len(every)
        if sentences and _EMPHASIS.match(one):
            sentences[-1] = f"{sentences[-1]} {one}"
        elif not (was_within or is_heading or _is_of_others(one) or REPORTED.search(one)):
            sentences.append(one)
    return sentences


def _is_passing(text: str, *, remarks: bool = False) -> bool:
    forms = (_REACTS, PASSING, PAST, OF_OTHERS, OPEN_CHOICE, *(() if remarks else (_HEDGES,)))
    return any(form.search(text) for form in forms)


def _is_statement(text: str) -> bool:
    return len(text) <= MAX_CHARACTERS and not is_question(text) and _is_own(text)


def _is_own(text: str) -> bool:
    return not (UNCERTAIN.search(text) or OF_OTHERS.search(text))


def _match_rules(content: str, text: str, turn: Turn, due: str | None) -> FoundStatement | None:
    is_own = turn.role == "user"
    match = _first_match(text, is_own=is_own)
    if match is None and text in items_in(turn.content):
        bare = without_label(text)
        found = _first_match(bare, is_own=is_own)
        match = found and (found[0], found[1] + len(text) - len(bare))
    if match is None and (due is None or (turn.role != "user" and _NOT_DUE.search(text))):
        return None
    kind, start = match or ("deadline", 0)
    digest = digest_of(kind, same_words(text[start:]))
    return FoundStatement(kind, content, digest, due, least_worth=LEAST_WORTH_OF_SURE)


def _read_whole(turn: Turn, sentences: Sequence[str], *, remarks: bool) -> FoundStatement | None:
    """Return a turn of a few short sentences as one statement if only together they surely state something.

    Each alone says too little in "not the pine. the second: larch, with a groove". With `remarks`, return it as a
    remark."""
    content = " ".join(sentences)
    if not (2 <= len(sentences) <= _MOST_OF_WHOLE and len(content) <= _WHOLE_CHARACTERS) or items_in(turn.content):
        return None
    if is_question(sentences[-1]) or _is_passing(sentences[0]) or not all(map(_is_own, sentences)):
        return None
    judgement = classify(content)
    is_sure = judgement.kind in _KINDS and judgement.stating >= _SURE_OF_WHOLE and names_subject(content)
    if not (is_sure or (remarks and _may_be_remark(content, judgement))):
        return None
    kind = _KINDS[judgement.kind] if is_sure else _likeliest_kind(judgement)
    is_short = len(words_of(content)) <= _STANDS_ALONE
    least_worth = _LEAST_WORTH if is_sure else _LEAST_WORTH_OF_REMARK
    return FoundStatement(kind, content, digest_of(kind, same_words(content)), None, is_short, least_worth)


def _classify_sentence(
    sentences: Sequence[str],
    place: int,
    items: Collection[str],
    before: Callable[[], Sequence[Turn]],
    due: str | None,
    *,
    remarks: bool,
) -> FoundStatement | None:
    """Let the model judge a sentence that matches no rule; return None if it states nothing to remember.

    A short sentence is read together with a neighbour. An answer that says little by itself is kept with the proposal
    that it accepts."""
    content = _with_neighbours(sentences, place, items)
    texts = list(dict.fromkeys((sentences[place], content)))
    judgements = [classify(each) for each in texts]
    binding = [one for text, one in zip(texts, judgements, strict=True) if _states(text, one)]
    judgement = judgements[0]
    is_supposed = judgements[-1].kind == "aside" and judgements[-1].share == 1.0
    is_statement = bool(binding) and not (
        judgement.kind == "question"
        or is_supposed
        or (judgement.kind in ("filler", "aside", "task") and judgement.share > _LEAST_SHARE)
    )
    accepted = _accepted_proposal(sentences[place], content, judgement, before)
    is_remark = not is_statement and remarks and _may_be_remark(sentences[place], judgement)
    if not (is_statement or is_remark or accepted):
        return None
    kind = _KINDS[binding[0].kind] if is_statement else _likeliest_kind(judgement) if is_remark else "decision"
    if accepted is not None and not words_of(accepted).keys() <= words_of(content).keys():
        content = f"{content} ({accepted})"
    if len(content) > MAX_CHARACTERS or not (remarks or names_subject(content)):
        return None
    is_short = accepted is None and len(words_of(content)) <= _STANDS_ALONE
    is_mark = accepted is not None and mark_of(sentences[place]) != ""
    is_sure = any(one.stating >= _SURE for one in binding) and not is_short
    least_worth = 0.0 if is_mark else LEAST_WORTH_OF_SURE if is_sure else _LEAST_WORTH
    least_worth = _LEAST_WORTH_OF_REMARK if is_remark else least_worth
    return FoundStatement(kind, content, digest_of(kind, same_words(content)), due, is_short, least_worth)


def _may_be_remark(sentence: str, judgement: Judgement) -> bool:
    """Return whether a sentence may state a lasting rule in passing: "the gate opens at six, except on market days"."""
    if not judgement.shares or judgement.share_of(_NO_REMARKS) >= _MOST_OF_NO_REMARKS:
        return False
    says_enough = judgement.kind in _KINDS or len(words_of(sentence)) >= _WORDS_OF_REMARK
    return says_enough and not TELLS_OF_PAST.search(sentence)


def _likeliest_kind(judgement: Judgement) -> CandidateKind:
    """Return the kind of candidate that the model finds most likely for a remark, which names no deadline."""
    return max(_KINDS_OF_REMARKS, key=lambda kind: judgement.share_of((kind,)))


def _states(text: str, judgement: Judgement) -> bool:
    """Return whether the model is sure enough that the text states something. Short texts need more certainty."""
    if judgement.kind not in _KINDS or judgement.stating < LEAST_STATING:
        return False
    if len(words_of(text)) >= _STANDS_ALONE:
        return True
    is_small_talk = judgement.share_of(("filler",)) >= _FILLER_OF_SHORT
    return judgement.stating >= _STATING_OF_SHORT and not is_small_talk


def _accepted_proposal(
    sentence: str, content: str, judgement: Judgement, before: Callable[[], Sequence[Turn]]
) -> str | None:
    """Return the option or proposal in the turns before that an answer accepts; None if it accepts none."""
    mark = mark_of(sentence)
    marked = marked_option(mark, [(each.role, each.content) for each in before()]) if mark else None
    if marked is not None:
        return marked
    pointing = next((text for text in (sentence, content) if needs_antecedent(text)), None)
    if judgement.kind in ("question", "aside", "task") or not (pointing or len(words_of(content)) <= _STANDS_ALONE):
        return None
    turns_before = [(each.role, each.content) for each in before()]
    if not pointing:
        texts = (sentence,) if content == sentence else dict.fromkeys((sentence, *sentences_of(content)))
        choices = (choice_of(each, turns_before) for each in texts)
        return next((each for each in choices if each is not None), None)
    accepted = antecedent_of(pointing, turns_before)
    is_own = _AGREES.match(pointing) and any(role == "user" and _asks(text, accepted) for role, text in turns_before)
    return None if is_own else accepted


def _asks(text: str, accepted: str | None) -> bool:
    """Return whether a person's turn ends with this question. After it, "agreed" accepts the answer to the question."""
    return is_question(text) and sentences_of(text)[-1].rstrip(" .?!") == accepted


def _with_neighbours(sentences: Sequence[str], place: int, items: Collection[str]) -> str:
    """Return the sentence. A short one comes with a neighbour, unless that is a question, task or small talk."""
    if len(words_of(sentences[place])) >= _STANDS_ALONE:
        return _with_subject(sentences, place)
    first, last = place, place
    if first > 0 and goes_on(sentences[first - 1], sentences[first], items) and _is_context(sentences[first - 1]):
        first -= 1
    elif place + 1 < len(sentences) and goes_on(sentences[place], sentences[place + 1], items):
        last += 1 if _is_context(sentences[place + 1]) else 0
    return " ".join(sentences[first : last + 1])


def _with_subject(sentences: Sequence[str], place: int) -> str:
    """Return the sentence, after up to two earlier ones if it names its subject only as "it", "she" or "they"."""
    first, text = place, sentences[place]
    while first > max(0, place - 2) and _POINTS_BACK.search(sentences[first]) and _is_context(sentences[first - 1]):
        first -= 1
        both = join_sentences((sentences[first], text))
        if len(both) > MAX_CHARACTERS:
            break
        text = both
    return text


def _is_context(sentence: str) -> bool:
    return (
        not (_is_of_others(sentence) or sentence.endswith(":"))
        and classify(sentence).kind not in ("question", "filler", "task")
        and len(sentence) <= MAX_CHARACTERS // 2
    )


def names_subject(content: str) -> bool:
    """Return whether the content of a statement names what it is about, unlike "make it Friday"."""
    return _has_subject(_EMPTY_WORDS.sub(" ", content))


@lru_cache(2048)
def _first_match(text: str, *, is_own: bool) -> tuple[CandidateKind, int] | None:
    """Return the kind of the first form that matches, and the position of the match; None if no form matches.

    With `is_own`, forms for people who speak of themselves count. A match within quotation marks or without a subject
    does not. Results are cached, because a turn is read again with its reply."""
    for kind, form in _forms_for(text) if is_own else ANY_SPEAKER:
        match = form.search(text)
        if match is not None and not _is_quoted(text, match.start()) and _has_subject(text[match.start() :]):
            return kind, match.start()
    return None


def _forms_for(text: str) -> Forms:
    return _OWN_FORMS if text.isascii() else (*_OWN_FORMS, *OTHER_SCRIPTS)


def _is_quoted(text: str, at: int) -> bool:
    before = text[:at]
    opened = before.count("\N{LEFT DOUBLE QUOTATION MARK}") > before.count("\N{RIGHT DOUBLE QUOTATION MARK}")
    return opened or before.count('"') % 2 == 1 or before.count("`") % 2 == 1


def _has_subject(text: str) -> bool:
    """Return whether the text names its subject, unlike "the first one"."""
    return bool({word.strip("'") for word in words_of(text)} - WORDS_WITHOUT_SUBJECT)
