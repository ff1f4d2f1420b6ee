"""Find the statements of a talk that still hold, such as decisions not replaced later and tasks not done yet."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise

from msgspec import Struct, msgpack

from almanac.families.memory.candidates.finder import FoundStatement, find_statements
from almanac.families.memory.core.likeness import same_words
from almanac.families.memory.core.records import Role, Turn
from almanac.families.memory.statements.classifier import classify
from almanac.families.memory.statements.recalled_text import is_recalled
from almanac.families.memory.statements.sentences import sentences_of
from almanac.families.memory.statements.weights import StatementKind
from almanac.families.memory.statements.words import words_of

SENTENCE_CHARACTERS = 240
_OF_A_TURN = 12
_LEAST_SHARE = 0.5
_LEAST_WORDS = 3
"""Fewest meaningful words of a fact, a result or a cause that is shown."""
_BEFORE = 3
_KEPT_CHARACTERS = 8000
_READ_CHARACTERS = 60_000
"""Most characters of all turns that are read, latest first. Judging a character takes about a microsecond."""
_STEM = 5
_ALONE = 40
"""A task or a result with fewer characters is shown together with its neighbours."""
_COSTS: dict[StatementKind, float] = {
    "constraint": 1.0,
    "decision": 0.7,
    "task": 0.9,
    "deadline": 0.9,
    "convention": 1.1,
    "preference": 1.1,
    "fact": 2.0,
    "done": 2.5,
    "cause": 2.5,
}
"""The order in which kinds are shown when space is short, lowest first. Kinds that are not listed are never shown."""
_DEAR = 3.0
REPLACEABLE = frozenset({"decision", "deadline"})
"""Kinds of statements that a later one may replace."""
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
_ANEW = re.compile(r"\b(?:after all|instead|rather|wait)\b", re.IGNORECASE)
"""Matches words that make a refusal a new decision in place of the one right before it: "no, MySQL after all"."""
_REVERSED_WITHIN = 2
"""Most turns from a decision to the turn that takes it back."""
_OF_AGENTS = ("done", "cause", "error")
_OF_USERS = ("task", "fact", *_OF_AGENTS)
_OPEN_LIST = re.compile(r"^(?:still )?(?:open|left|outstanding|remaining)\s*:|\b(?:open|left)\s*:", re.IGNORECASE)
_STOCK = frozenset(
    one[:_STEM]
    for one in re.findall(
        r"\w+",
        """
        todo task open left done finished ready ticked first second third option instead please decided agreed use uses
        take takes make makes keep keeps come comes came run runs call called give gives get gets want wants wanted need
        needs know knows find found tell told start starts send sends cannot share shares till until every each much
        many more less only just also still already again even really old new good great little big day days week month
        months year years morning evening night time people somebody everybody thing things january february march april
        may june july august september october november december today tomorrow monday tuesday wednesday thursday friday
        saturday sunday
        """,
    )
)
"""Common words, which name no subject of a statement."""
_LEAST_SHARED = 0.25
"""Least share of the shorter statement's topic words that two statements on the same topic have in common."""


class CurrentStatement(Struct, frozen=True):
    """A statement of a turn, with the turn's time and speaker.

    `statement` is the digest by which candidates identify it; "" if it makes no candidate."""

    kind: StatementKind
    text: str
    turn: str
    at: int
    speaker: str | None
    role: Role
    session: str | None
    statement: str = ""


class Talk(Struct, frozen=True):
    """The statements of a talk, in the order of time. `outdated` has the indexes of those that no longer hold.

    `replaced` maps the index of a decision or date to the index of the statement that replaced it."""

    statements: Sequence[CurrentStatement]
    outdated: frozenset[int]
    replaced: Mapping[int, int]

    @property
    def current(self) -> list[CurrentStatement]:
        return [one for place, one in enumerate(self.statements) if place not in self.outdated]


def talk_of(turns: Sequence[Turn]) -> Talk:
    """Return the statements of `turns`, which are in the order of time."""
    told: list[CurrentStatement] = []
    closing: list[tuple[int, frozenset[str]]] = []
    by_session: dict[str | None, list[Turn]] = {}
    decided: dict[str, int] = {}
    reversed_by: dict[int, int] = {}
    for turn in _latest(turns):
        before = by_session.setdefault(turn.session, [])
        for one in _told_by(turn, before[: -_BEFORE - 1 : -1]):
            if one.kind == "done":
                closing.append((len(told), topic_terms(one.text)))
            if one.kind == "decision" and one.role == "user":
                if (earlier := _reversed(one, before, decided)) is not None:
                    reversed_by[earlier] = len(told)
                decided[turn.id] = len(told)
            told.append(one)
        before.append(turn)
    replaced = _replaced(told)
    named = frozenset(replaced.values())
    replaced |= {old: new for old, new in reversed_by.items() if new not in named and old not in replaced}
    return Talk(told, frozenset((*replaced, *_closed(told, closing), *_repeated(told))), replaced)


def _latest(turns: Sequence[Turn]) -> Sequence[Turn]:
    left = _READ_CHARACTERS
    for place in range(len(turns) - 1, -1, -1):
        left -= len(turns[place].content)
        if left < 0:
            return turns[place + 1 :]
    return turns


def rank_statements(
    told: Iterable[CurrentStatement], remarks: Iterable[CurrentStatement] = ()
) -> list[CurrentStatement]:
    """Return the statements with the newest of each kind first and kinds mixed, so a short page has some of each.

    `remarks` are mixed in as facts, in their own order."""
    counts: dict[StatementKind, int] = {}
    placed: list[tuple[float, int, CurrentStatement]] = []
    for one in [*sorted(told, key=lambda each: -each.at), *remarks]:
        count = counts[one.kind] = counts.get(one.kind, 0) + 1
        placed.append((count * _COSTS.get(one.kind, _DEAR), len(placed), one))
    return [one for _, _, one in sorted(placed, key=lambda each: each[:2])]


def corrects(text: str) -> bool:
    """Return whether a sentence takes back or replaces an earlier one."""
    return _CORRECTS.search(text) is not None


def replaces(newer: str, older: str) -> bool:
    """Return whether a later decision or date names an earlier one and corrects it."""
    return corrects(newer) and _is_same_topic(topic_terms(newer), topic_terms(older))


@dataclass(frozen=True)
class _Said:
    """A turn and the turns before it, as a key of the cache.

    Two are equal if their `digest` is, which covers everything that the statements are made from."""

    digest: bytes
    turn: Turn = field(compare=False)
    before: tuple[Turn, ...] = field(compare=False)


def _told_by(turn: Turn, before: Sequence[Turn]) -> Sequence[CurrentStatement]:
    """Return the statements of a turn. They are cached unless it is long, as each page and snapshot reads them anew."""
    if sum(len(one.content) for one in (turn, *before)) > _KEPT_CHARACTERS:
        return _once(_stated(turn, before))
    own = (turn.id, turn.role, turn.content, turn.at, turn.speaker, turn.session, is_recalled(turn))
    made_of = msgpack.encode((own, [(one.id, one.role, one.content, one.speaker) for one in before]))
    return _kept(_Said(blake2b(made_of, digest_size=16).digest(), turn, tuple(before)))


@lru_cache(maxsize=1024)
def _kept(said: _Said) -> tuple[CurrentStatement, ...]:
    return _once(_stated(said.turn, said.before))


def _once(told: Iterable[CurrentStatement]) -> tuple[CurrentStatement, ...]:
    """Return the statements of a turn without those that a longer statement of the same kind contains."""
    stated = tuple(told)
    return tuple(
        one
        for one in stated
        if not any(one.text != each.text and one.kind == each.kind and one.text in each.text for each in stated)
    )


def _stated(turn: Turn, before: Sequence[Turn]) -> Iterator[CurrentStatement]:
    if turn.role not in ("user", "assistant", "agent") or is_recalled(turn):
        return
    found = find_statements(turn, lambda: before) if turn.role == "user" else []
    for one in found:
        yield _standing(one.kind, one.content, turn, one)
    kept = " ".join(one.content for one in found)
    sentences = sentences_of(turn.content)[:_OF_A_TURN]
    for place, sentence in enumerate(sentences):
        judgement = classify(sentence)
        kinds = _OF_USERS if turn.role == "user" else _OF_AGENTS
        is_list = turn.role != "user" and judgement.kind == "task" and _OPEN_LIST.search(sentence) is not None
        if sentence in kept or len(sentence) > SENTENCE_CHARACTERS or judgement.share < _LEAST_SHARE:
            continue
        if judgement.kind in kinds or is_list:
            yield _standing(judgement.kind, _with_context(sentences, place), turn)


def _standing(kind: StatementKind, text: str, turn: Turn, found: FoundStatement | None = None) -> CurrentStatement:
    return CurrentStatement(
        kind, text, turn.id, turn.at, turn.speaker, turn.role, turn.session, found.statement if found else ""
    )


def _with_context(sentences: Sequence[str], place: int) -> str:
    """Return a short sentence together with its neighbours in the turn, as only they name the subject of a "TODO"."""
    first, last = place, place
    while len(" ".join(sentences[first : last + 1])) < _ALONE and (first > 0 or last + 1 < len(sentences)):
        first, last = (first - 1, last) if first > 0 else (first, last + 1)
    text = " ".join(sentences[first : last + 1])
    return text if len(text) <= SENTENCE_CHARACTERS else sentences[place]


def is_worth_showing(one: CurrentStatement) -> bool:
    return one.kind in _COSTS and (one.kind not in ("fact", "done", "cause") or len(words_of(one.text)) >= _LEAST_WORDS)


def _reversed(one: CurrentStatement, before: Sequence[Turn], decided: Mapping[str, int]) -> int | None:
    """Return the index of the decision, in the turns right before `one`, that it takes back; None if there is none.

    A "no" behind a question answers that question instead."""
    if not (REFUSES.match(one.text) and _ANEW.search(one.text)):
        return None
    for turn in before[: -_REVERSED_WITHIN - 1 : -1]:
        if turn.id in decided:
            return decided[turn.id]
        if "?" in turn.content:
            return None
    return None


def _replaced(told: Sequence[CurrentStatement]) -> dict[int, int]:
    """Return the indexes of decisions and dates that a later one corrects, each with the index of the latest such."""
    later: list[tuple[int, frozenset[str]]] = []
    found: dict[int, int] = {}
    for place in range(len(told) - 1, -1, -1):
        one = told[place]
        if one.kind not in REPLACEABLE:
            continue
        terms = topic_terms(one.text)
        for at, other in later:
            if _is_same_topic(terms, other):
                found[place] = at
                break
        if corrects(one.text):
            later.append((place, terms))
    return found


def _is_same_topic(terms: frozenset[str], other: frozenset[str]) -> bool:
    shared = len(terms & other)
    return bool(shared) and shared >= _LEAST_SHARED * min(len(terms), len(other))


def _closed(told: Sequence[CurrentStatement], closing: Sequence[tuple[int, frozenset[str]]]) -> Iterator[int]:
    """Yield the indexes of tasks that a later sentence reports as done, and of all lists of open tasks but the last."""
    lists = [place for place, one in enumerate(told) if one.kind == "task" and _OPEN_LIST.search(one.text)]
    yield from lists[:-1]
    for place, one in enumerate(told):
        if one.kind != "task" or place in lists:
            continue
        terms = topic_terms(one.text)
        for at, done in closing:
            shared = len(terms & done)
            if at > place and shared and shared * 2 >= min(len(terms), len(done)):
                yield place
                break


def _repeated(told: Sequence[CurrentStatement]) -> Iterator[int]:
    """Yield the indexes of statements that a later statement repeats in the same words."""
    seen: set[str] = set()
    for place in range(len(told) - 1, -1, -1):
        words = same_words(told[place].text)
        if words in seen:
            yield place
        seen.add(words)


@lru_cache(maxsize=2048)
def topic_terms(text: str) -> frozenset[str]:
    """Return the first five letters of each word that names the topic of a sentence, and numbers with the next word."""
    words = list(words_of(text))
    numbered = {f"{one} {other}" for one, other in pairwise(words) if one.isdecimal()}
    return frozenset(word[:_STEM] for word in words if _may_name(word) and word[:_STEM] not in _STOCK) | numbered


def _may_name(word: str) -> bool:
    """Return whether a word may name a thing, as "fly.io" and "s3" do and "9am" does not."""
    return word[0].isalpha() and "'" not in word
