"""Find the statements of a turn together with what an agent answers to it.

"7 then" says what was chosen only together with its answer, "the queue now keeps 7 days". So in a talk with an agent a
short statement waits for the answer, and is kept with the sentence of the answer that repeats it. Most short sentences
that nobody answers are remarks. If the words of a person state nothing ("use that"), an answer that tells a new state
is a statement itself.
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
_TALKING = ("user", *AGENTS)
_BEFORE = 3
"""Turns before an answer that are searched for the proposal that it accepts."""
_APART = 30
"""Most turns, with the output of tools among them, between the words of a person and their answer."""
_SENTENCES = 6
"""Sentences at the beginning of an answer that are searched for what it repeats."""
_NAMES_NOTHING = 2
"""Most meaningful words of a statement that is kept with its answer."""
_SAYS_LITTLE = 4
"""Most meaningful words of a turn of a person that only its answer explains."""
_QUOTED_CHARACTERS = 160
_STEM = 5
_NEW_STATE = re.compile(
    r"\b(?:is|are) now\b(?! (?:all |fully )?(?:passing|green|fixed|ready|done|working|running|live|up|back|clean|empty"
    r"|complete|available|online|installed|merged|closed|open|in place)\b)"
    r"|\bnow (?:has|have|runs?|uses?|goes|lives|takes|needs|sends|ends|starts|stays|comes|reads|means|keeps|gets)\b",
    re.IGNORECASE,
)
"""Matches what an agent tells of a setting that it changed, unlike the state of its work: "the build is now green"."""


class Said(Struct, frozen=True):
    """A statement found in a turn. `answer` is the turn of an agent that it quotes."""

    turn: Turn
    found: FoundStatement
    answer: Turn | None = None

    @property
    def key(self) -> str:
        return key_of(self.found.statement, self.found.content, self.answer)


def statements_of(project: MemoryProject, turn: Turn) -> list[Said]:
    """Return the statements of a turn, and for an agent's turn also the short statements that it answers."""
    before = cache(lambda: _turns_before(project, turn))
    found = find_statements(turn, lambda: _remembered(project, before()))
    said = [Said(turn, one) for one in found]
    if turn.role in AGENTS:
        return [*_answered_by(project, turn), *said]
    if not any(one.is_short for one in found) or not _has_agent(before()):
        return said
    answer = _next_words(project, turn)
    answer = answer if answer is not None and answer.role in AGENTS and is_remembered(answer, project.now()) else None
    return [each for one in said if (each := _settled(one, answer)) is not None]


def key_of(statement: str, content: str, answer: Turn | str | None) -> str:
    """Return the key by which a statement is proposed only once, its digest. One that quotes an answer has its own."""
    return statement if answer is None else digest_of(statement, same_words(content))


def words_before(project: MemoryProject, turn: Turn) -> Turn | None:
    """Return the last turn of a person or an agent before a turn in its session, even a forgotten one."""
    if turn.session is None or turn.position is None:
        return None
    rows = project.rows(TURNS)
    earlier = rows.every(
        turn.session,
        since=max(0, turn.position - _APART),
        until=turn.position,
        index="gsi2",
        reverse=True,
        page=_BEFORE,
    )
    return next((one for one in earlier if one.role in _TALKING), None)


def _next_words(project: MemoryProject, turn: Turn) -> Turn | None:
    if turn.session is None or turn.position is None:
        return None
    first = turn.position + 1
    later = project.rows(TURNS).every(turn.session, since=first, until=first + _APART, index="gsi2", page=_BEFORE)
    return next((one for one in later if one.role in _TALKING), None)


def _turns_before(project: MemoryProject, turn: Turn) -> Sequence[Turn]:
    """Return the turns right before a turn in its session, latest first, with forgotten ones."""
    if turn.session is None or turn.position is None:
        return ()
    until = turn.position
    return project.rows(TURNS).query(turn.session, until=until, index="gsi2", reverse=True, limit=_BEFORE).records


def _remembered(project: MemoryProject, turns: Sequence[Turn]) -> Sequence[Turn]:
    return [one for one in turns if is_remembered(one, project.now())]


def _has_agent(turns: Sequence[Turn]) -> bool:
    return any(one.role in AGENTS for one in turns)


def _answered_by(project: MemoryProject, answer: Turn) -> list[Said]:
    """Return the short statements right before an answer, or the new state that the answer tells if there are none."""
    asked = words_before(project, answer)
    if asked is None or asked.role != "user" or not is_remembered(asked, project.now()):
        return []
    before = cache(lambda: _turns_before(project, asked))
    found = find_statements(asked, lambda: _remembered(project, before()))
    short = [Said(asked, one) for one in found if one.is_short]
    if short and _has_agent(before()):
        return [each for one in short if (each := _settled(one, answer)) is not None]
    says_little = len(words_of(asked.content)) <= _SAYS_LITTLE and not is_question(asked.content)
    return _new_state(answer) if says_little and not found else []


def _settled(said: Said, answer: Turn | None) -> Said | None:
    """Return a statement as its answer explains it; None if it is short and an agent does not answer it."""
    one = said.found
    if not one.is_short:
        return said
    if answer is None:
        return None
    repeated = _repeated(one.content, answer) if len(words_of(one.content)) <= _NAMES_NOTHING else None
    if repeated is None:
        return said
    return Said(said.turn, altered(one, content=f"{one.content} ({repeated})"), answer)


def _repeated(content: str, answer: Turn) -> str | None:
    """Return the first sentence of an answer that repeats a word of a statement and says more, None without one."""
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


def _new_state(answer: Turn) -> list[Said]:
    """Return the first sentence of an answer that tells how something is set now."""
    if is_recalled(answer):
        return []
    for one in sentences_of(answer.content)[:_SENTENCES]:
        if _NEW_STATE.search(one) and not is_question(one) and len(one) <= MAX_CHARACTERS:
            return [Said(answer, FoundStatement("decision", one, digest_of("decision", same_words(one))))]
    return []
