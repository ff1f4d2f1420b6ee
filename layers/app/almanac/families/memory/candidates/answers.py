"""Find the statements of a turn, with an agent's answer where a statement needs it.

"7 then" is understood only together with its answer, "the queue now keeps 7 days". So in a talk with an agent, a short
statement waits for the answer, and is kept with the sentence of the answer that repeats it. Most short sentences
without an answer are remarks. What else is not sure waits for a reply by anybody, by which the model of passages judges
it, unless the model finds it worth keeping without one. A remark, which says in passing what holds, needs an agent's
reply. If the words of a person state nothing ("use that"), an answer that reports a new state is itself a statement.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache

from msgspec import Struct
from msgspec.structs import replace as altered

from almanac.families.memory.candidates.finder import (
    LEAST_WORTH_OF_SURE,
    MAX_CHARACTERS,
    FoundStatement,
    find_statements,
    names_subject,
)
from almanac.families.memory.core.likeness import same_words
from almanac.families.memory.core.memory import MemoryProject, digest_of
from almanac.families.memory.core.records import AGENT_ROLES, SPEAKING_ROLES, TURNS, Turn, is_remembered
from almanac.families.memory.statements.passages import PassageModel, is_with_agent, spoken_turn
from almanac.families.memory.statements.recalled_text import is_recalled
from almanac.families.memory.statements.sentences import is_question, sentences_of
from almanac.families.memory.statements.words import words_of

_TURNS_BEFORE = 8
"""Number of turns before an answer that are searched for a proposal, and that show what a statement adds."""
_PAGE = 3
"""Number of turns that are read at once when the next or the last words of anybody are looked for."""
_TURNS_APART = 30
"""Most turns, such as the output of tools, between a person's turn and the agent's answer."""
_SENTENCES = 6
"""Number of sentences at the start of an answer in which a repetition or a new state is looked for."""
_MOST_QUOTING_WORDS = 2
"""Most meaningful words of a statement that quotes its answer."""
_MOST_UNCLEAR_WORDS = 4
"""Most meaningful words of a person's turn that is understood only from its answer."""
_QUOTED_CHARACTERS = 160
_LEAST_REPEATED = 0.6
"""Share of the words of a statement from which a reply with them repeats it."""
_LEAST_WORTH_ALONE = 0.75
"""Least worth, from 0 to 1, of a statement without regard to a reply, so that it needs none."""
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
    """Return the statements of a turn, and those of the turn before that waited for it."""
    if turn.role not in SPEAKING_ROLES:
        return []
    before = _turns_before(project, turn)
    found_statements = find_statements(turn, lambda: _only_remembered(project, before))
    waited = _statements_before(project, turn, before)
    if turn.role != "user":
        new = (one for one in found_statements if not any(_repeats(one, each.found) for each in waited))
        return [*waited, *(TurnStatement(turn, one) for one in new)]
    if not _has_agent(before):
        return [*waited, *(TurnStatement(turn, one) for one in found_statements)]
    return [*waited, *_judged(project, turn, before, found_statements, cache(lambda: _next_speech(project, turn)))]


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
        page=_PAGE,
    )
    return next((one for one in earlier if one.role in SPEAKING_ROLES), None)


def reply_text(project: MemoryProject, turn: Turn) -> str:
    """Return the text of an agent's reply to a person's turn; "" if there is none."""
    reply = _next_speech(project, turn) if turn.role == "user" else None
    if reply is None or reply.role not in AGENT_ROLES or is_recalled(reply) or not is_remembered(reply, project.now()):
        return ""
    return reply.content


def _next_speech(project: MemoryProject, turn: Turn) -> Turn | None:
    if turn.session is None or turn.position is None:
        return None
    first = turn.position + 1
    later = project.rows(TURNS).every(turn.session, since=first, until=first + _TURNS_APART, index="gsi2", page=_PAGE)
    return next((one for one in later if one.role in SPEAKING_ROLES), None)


def _turns_before(project: MemoryProject, turn: Turn) -> Sequence[Turn]:
    """Return the turns right before a turn in its session, latest first, including forgotten ones."""
    if turn.session is None or turn.position is None:
        return ()
    until = turn.position
    return project.rows(TURNS).query(turn.session, until=until, index="gsi2", reverse=True, limit=_TURNS_BEFORE).records


def _only_remembered(project: MemoryProject, turns: Sequence[Turn]) -> Sequence[Turn]:
    return [one for one in turns if is_remembered(one, project.now())]


def _has_agent(turns: Sequence[Turn]) -> bool:
    return any(one.role in AGENT_ROLES for one in turns)


def _statements_before(project: MemoryProject, reply: Turn, before_reply: Sequence[Turn]) -> list[TurnStatement]:
    """Return the statements of the person's turn before a reply, judged by the reply in a talk with an agent.

    If there are none, return the new state that an agent's reply reports. `before_reply` are the turns before it."""
    near = (one for one in before_reply if one.role in SPEAKING_ROLES)
    person_turn = next(near, None) or previous_speech(project, reply)
    if person_turn is None or person_turn.role != "user" or not is_remembered(person_turn, project.now()):
        return []
    before = _turns_before(project, person_turn)
    if reply.role == "user" and not _has_agent(before):
        return []
    found_statements = find_statements(person_turn, lambda: _only_remembered(project, before))
    if _has_agent(before):
        statements = _judged(project, person_turn, before, found_statements, lambda: reply)
    else:
        statements = [TurnStatement(person_turn, one) for one in found_statements]
    if reply.role in AGENT_ROLES and not found_statements and not statements and _says_little(person_turn):
        return _new_state(reply)
    return statements


def _says_little(turn: Turn) -> bool:
    """Return whether a person's turn is understood only from its answer."""
    return len(words_of(turn.content)) <= _MOST_UNCLEAR_WORDS and not is_question(turn.content)


def _overlap(one: FoundStatement, other: FoundStatement) -> bool:
    return one.content in other.content or other.content in one.content


def _repeats(statement: FoundStatement, other: FoundStatement) -> bool:
    """Return whether a statement says another one in other words, and little more."""
    own, said = _stems(statement.content), _stems(other.content)
    return len(own & said) > _LEAST_REPEATED * len(said) and len(own - said) <= len(said)


def _judged(
    project: MemoryProject,
    turn: Turn,
    before: Sequence[Turn],
    found_statements: Sequence[FoundStatement],
    reply_to_it: Callable[[], Turn | None],
) -> list[TurnStatement]:
    """Return those statements of a person's turn in a talk with an agent that are worth keeping, judged by its reply.

    Those that are worth keeping whatever the reply says need none; sure ones need little worth. Short ones and remarks
    need an agent's."""
    reply = reply_to_it()
    reply = reply if reply is not None and is_remembered(reply, project.now()) else None
    answer = reply if reply is not None and reply.role in AGENT_ROLES else None
    remarks: Sequence[FoundStatement] = ()
    if answer is not None and (found_statements or not (_says_little(turn) and _new_state(answer))):
        remarks = find_statements(turn, lambda: _only_remembered(project, before), remarks=True)
    worth, worth_alone = _worths(before, turn, reply), _worths(before, turn, None)

    def is_worth_keeping(one: FoundStatement) -> bool:
        if reply is not None and worth(one.content, 1.0) >= one.least_worth:
            return True
        least_alone = one.least_worth if one.least_worth <= LEAST_WORTH_OF_SURE else _LEAST_WORTH_ALONE
        return not one.is_short and worth_alone(one.content, 1.0) >= least_alone

    kept = [one for one in found_statements if is_worth_keeping(one)]
    for one in remarks:
        if worth(one.content, 0.0) >= one.least_worth and not any(_overlap(one, each) for each in kept):
            kept.append(one)
    statements = (_with_answer(TurnStatement(turn, one), answer) for one in kept)
    return [one for one in statements if one is not None]


def _worths(before: Sequence[Turn], turn: Turn, reply: Turn | None) -> Callable[[str, float], float]:
    """Return the function that gives the probability that later work depends on a statement of a turn.

    Of talk in other languages than English the model knows nothing, so the function returns its second argument."""

    @cache
    def model() -> PassageModel | None:
        turns = (*reversed(before), turn, *([reply] if reply else []))
        inputs = [altered(spoken_turn(one), position=None) for one in turns]
        return PassageModel(inputs) if is_with_agent(inputs) else None

    def worth_of(content: str, if_unknown: float) -> float:
        own = [one for one in sentences_of(turn.content) if one in content]
        sentences = own if own and content in turn.content else [content]
        return passages.share(len(before), sentences) if (passages := model()) else if_unknown

    return worth_of


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
        return statement if names_subject(found_statement.content) else None
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
