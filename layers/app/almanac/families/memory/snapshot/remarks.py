"""Find remarks in a talk with an agent on which later work may depend, in addition to the statements of clear kinds.

Remarks are words that an agent accepted or repeated, and results that it found out. A snapshot shows them after the
statements, as long as it has room.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache

from msgspec.structs import replace as altered

from almanac.families.memory.candidates.current_statements import (
    SENTENCE_CHARACTERS,
    CurrentStatement,
    Talk,
    corrects,
    topic_terms,
)
from almanac.families.memory.candidates.later_words import is_in_doubt
from almanac.families.memory.core.records import Turn
from almanac.families.memory.sessions.carried import Reply, carried_by_agent, carried_by_person
from almanac.families.memory.sessions.summary_sentences import replies_in
from almanac.families.memory.sessions.windows import as_input
from almanac.families.memory.statements.recalled_text import is_recalled
from almanac.families.memory.statements.sentences import sentences_of
from almanac.families.memory.statements.words import words_of

_OF_A_TURN = 12
_LONGEST = 8000
_SPEAKERS = ("user", "assistant", "agent")
_SAME = 0.5


def remarks_in(turns: Sequence[Turn], talk: Talk) -> list[CurrentStatement]:
    """Return the remarks in `turns`, latest first. `turns` are in the order of time, and `talk` has their statements.

    Sentences that are statements already are left out, and so are those that a later statement or remark corrects."""
    stated = {text for one in talk.told for text in (one.text, *sentences_of(one.text))}
    gone = [(talk.told[talk.replaced.get(place, place)].at, topic_terms(talk.told[place].text)) for place in talk.gone]
    later = [(one.at, topic_terms(one.text)) for one in talk.told if corrects(one.text)]
    found = list[CurrentStatement]()
    for one in sorted(_statements_in(turns), key=lambda each: -each.at):
        terms = topic_terms(one.text)
        if one.text in stated or any(one.at <= at and _share(terms, other) for at, other in gone):
            continue
        if not any(at > one.at and _share(terms, other) for at, other in later):
            found.append(one)
        if corrects(one.text):
            later.append((one.at, terms))
    return found


def current_statements_in(talk: Talk, is_hidden: Callable[[CurrentStatement], bool]) -> list[CurrentStatement]:
    """Return the statements of `talk` that hold and are not hidden.

    If a statement counts as replaced because of a single shared word that the later one does not reject, the later
    statement shows the earlier one too."""
    doubtful: dict[int, str] = {}
    for old, new in sorted(talk.replaced.items()):
        if is_in_doubt(talk.told[new].text, talk.told[old].text) and not is_hidden(talk.told[old]):
            doubtful[_last(new, talk.replaced)] = talk.told[old].text
    return [
        altered(one, text=f"{one.text} (earlier: {doubtful[place]})") if place in doubtful else one
        for place, one in enumerate(talk.told)
        if place not in talk.gone and not is_hidden(one)
    ]


def _last(place: int, replaced: Mapping[int, int]) -> int:
    while place in replaced:
        place = replaced[place]
    return place


def _share(terms: frozenset[str], other: frozenset[str]) -> bool:
    shared = len(terms & other)
    return bool(shared) and shared >= _SAME * min(len(terms), len(other))


def _statements_in(turns: Sequence[Turn]) -> Iterator[CurrentStatement]:
    by_session: dict[str | None, list[Turn]] = {}
    for turn in turns:
        if turn.role != "system" and not is_recalled(turn):
            by_session.setdefault(turn.session, []).append(turn)
    for turns_of_session in by_session.values():
        inputs = [as_input(one) for one in turns_of_session]
        for place, reply in enumerate(replies_in(inputs) or ()):
            turn, finds = turns_of_session[place], place > 0 and not inputs[place - 1].by_person
            if turn.role in _SPEAKERS and len(turn.content) <= _LONGEST:
                for text in _useful_sentences(turn.content, reply, turn.role == "user", finds):
                    yield CurrentStatement("fact", text, turn.id, turn.at, turn.speaker, turn.role, turn.session)


@lru_cache(maxsize=1024)
def _useful_sentences(content: str, reply: Reply, by_person: bool, finds: bool) -> tuple[str, ...]:
    """Return the sentences of a turn that carry something for later work by themselves."""
    found = list[str]()
    for text in sentences_of(content)[:_OF_A_TURN]:
        words = words_of(text)
        if len(text) > SENTENCE_CHARACTERS:
            continue
        if (
            carried_by_person(text, words, reply, None)
            if by_person
            else carried_by_agent(text, words, (), reply, finds=finds)
        ):
            found.append(text)
    return tuple(found)
