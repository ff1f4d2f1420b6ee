"""Find remarks in a talk with an agent on which later work may depend, in addition to the statements of clear kinds.

Remarks are passages that a summary would tell: what an agent accepted or repeated, and what it found out. A snapshot
shows them after the statements, as long as it has room.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

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
from almanac.families.memory.sessions.passages import PassageModel, SummaryInput, is_with_agent
from almanac.families.memory.sessions.summary_sentences import LEAST_SHARE, passages_of
from almanac.families.memory.sessions.windows import as_input
from almanac.families.memory.statements.recalled_text import is_recalled
from almanac.families.memory.statements.sentences import is_question, sentences_of

_OF_A_TURN = 12
_LONGEST = 8000
_SPEAKERS = ("user", "assistant", "agent")
_SAME = 0.5
_NEWNESS = 0.5
_LEAST_OF_SENTENCE = 0.33
"""Least share of the model for a single sentence of a passage that is told."""


def remarks_in(turns: Sequence[Turn], talk: Talk) -> list[CurrentStatement]:
    """Return the remarks in `turns`, surest first. `turns` are in the order of time, and `talk` has their statements.

    Sentences that are statements already are left out, and so are those that a later statement or remark corrects."""
    stated = {text for one in talk.statements for text in (one.text, *sentences_of(one.text))}
    gone = [
        (talk.statements[talk.replaced.get(place, place)].at, topic_terms(talk.statements[place].text))
        for place in talk.outdated
    ]
    later = [(one.at, topic_terms(one.text)) for one in talk.statements if corrects(one.text)]
    found = list[tuple[float, CurrentStatement]]()
    for sureness, one in sorted(_remarks_of(turns), key=lambda each: -each[1].at):
        terms = topic_terms(one.text)
        if one.text in stated or any(one.at <= at and _share(terms, other) for at, other in gone):
            continue
        if not any(at > one.at and _share(terms, other) for at, other in later):
            found.append((sureness, one))
        if corrects(one.text):
            later.append((one.at, terms))
    return [one for _, one in sorted(found, key=lambda each: -each[0])]


def current_statements_in(talk: Talk, is_hidden: Callable[[CurrentStatement], bool]) -> list[CurrentStatement]:
    """Return the statements of `talk` that hold and are not hidden.

    If a statement counts as replaced because of a single shared word that the later one does not reject, the later
    statement shows the earlier one too."""
    doubtful: dict[int, str] = {}
    for old, new in sorted(talk.replaced.items()):
        if is_in_doubt(talk.statements[new].text, talk.statements[old].text) and not is_hidden(talk.statements[old]):
            doubtful[_last(new, talk.replaced)] = talk.statements[old].text
    return [
        altered(one, text=f"{one.text} (earlier: {doubtful[place]})") if place in doubtful else one
        for place, one in enumerate(talk.statements)
        if place not in talk.outdated and not is_hidden(one)
    ]


def _last(place: int, replaced: Mapping[int, int]) -> int:
    while place in replaced:
        place = replaced[place]
    return place


def _share(terms: frozenset[str], other: frozenset[str]) -> bool:
    shared = len(terms & other)
    return bool(shared) and shared >= _SAME * min(len(terms), len(other))


def _remarks_of(turns: Sequence[Turn]) -> Iterator[tuple[float, CurrentStatement]]:
    """Yield the remarks, each with its share in the model and up to `_NEWNESS` more, the newer it is."""
    by_session: dict[str | None, list[Turn]] = {}
    for turn in turns:
        if turn.role != "system" and not is_recalled(turn):
            by_session.setdefault(turn.session, []).append(turn)
    first = min((turn.at for turn in turns), default=0)
    lasts = max((turn.at for turn in turns), default=0) - first + 1
    for turns_of_session in by_session.values():
        inputs = [as_input(one) for one in turns_of_session]
        if is_with_agent(inputs):
            model = PassageModel(inputs)
            for place, turn in enumerate(turns_of_session):
                if turn.role in _SPEAKERS and len(turn.content) <= _LONGEST:
                    newness = _NEWNESS * (turn.at - first) / lasts
                    for share, text in _useful_sentences(model, place, inputs[place]):
                        one = CurrentStatement("fact", text, turn.id, turn.at, turn.speaker, turn.role, turn.session)
                        yield share + newness, one


def _useful_sentences(model: PassageModel, place: int, turn: SummaryInput) -> Iterator[tuple[float, str]]:
    """Yield the sentences on which later work may depend, each with the share of its passage.

    A summary would tell the passage, and the sentence by itself is not much less likely."""
    for sentences in passages_of(turn)[:_OF_A_TURN]:
        share = model.share(place, sentences)
        if share >= LEAST_SHARE:
            for text in sentences:
                by_itself = len(sentences) == 1 or model.share(place, [text]) >= _LEAST_OF_SENTENCE
                if by_itself and not is_question(text) and len(text) <= SENTENCE_CHARACTERS:
                    yield share, text
