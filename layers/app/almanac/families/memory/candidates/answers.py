"""Find the statements of a turn, with an agent's answer where a statement needs it.

"7 then" is understood only together with its answer, "the queue now keeps 7 days". So in a talk with an agent, a short
statement waits for the answer, and is kept with the sentence of the answer that repeats it. Most short sentences
without an answer are remarks. If the words of a person state nothing ("use that"), an answer that reports a new state
is itself a statement.
"""

import re
from collections.abc import Sequence
from functools import cache

from msgspec import Struct
from msgspec.structs import replace as altered

from almanac.families.memory.candidates.finder import MAX_CHARACTERS, FoundStatement, find_statements
from almanac.families.memory.core.likeness import same_words
from almanac.families.memory.core.memory import MemoryProject, digest_of
from almanac.families.memory.core.records import TURNS, Turn, is_remembered
from almanac.families.memory.statements.recalled_text import is_recalled
from almanac.families.memory.statements.sentences import is_question, sentences_of
from almanac.families.memory.statements.words import words_of

AGENTS = ("assistant", "agent")
_SPEAKING = ("user", *AGENTS)
_TURNS_BEFORE = 3
"""Number of turns before an answer that are searched for a proposal, which the answer may accept."""
_TURNS_APART = 30
"""Most turns, such as the output of tools, between a person's turn and the agent's answer."""
_SENTENCES = 6
"""Number of sentences at the start of an answer in which a repetition or a new state is looked for."""
_MOST_QUOTING_WORDS = 2
"""Most meaningful words of a statement that quotes its answer."""
_MOST_UNCLEAR_WORDS = 4
"""Most meaningful words of a person's turn that is understood only from its answer."""
_QUOTED_CHARACTERS = 160
_STEM = 5
_NEW_STATE = re.compile(
    r"\b(?:is|are) now\b(?! (?:all |fully )?(?:passing|green|fixed|ready|done|working|running|live|up|back|clean|empty"
    r"|complete|available|online|installed|merged|closed|open|in place)\b)"
    r"|\bnow (?:has|have|runs?|uses?|goes|lives|takes|needs|sends|ends|starts|stays|comes|reads|means|keeps|gets)\b",
    re.IGNORECASE,
)
"""Matches an agent's report of a changed setting, but not of the state of its work: "the build is now green"."""


class TurnStatement(Struct, frozen=True):
    """A statement found in a turn. `answer` is the agent's turn that it quotes, if any."""

    turn: Turn
    found: FoundStatement
    answer: Turn | None = None

    @property
    def key(self) -> str:
        return key_of(self.found.digest, self.found.content, self.answer)


def statements_of(project: MemoryProject, turn: Turn) -> list[TurnStatement]:
    """Return the statements of a turn. An agent's turn also has the short statements that it answers."""
    before = cache(lambda: _turns_before(project, turn))
    found_statements = find_statements(turn, lambda: _only_remembered(project, before()))
    statements = [TurnStatement(turn, one) for one in found_statements]
    if turn.role in AGENTS:
        return [*_statements_answered_by(project, turn), *statements]
    if not any(one.is_short for one in found_statements) or not _has_agent(before()):
        return statements
    answer = _next_speech(project, turn)
    answer = answer if answer is not None and answer.role in AGENTS and is_remembered(answer, project.now()) else None
    return [each for one in statements if (each := _with_answer(one, answer)) is not None]


def key_of(statement: str, content: str, answer: Turn | str | None) -> str:
    """Return the key that identifies a statement, so it is proposed only once.

    The key is the digest of the statement. With an answer, it is a digest that covers the quoted words as well."""
    return statement if answer is None else digest_of(statement, same_words(content))


def previous_speech(project: MemoryProject, turn: Turn) -> Turn | None:
    """Return the last turn of a person or an agent before a turn in its session, forgotten or not."""
    if turn.session is None or turn.position is None:
        return None
    rows = project.rows(TURNS)
    earlier = rows.every(
        turn.session,
        since=max(0, turn.position - _TURNS_APART),
        until=turn.position,
        index="gsi2",
        reverse=True,
        page=_TURNS_BEFORE,
    )
    return next((one for one in earlier if one.role in _SPEAKING), None)


def _next_speech(project: MemoryProject, turn: Turn) -> Turn | None:
    if turn.session is None or turn.position is None:
        return None
    first = turn.position + 1
    later = project.rows(TURNS).every(
        turn.session, since=first, until=first + _TURNS_APART, index="gsi2", page=_TURNS_BEFORE
    )
    return next((one for one in later if one.role in _SPEAKING), None)


def _turns_before(project: MemoryProject, turn: Turn) -> Sequence[Turn]:
    """Return the turns right before a turn in its session, latest first, including forgotten ones."""
    if turn.session is None or turn.position is None:
        return ()
    until = turn.position
    return project.rows(TURNS).query(turn.session, until=until, index="gsi2", reverse=True, limit=_TURNS_BEFORE).records


def _only_remembered(project: MemoryProject, turns: Sequence[Turn]) -> Sequence[Turn]:
    return [one for one in turns if is_remembered(one, project.now())]


def _has_agent(turns: Sequence[Turn]) -> bool:
    return any(one.role in AGENTS for one in turns)


def _statements_answered_by(project: MemoryProject, answer: Turn) -> list[TurnStatement]:
    """Return the short statements right before an answer. If there are none, return the new state that it reports."""
    person_turn = previous_speech(project, answer)
    if person_turn is None or person_turn.role != "user" or not is_remembered(person_turn, project.now()):
        return []
    before = cache(lambda: _turns_before(project, person_turn))
    found_statements = find_statements(person_turn, lambda: _only_remembered(project, before()))
    short = [TurnStatement(person_turn, one) for one in found_statements if one.is_short]
    if short and _has_agent(before()):
        return [each for one in short if (each := _with_answer(one, answer)) is not None]
    says_little = len(words_of(person_turn.content)) <= _MOST_UNCLEAR_WORDS and not is_question(person_turn.content)
    return _new_state(answer) if says_little and not found_statements else []


def _with_answer(statement: TurnStatement, answer: Turn | None) -> TurnStatement | None:
    """Return a statement together with its answer; None if it is short and no agent has answered it."""
    found_statement = statement.found
    if not found_statement.is_short:
        return statement
    if answer is None:
        return None
    sentence = (
        _repeating_sentence(found_statement.content, answer)
        if len(words_of(found_statement.content)) <= _MOST_QUOTING_WORDS
        else None
    )
    if sentence is None:
        return statement
    return TurnStatement(
        statement.turn, altered(found_statement, content=f"{found_statement.content} ({sentence})"), answer
    )


def _repeating_sentence(content: str, answer: Turn) -> str | None:
    """Return the first sentence of an answer that repeats a word of a statement and adds others, or None."""
    if is_recalled(answer):
        return None
    own = _stems(content)
    for one in sentences_of(answer.content)[:_SENTENCES]:
        stems = _stems(one)
        if own & stems and stems - own and len(one) <= _QUOTED_CHARACTERS and not is_question(one):
            return one.rstrip(" .")
    return None


def _stems(text: str) -> set[str]:
    return {one[:_STEM] for one in words_of(text)}


def _new_state(answer: Turn) -> list[TurnStatement]:
    """Return the first sentence of an answer that reports a changed setting, as a list of at most one statement."""
    if is_recalled(answer):
        return []
    for one in sentences_of(answer.content)[:_SENTENCES]:
        if _NEW_STATE.search(one) and not is_question(one) and len(one) <= MAX_CHARACTERS:
            return [TurnStatement(answer, FoundStatement("decision", one, digest_of("decision", same_words(one))))]
    return []
