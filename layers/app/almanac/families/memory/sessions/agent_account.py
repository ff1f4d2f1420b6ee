"""Store an agent's own account of a session: its summary and decisions, as far as the turns bear them out.

Every sentence must share at least half of its words with turns of the session, and every number and name in it must
occur in them. Sentences that fail are left out and returned, so that the agent can cite better.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from almanac.content import clean, judge
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import SESSIONS, TURNS, Turn, is_remembered
from almanac.families.memory.memories.new_memory import new_memory
from almanac.families.memory.memories.write_plan import make
from almanac.families.memory.sessions.windows import turns_between
from almanac.families.memory.statements.sentences import sentences_of
from almanac.families.memory.statements.words import words_of

_READ = 200
"""Number of latest turns that a summary is checked against."""
_SOURCES = 10
_LEAST_SHARED = 0.5
_STEM = 5
_EXACT = re.compile(r"(?<!^)(?<![.!?] )\b[A-Z][\w.-]*\w|\w*\d[\w.:-]*|[\w.-]+[/_@][\w./@-]+")
WRITTEN_BY = "written_by"


class Decision(Struct, frozen=True):
    """A decision, and the ids of the turns that made it."""

    text: str
    turns: tuple[str, ...]


class LeftOut(Struct, frozen=True):
    """A sentence that was not stored, and the reason."""

    text: str
    why: str


class Account(Struct, frozen=True):
    """The ids of the stored memories, and the sentences that were left out."""

    kept: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


def keep_account(
    project: MemoryProject, session_id: str, summary: str | None, decisions: Sequence[Decision]
) -> Account:
    """Store summary and decisions as semantic memories, marked as written by the caller and derived from the turns."""
    kept: list[str] = []
    left_out: list[LeftOut] = []
    for one in decisions:
        turns = _cited(project, session_id, one.turns)
        if why := _unfounded(one.text, turns):
            left_out.append(LeftOut(one.text, why))
        else:
            kept.append(_keep(project, session_id, one.text, turns, "decision"))
    if summary is not None:
        turns = _latest(project, session_id)
        sentences = {sentence: _unfounded(sentence, turns) for sentence in sentences_of(summary)}
        left_out += [LeftOut(sentence, why) for sentence, why in sentences.items() if why]
        founded = [sentence for sentence, why in sentences.items() if not why]
        if founded:
            kept.append(_keep(project, session_id, "\n".join(founded), _sources(founded, turns), "summary"))
    return Account(tuple(kept), tuple(left_out))


def _cited(project: MemoryProject, session_id: str, ids: Iterable[str]) -> list[Turn]:
    found: Mapping[str, Turn] = project.rows(TURNS).by_id(dict.fromkeys(ids))
    return [one for one in found.values() if one.session == session_id and is_remembered(one, project.now())]


def _latest(project: MemoryProject, session_id: str) -> list[Turn]:
    session = project.rows(SESSIONS).get(session_id)
    if session is None:
        return []
    turns = turns_between(project, session_id, max(0, session.turns - _READ), session.turns - 1)
    return [one for one in turns if is_remembered(one, project.now())]


def _unfounded(text: str, turns: Sequence[Turn]) -> str:
    """Return the reason that the turns do not bear a text out; "" if they do."""
    if not turns:
        return "No turn of this session that is remembered is cited: use the ids that record_turn returned."
    said = "\n".join(f"{one.speaker or ''} {one.content}" for one in turns)
    lacking = [one for one in dict.fromkeys(_EXACT.findall(text)) if one.casefold() not in said.casefold()]
    if lacking:
        return f"The turns do not mention {', '.join(lacking[:3])}."
    terms, there = _terms(text), _terms(said)
    if not terms or len(terms & there) < _LEAST_SHARED * len(terms):
        return "Less than half of its words stand in the turns: say it in their words."
    return "It reads like an instruction to a model." if judge(text).findings else ""


def _sources(sentences: Sequence[str], turns: Sequence[Turn]) -> list[Turn]:
    """Return, for each sentence, the turn that has most of its words; at most ten turns."""
    terms = {one.id: _terms(one.content) for one in turns}
    best = {max(turns, key=lambda one: len(terms[one.id] & _terms(text))).id for text in sentences}
    return [one for one in turns if one.id in best][:_SOURCES]


def _keep(project: MemoryProject, session_id: str, text: str, turns: Sequence[Turn], what: str) -> str:
    content = clean(text).text.strip()
    metadata = {WRITTEN_BY: project.actor, "session_id": session_id, "account": what}
    sources = [one.id for one in turns[:_SOURCES]]
    return make(
        project, new_memory("semantic", content, tags=[what], metadata=metadata, derived_from=sources)
    ).memory.id


def _terms(text: str) -> frozenset[str]:
    return frozenset(word[:_STEM] for word in words_of(text))
