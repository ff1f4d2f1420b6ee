"""Rank the lines of a talk for a snapshot: the statements that still hold, and remarks.

Remarks are sentences of a talk with an agent on which later work may depend, but which are no clear statements, such
as orders that an agent accepted or repeated, and its findings. In such a talk the model of passages judges statements
and remarks alike; in other talk the kind of a statement counts, and there are no remarks.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice

from msgspec.structs import replace as altered

from almanac.families.memory.candidates.corrections import corrects, is_in_doubt, is_same_topic
from almanac.families.memory.candidates.current_statements import (
    SENTENCE_CHARACTERS,
    CurrentStatement,
    Talk,
    is_worth_showing,
    talk_of,
)
from almanac.families.memory.candidates.overtaken import LaterTurns
from almanac.families.memory.candidates.topics import topic_terms
from almanac.families.memory.core.records import SPEAKING_ROLES, Turn
from almanac.families.memory.sessions.summary_sentences import passages_of
from almanac.families.memory.statements.passages import PassageModel, SpokenTurn, is_with_agent, spoken_turn
from almanac.families.memory.statements.recalled_text import is_recalled
from almanac.families.memory.statements.sentences import is_question, sentences_of
from almanac.families.memory.statements.weights import StatementKind
from almanac.families.memory.statements.words import restates, words_of

_PASSAGES_OF_A_TURN = 12
_MOST_CHARACTERS = 8000
_LEAST_SHARED = 0.5
_NEWNESS = 0.5
"""The newest statement is worth this much more than the oldest one, as a share."""
_LEAST_OF_PASSAGE = 0.15
"""Least probability by the model at which a passage is shown. The surest come first, so others only fill spare room."""
_LEAST_OF_SENTENCE = 0.1
"""The same for a single sentence of such a passage."""
_MOST_COMPARED = 600
"""Most lines that are compared with each other, the best ones. The time of comparing grows with their square."""
_OF_OVERTAKEN = 3
"""Power of the probability that a line still holds, because the model is too sure that lines hold."""
_OF_REMARKS = 0.6
"""Factor for remarks, because nothing but the model says that they matter."""
_WORTHS: dict[StatementKind, float] = {"fact": 0.3, "done": 0.25, "cause": 0.25}
"""Worth of a statement whose passage the model has not judged, if it is less than `_CLEAR`."""
_CLEAR = 0.6

_Passage = tuple[float, tuple[str, ...]]
"""The share of a passage by the model, and the sentences of the passage."""


def ranked_statements(turns: Sequence[Turn], is_hidden: Callable[[CurrentStatement], bool]) -> list[CurrentStatement]:
    """Return the statements of `turns` that still hold, and the remarks, without hidden ones, the most useful first.

    `turns` are in the order of time."""
    talk, shares = talk_of(turns), PassageShares(turns)
    rated = [(shares.worth_of(one), one) for one in current_statements_in(talk, is_hidden) if is_worth_showing(one)]
    rated += [(_OF_REMARKS * worth, one) for worth, one in _rated_remarks(turns, talk, shares) if not is_hidden(one)]
    by_worth = sorted(rated, key=lambda each: -each[0])
    compared, others = by_worth[:_MOST_COMPARED], by_worth[_MOST_COMPARED:]
    later = LaterTurns(turns, talk.statements)
    worths = [worth * (1 - later.share_of(one.text, one.turn)) ** _OF_OVERTAKEN for worth, one in compared]
    ranked = [one for _, (_, one) in sorted(zip(worths, compared, strict=True), key=lambda each: -each[0])]
    ranked += [one for _, one in others]
    return list(_without_echoes(ranked, turns))


def _without_echoes(lines: Sequence[CurrentStatement], turns: Sequence[Turn]) -> Iterator[CurrentStatement]:
    """Yield the lines in order, without those that restate a better line of the turn right before or after them."""
    neighbours: dict[str, list[str]] = {}
    last: dict[str | None, str] = {}
    for turn in turns:
        if turn.role in SPEAKING_ROLES:
            if (before := last.get(turn.session)) is not None:
                neighbours.setdefault(turn.id, []).append(before)
                neighbours.setdefault(before, []).append(turn.id)
            last[turn.session] = turn.id
    told: dict[str, list[Mapping[str, float]]] = {}
    for one in lines:
        words = words_of(one.text)
        near = (other for neighbour in neighbours.get(one.turn, ()) for other in told.get(neighbour, ()))
        if not any(restates(words, other) for other in near):
            told.setdefault(one.turn, []).append(words)
            yield one


def remarks_in(turns: Sequence[Turn], talk: Talk) -> list[CurrentStatement]:
    """Return the remarks in `turns`, most certain first.

    `turns` are in the order of time, and `talk` has their statements. Sentences that are statements are left out, as
    are sentences that a later statement or remark corrects."""
    return [one for _, one in _rated_remarks(turns, talk, PassageShares(turns))]


def _rated_remarks(turns: Sequence[Turn], talk: Talk, shares: "PassageShares") -> list[tuple[float, CurrentStatement]]:
    statement_texts = {text for one in talk.statements for text in (one.text, *sentences_of(one.text))}
    corrected = [
        (talk.statements[talk.replaced.get(place, place)].at, topic_terms(talk.statements[place].text))
        for place in talk.outdated
    ]
    corrections = [(one.at, topic_terms(one.text)) for one in talk.statements if corrects(one.text)]
    remarks = list[tuple[float, CurrentStatement]]()
    for turn in sorted(turns, key=lambda each: -each.at):
        for worth, one in shares.remarks_of(turn):
            terms = topic_terms(one.text)
            if one.text in statement_texts or any(
                one.at <= at and is_same_topic(terms, other, _LEAST_SHARED) for at, other in corrected
            ):
                continue
            if not any(at > one.at and is_same_topic(terms, other, _LEAST_SHARED) for at, other in corrections):
                remarks.append((worth, one))
            if corrects(one.text):
                corrections.append((one.at, terms))
    return sorted(remarks, key=lambda each: -each[0])


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


class PassageShares:
    """The probabilities, by the model, that later work depends on the passages of turns in talk with an agent."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        self._first = min((turn.at for turn in turns), default=0)
        self._lasts = max((turn.at for turn in turns), default=0) - self._first + 1
        self._places: dict[str, tuple[PassageModel, int, SpokenTurn]] = {}
        self._judged: dict[str, list[_Passage]] = {}
        by_session: dict[str | None, list[Turn]] = {}
        for turn in turns:
            if turn.role != "system" and not is_recalled(turn):
                by_session.setdefault(turn.session, []).append(turn)
        for turns_of_session in by_session.values():
            inputs = [spoken_turn(one) for one in turns_of_session]
            if not is_with_agent(inputs):
                continue
            model = PassageModel(inputs)
            for place, turn in enumerate(turns_of_session):
                if turn.role in SPEAKING_ROLES and len(turn.content) <= _MOST_CHARACTERS:
                    self._places[turn.id] = model, place, inputs[place]

    def share_of(self, turn_id: str) -> float | None:
        """Return the greatest share of the passages of a turn; None if the model judges no such turn."""
        if turn_id not in self._places:
            return None
        return max((share for share, _ in self._passages_of(turn_id)), default=0.0)

    def worth_of(self, statement: CurrentStatement) -> float:
        """Return the share of the passage that has the statement, or a worth by its kind; up to half more if new."""
        shares = [
            share
            for share, sentences in self._passages_of(statement.turn)
            if any(one in statement.text or statement.text in one for one in sentences)
        ]
        worth = max(shares, default=min(_CLEAR, _WORTHS.get(statement.kind, _CLEAR)))
        return worth * self._newness(statement.at)

    def remarks_of(self, turn: Turn) -> Iterator[tuple[float, CurrentStatement]]:
        """Yield the sentences on which later work may depend, each with the worth of its passage.

        The passage is probable enough, and the sentence alone is not much less probable."""
        for share, sentences in self._passages_of(turn.id):
            if share < _LEAST_OF_PASSAGE:
                continue
            model, place, _ = self._places[turn.id]
            for text in sentences:
                by_itself = len(sentences) == 1 or model.share(place, [text]) >= _LEAST_OF_SENTENCE
                if by_itself and not is_question(text) and len(text) <= SENTENCE_CHARACTERS:
                    one = CurrentStatement("fact", text, turn.id, turn.at, turn.speaker, turn.role, turn.session)
                    yield share * self._newness(turn.at), one

    def _passages_of(self, turn_id: str) -> list[_Passage]:
        if turn_id not in self._places:
            return []
        if turn_id not in self._judged:
            model, place, spoken = self._places[turn_id]
            passages = islice(passages_of(spoken), _PASSAGES_OF_A_TURN)
            self._judged[turn_id] = [(model.share(place, sentences), sentences) for sentences in passages]
        return self._judged[turn_id]

    def _newness(self, at: int) -> float:
        return 1 + _NEWNESS * (at - self._first) / self._lasts
