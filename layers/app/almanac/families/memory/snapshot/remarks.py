"""Find remarks in a talk with an agent: sentences on which later work may depend, but which are no clear statements.

Remarks are passages that a summary would take, such as orders that an agent accepted or repeated, and its findings. A
snapshot shows them after the statements, as long as it has room.
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
from almanac.families.memory.core.records import SPEAKING_ROLES, Turn
from almanac.families.memory.sessions.summary_sentences import passages_of
from almanac.families.memory.statements.passages import PassageModel, SpokenTurn, is_with_agent, spoken_turn
from almanac.families.memory.statements.recalled_text import is_recalled
from almanac.families.memory.statements.sentences import is_question, sentences_of

_PASSAGES_OF_A_TURN = 12
_MOST_CHARACTERS = 8000
_LEAST_SHARED = 0.5
_NEWNESS = 0.5
_LEAST_OF_PASSAGE = 0.15
"""Least probability by the model at which a passage is shown. The surest come first, so others only fill spare room."""
_LEAST_OF_SENTENCE = 0.1
"""The same for a single sentence of such a passage."""


def remarks_in(turns: Sequence[Turn], talk: Talk) -> list[CurrentStatement]:
    """Return the remarks in `turns`, most certain first.

    `turns` are in the order of time, and `talk` has their statements. Sentences that are statements are left out, as
    are sentences that a later statement or remark corrects."""
    statement_texts = {text for one in talk.statements for text in (one.text, *sentences_of(one.text))}
    corrected = [
        (talk.statements[talk.replaced.get(place, place)].at, topic_terms(talk.statements[place].text))
        for place in talk.outdated
    ]
    corrections = [(one.at, topic_terms(one.text)) for one in talk.statements if corrects(one.text)]
    remarks = list[tuple[float, CurrentStatement]]()
    for sureness, one in sorted(_remarks_of(turns), key=lambda each: -each[1].at):
        terms = topic_terms(one.text)
        if one.text in statement_texts or any(one.at <= at and _is_same_topic(terms, other) for at, other in corrected):
            continue
        if not any(at > one.at and _is_same_topic(terms, other) for at, other in corrections):
            remarks.append((sureness, one))
        if corrects(one.text):
            corrections.append((one.at, terms))
    return [one for _, one in sorted(remarks, key=lambda each: -each[0])]


def current_statements_in(talk: Talk, is_hidden: Callable[[CurrentStatement], bool]) -> list[CurrentStatement]:
    """Return the statements of `talk` that still hold and are not hidden.

    A replacement is in doubt if it shares only one word with the earlier statement and does not reject that word. It
    then shows the earlier statement as well."""
    doubtful: dict[int, str] = {}
    for old, new in sorted(talk.replaced.items()):
        if is_in_doubt(talk.statements[new].text, talk.statements[old].text) and not is_hidden(talk.statements[old]):
            doubtful[_last_replacement(new, talk.replaced)] = talk.statements[old].text
    return [
        altered(one, text=f"{one.text} (earlier: {doubtful[place]})") if place in doubtful else one
        for place, one in enumerate(talk.statements)
        if place not in talk.outdated and not is_hidden(one)
    ]


def _last_replacement(place: int, replaced: Mapping[int, int]) -> int:
    while place in replaced:
        place = replaced[place]
    return place


def _is_same_topic(terms: frozenset[str], other: frozenset[str]) -> bool:
    shared = len(terms & other)
    return bool(shared) and shared >= _LEAST_SHARED * min(len(terms), len(other))


def _remarks_of(turns: Sequence[Turn]) -> Iterator[tuple[float, CurrentStatement]]:
    """Yield the remarks, each with its score: the probability by the model, and up to half more the newer it is."""
    by_session: dict[str | None, list[Turn]] = {}
    for turn in turns:
        if turn.role != "system" and not is_recalled(turn):
            by_session.setdefault(turn.session, []).append(turn)
    first = min((turn.at for turn in turns), default=0)
    lasts = max((turn.at for turn in turns), default=0) - first + 1
    for turns_of_session in by_session.values():
        inputs = [spoken_turn(one) for one in turns_of_session]
        if is_with_agent(inputs):
            model = PassageModel(inputs)
            for place, turn in enumerate(turns_of_session):
                if turn.role in SPEAKING_ROLES and len(turn.content) <= _MOST_CHARACTERS:
                    newness = _NEWNESS * (turn.at - first) / lasts
                    for share, text in _useful_sentences(model, place, inputs[place]):
                        one = CurrentStatement("fact", text, turn.id, turn.at, turn.speaker, turn.role, turn.session)
                        yield share * (1 + newness), one


def _useful_sentences(model: PassageModel, place: int, turn: SpokenTurn) -> Iterator[tuple[float, str]]:
    """Yield the sentences on which later work may depend, each with the probability of its passage.

    A summary would take the passage, and the sentence alone is not much less probable."""
    for sentences in passages_of(turn)[:_PASSAGES_OF_A_TURN]:
        share = model.share(place, sentences)
        if share >= _LEAST_OF_PASSAGE:
            for text in sentences:
                by_itself = len(sentences) == 1 or model.share(place, [text]) >= _LEAST_OF_SENTENCE
                if by_itself and not is_question(text) and len(text) <= SENTENCE_CHARACTERS:
                    yield share, text
