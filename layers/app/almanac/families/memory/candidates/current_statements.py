"""Find the statements of a talk that still hold, such as decisions not replaced later and tasks not done yet."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise, takewhile

from msgspec import Struct, msgpack

from almanac.families.memory.candidates.corrections import REFUSES, corrects, is_same_topic
from almanac.families.memory.candidates.finder import FoundStatement, find_statements
from almanac.families.memory.candidates.overruling import find_overruled, rejections_of
from almanac.families.memory.candidates.topics import topic_terms
from almanac.families.memory.core.likeness import same_words
from almanac.families.memory.core.records import AGENT_ROLES, SPEAKING_ROLES, Role, Turn
from almanac.families.memory.statements.classifier import LEAST_STATING, STATING, classify
from almanac.families.memory.statements.recalled_text import is_recalled
from almanac.families.memory.statements.sentences import (
    cut,
    goes_on,
    items_in,
    join_sentences,
    sentences_of,
)
from almanac.families.memory.statements.weights import StatementKind
from almanac.families.memory.statements.words import words_of

SENTENCE_CHARACTERS = 240
_MOST_OF_A_TURN = 12
_LEAST_SHARE = 0.5
_LEAST_WORDS = 3
"""Least number of meaningful words of a fact, a result or a cause that is shown."""
_TURNS_BEFORE = 3
_CACHED_CHARACTERS = 8000
_READ_CHARACTERS = 60_000
"""Most characters of all turns that are read, latest first. Classifying takes about a microsecond per character."""
_STANDS_ALONE = 40
"""Least length of a task or a result that is shown without its neighbours."""
_SHOWN: frozenset[StatementKind] = frozenset(
    ("constraint", "decision", "task", "deadline", "convention", "preference", "fact", "done", "cause")
)
REPLACEABLE = frozenset({"decision", "deadline"})
"""Kinds of statements that a later statement may replace."""
_CHARACTERS = 600
"""Most characters of a turn that are read for what it reports as done."""
_RECONSIDERS = re.compile(r"\b(?:after all|instead|rather|wait)\b", re.IGNORECASE)
"""Matches words by which a refusal replaces the decision right before it: "no, MySQL after all"."""
_REVERSED_WITHIN = 2
"""Most turns from a decision to the turn that takes it back."""
_OF_AGENTS = ("done", "cause", "error")
_OF_USERS = ("task", "fact", *_OF_AGENTS)
_NEVER_DONE = ("question", "aside", "task")
OPEN_LIST = re.compile(r"^(?:still )?(?:open|left|outstanding|remaining)\s*:|\b(?:open|left)\s*:", re.IGNORECASE)
_OPEN_HEADING = re.compile(
    r"^(?:still )?(?:open|left|outstanding|remaining|missing|not done|to ?do|next steps)(?: \w+)?\s*:(?=\s|$)",
    re.IGNORECASE,
)
FINISHED = re.compile(
    r"^(?!.*\?|\W*(?:let|if|when|once|until|till|whether|so that)\b)[^.;:]{2,60}\b(?:"
    r"(?:is|are|was|were|got|has been|have been)(?: (?:now|finally|all|both))? (?:in(?: \S+/\S+)?|done|up|out|live|here"
    r"|there|sent|paid|written|back|gone|through"
    r"|(?!(?:need|requir|want|plann|suppos|call|nam|bas|limit|allow|schedul|expect|block|delay|ask)\w*)\w{2,20}ed)"
    r"|(?:came|arrived|landed|shipped|paid up|handed in|sorted|done)(?![ -]\w+[ -]by)"
    r")(?: (?:now|today|already|this morning|yesterday|and \w+))?\W*(?:[.,;:!]|$)",
    re.IGNORECASE,
)
"""Matches a report that something is finished or has come: "the migration is in", "the weights came"."""
_TAKES_NOTE = re.compile(
    r"^\W*(?:noted|added|captured|recorded|listed|(?:it's )?on (?:the|my|your) list|on it|will do|todo)\b",
    re.IGNORECASE,
)
"""Matches a reply that takes note of a task, which does not finish it."""
_TICKS_OFF = re.compile(
    r"^\W*(?:ticked|crossed (?:it )?off|checked (?:it )?off|struck|off the list|that(?:'s| is) (?:off the list|one)"
    r"|closed|good, one|one (?:item|todo|thing) (?:less|fewer))\b",
    re.IGNORECASE,
)
"""Matches a reply that closes the task of which a person just reported the end: "Ticked off"."""


class CurrentStatement(Struct, frozen=True):
    """A statement of a turn, with the turn's time and speaker.

    `digest` identifies the statement among candidates; it is "" if the statement makes no candidate."""

    kind: StatementKind
    text: str
    turn: str
    at: int
    speaker: str | None
    role: Role
    session: str | None
    digest: str = ""


class Talk(Struct, frozen=True):
    """The statements of a talk, in the order of time. `outdated` has the indexes of those that no longer hold.

    `replaced` maps the index of a statement to the index of the one that replaced it."""

    statements: Sequence[CurrentStatement]
    outdated: frozenset[int]
    replaced: Mapping[int, int]

    @property
    def current(self) -> list[CurrentStatement]:
        return [one for place, one in enumerate(self.statements) if place not in self.outdated]


def talk_of(turns: Sequence[Turn]) -> Talk:
    """Read the statements of `turns`, which are in the order of time, and find those that no longer hold."""
    statements: list[CurrentStatement] = []
    reports = list[_Report]()
    by_session: dict[str | None, list[Turn]] = {}
    decisions: dict[str, int] = {}
    replaced = dict[int, int]()
    last_said: dict[str | None, _Said] = {}
    for turn in _latest_turns(turns):
        before = by_session.setdefault(turn.session, [])
        first = len(statements)
        for one in _statements_of(turn, before[: -_TURNS_BEFORE - 1 : -1]):
            if one.kind == "done" and not _TAKES_NOTE.match(one.text):
                finished = FINISHED.match(one.text)
                reports.append(_Report(len(statements), topic_terms(finished[0] if finished else one.text)))
            if one.kind == "decision" and one.role == "user":
                if (earlier := _reversed_decision(one, before, decisions)) is not None:
                    replaced[earlier] = len(statements)
                decisions[turn.id] = len(statements)
            statements.append(one)
        before.append(turn)
        if turn.role == "user":
            last_said[turn.session] = _Said(turn, first)
        elif turn.role in AGENT_ROLES:
            said = last_said.pop(turn.session, None)
            if said is not None and _TICKS_OFF.match(turn.content):
                terms = topic_terms(said.turn.content[:_CHARACTERS]) | topic_terms(turn.content[:_CHARACTERS])
                reports.append(_Report(said.first, terms, is_ticked=True))
    corrected = _map_replaced(statements)
    replacing = frozenset(corrected.values())
    replaced = corrected | {old: new for old, new in replaced.items() if new not in replacing and old not in corrected}
    replaced |= _map_overruled(statements, by_session.values(), replaced)
    return Talk(
        statements,
        frozenset((*replaced, *_closed_tasks(statements, reports), *_repetitions(statements))),
        replaced,
    )


class _Report(Struct, frozen=True):
    """A report that something is done, said before the statement with the index `place`, with its topic words.

    `is_ticked`: an agent replied that it ticked a task off."""

    place: int
    terms: frozenset[str]
    is_ticked: bool = False


class _Said(Struct, frozen=True):
    """A person's turn, and the index of its first statement."""

    turn: Turn
    first: int


def _latest_turns(turns: Sequence[Turn]) -> Sequence[Turn]:
    characters_left = _READ_CHARACTERS
    for place in range(len(turns) - 1, -1, -1):
        characters_left -= len(turns[place].content)
        if characters_left < 0:
            return turns[place + 1 :]
    return turns


@dataclass(frozen=True)
class _CacheKey:
    """A turn and the turns before it, as a key of the cache.

    Two keys are equal if their digests are. The digest covers everything from which the statements are made."""

    digest: bytes
    turn: Turn = field(compare=False)
    before: tuple[Turn, ...] = field(compare=False)


def _statements_of(turn: Turn, before: Sequence[Turn]) -> Sequence[CurrentStatement]:
    """Return the statements of a turn.

    They are cached, because each page and snapshot needs them again, except for long turns."""
    if sum(len(one.content) for one in (turn, *before)) > _CACHED_CHARACTERS:
        return _without_contained(_read_statements(turn, before))
    key_fields = (turn.id, turn.role, turn.content, turn.at, turn.speaker, turn.session, is_recalled(turn))
    made_of = msgpack.encode((key_fields, [(one.id, one.role, one.content, one.speaker) for one in before]))
    return _cached_statements(_CacheKey(blake2b(made_of, digest_size=16).digest(), turn, tuple(before)))


@lru_cache(maxsize=1024)
def _cached_statements(key: _CacheKey) -> tuple[CurrentStatement, ...]:
    return _without_contained(_read_statements(key.turn, key.before))


def _without_contained(statements: Iterable[CurrentStatement]) -> tuple[CurrentStatement, ...]:
    """Drop the statements that are part of a longer statement of the same kind."""
    every = tuple(statements)
    return tuple(
        one
        for one in every
        if not any(one.text != each.text and one.kind == each.kind and one.text in each.text for each in every)
    )


def _read_statements(turn: Turn, before: Sequence[Turn]) -> Iterator[CurrentStatement]:
    if turn.role not in SPEAKING_ROLES or is_recalled(turn):
        return
    found_statements = find_statements(turn, lambda: before) if turn.role == "user" else []
    for one in found_statements:
        yield _statement(one.kind, one.content, turn, one)
    found_text = " ".join(one.content for one in found_statements)
    sentences = sentences_of(turn.content)[:_MOST_OF_A_TURN]
    items = items_in(turn.content)
    for place, sentence in enumerate(sentences):
        judgement = classify(sentence)
        kinds = _OF_USERS if turn.role == "user" else _OF_AGENTS
        is_list = turn.role != "user" and judgement.kind == "task" and OPEN_LIST.search(sentence) is not None
        is_heading = sentence.endswith(":") and place + 1 < len(sentences)
        if (heading := _OPEN_HEADING.match(sentence)) and (is_heading or sentence in items):
            if place == 0 or not sentences[place - 1].startswith(heading[0]):
                yield _statement("task", _with_items(sentences[place:], heading[0], items), turn)
            continue
        if sentence in found_text or is_heading or len(sentence) > SENTENCE_CHARACTERS:
            continue
        is_finished = (
            judgement.stating < LEAST_STATING
            and judgement.kind not in _NEVER_DONE
            and FINISHED.match(sentence) is not None
        )
        if is_finished or (judgement.share >= _LEAST_SHARE and (judgement.kind in kinds or is_list)):
            kind = "done" if is_finished else judgement.kind
            yield _statement(kind, _with_context(sentences, place, items), turn)


def _statement(
    kind: StatementKind, text: str, turn: Turn, found_statement: FoundStatement | None = None
) -> CurrentStatement:
    return CurrentStatement(
        kind,
        text,
        turn.id,
        turn.at,
        turn.speaker,
        turn.role,
        turn.session,
        found_statement.digest if found_statement else "",
    )


def _with_items(sentences: Sequence[str], heading: str, items: Collection[str]) -> str:
    """Return the items of the list with which the sentences begin, below its heading, as many as there is room for."""
    first, *others = sentences
    if first == heading:
        list_items = list(takewhile(lambda sentence: sentence in items, others)) or others[:1]
    else:
        list_items = list(takewhile(lambda sentence: sentence.startswith(heading), others))
    return cut(join_sentences([first, *list_items]), SENTENCE_CHARACTERS)


def _with_context(sentences: Sequence[str], place: int, items: Collection[str]) -> str:
    """Return a sentence. A short one, such as "TODO", comes with its neighbours in the turn, which name its subject."""
    first, last = place, place
    while len(" ".join(sentences[first : last + 1])) < _STANDS_ALONE:
        if first > 0 and goes_on(sentences[first - 1], sentences[first], items):
            first -= 1
        elif last + 1 < len(sentences) and goes_on(sentences[last], sentences[last + 1], items):
            last += 1
        else:
            break
    text = " ".join(sentences[first : last + 1])
    return text if len(text) <= SENTENCE_CHARACTERS else sentences[place]


def is_worth_showing(statement: CurrentStatement) -> bool:
    return statement.kind in _SHOWN and (
        statement.kind not in ("fact", "done", "cause") or len(words_of(statement.text)) >= _LEAST_WORDS
    )


def _reversed_decision(one: CurrentStatement, before: Sequence[Turn], decisions: Mapping[str, int]) -> int | None:
    """Return the index of the decision that `one` takes back, in the turns right before it; None if there is none.

    A "no" after a question only answers the question."""
    if not (REFUSES.match(one.text) and _RECONSIDERS.search(one.text)):
        return None
    for turn in before[: -_REVERSED_WITHIN - 1 : -1]:
        if turn.id in decisions:
            return decisions[turn.id]
        if "?" in turn.content:
            return None
    return None


def _map_replaced(statements: Sequence[CurrentStatement]) -> dict[int, int]:
    """Map the index of each decision or date that a later one corrects to the index of the latest correction."""
    later: list[tuple[int, frozenset[str]]] = []
    replaced: dict[int, int] = {}
    for place in range(len(statements) - 1, -1, -1):
        one = statements[place]
        if one.kind not in REPLACEABLE:
            continue
        terms = topic_terms(one.text)
        for at, other in later:
            if is_same_topic(terms, other):
                replaced[place] = at
                break
        if corrects(one.text):
            later.append((place, terms))
    return replaced


def _map_overruled(
    statements: Sequence[CurrentStatement], sessions: Iterable[Sequence[Turn]], replaced: Collection[int]
) -> dict[int, int]:
    """Map the index of each statement to the first of the turn that says, with an agent's reply, that it is outdated.

    Statements in `replaced` are left out. Only statements of people that bind somebody overrule and are overruled."""
    binding = [place for place, one in enumerate(statements) if one.role == "user" and one.kind in STATING]
    places: dict[str, list[int]] = {}
    for place in binding:
        places.setdefault(statements[place].turn, []).append(place)
    spoken = ([one for one in turns if one.role in SPEAKING_ROLES and one.session is not None] for turns in sessions)
    replies = {one.id: reply for turns in spoken for one, reply in pairwise(turns) if reply.role in AGENT_ROLES}
    overruled: dict[int, int] = {}
    for turn, own in places.items():
        reply = replies.get(turn)
        text = " ".join(statements[place].text for place in own)
        rejections = rejections_of(text, reply.content if reply and not is_recalled(reply) else "")
        if rejections:
            earlier = [one for one in binding if one < own[0] and one not in replaced and one not in overruled]
            found = find_overruled(rejections, [statements[one].text for one in earlier])
            overruled |= {earlier[each]: own[0] for each in found}
    return overruled


def _closed_tasks(statements: Sequence[CurrentStatement], reports: Sequence[_Report]) -> Iterator[int]:
    """Yield the indexes of tasks that a later sentence reports as done, and of all lists of open tasks but the last."""
    lists = [place for place, one in enumerate(statements) if one.kind == "task" and OPEN_LIST.search(one.text)]
    yield from lists[:-1]
    tasks = {
        place: topic_terms(one.text)
        for place, one in enumerate(statements)
        if one.kind == "task" and place not in lists
    }
    for report in reports:
        shared = {place: len(terms & report.terms) for place, terms in tasks.items() if place < report.place}
        most = max(shared.values(), default=0)
        for place, count in shared.items():
            is_meant = report.is_ticked and count == most and list(shared.values()).count(most) == 1
            if count and (is_meant or count * 2 >= min(len(tasks[place]), len(report.terms))):
                yield place


def _repetitions(statements: Sequence[CurrentStatement]) -> Iterator[int]:
    """Yield the indexes of statements that a later statement repeats in the same words."""
    seen: set[str] = set()
    for place in range(len(statements) - 1, -1, -1):
        words = same_words(statements[place].text)
        if words in seen:
            yield place
        seen.add(words)
