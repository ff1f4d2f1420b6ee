"""Store an agent's own account of a session, its summary and decisions, as far as the turns support it.

Every sentence must share at least half of its words with turns of the session, and every number and name in it must
occur in them. Turns that last say "Postgres, not MySQL" do not support "we use MySQL". Sentences that fail are returned
instead of stored, so the agent can cite other turns or words.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from almanac.content import clean, judge
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import SESSIONS, TURNS, Turn, is_remembered
from almanac.families.memory.memories.new_memory import new_memory
from almanac.families.memory.memories.write_plan import write_memory
from almanac.families.memory.sessions.windows import turns_between
from almanac.families.memory.statements.sentences import sentences_of
from almanac.families.memory.statements.words import words_of

_TURNS_READ = 200
"""Number of latest turns that a summary is checked against."""
_MOST_SOURCES = 10
_LEAST_SHARED = 0.5
_STEM = 5
_EXACT = re.compile(r"(?<!^)(?<![.!?] )\b[A-Z][\w.-]*\w|\w*\d[\w.:-]*|[\w.-]+[/_@][\w./@-]+")
_WORD = r"\s+(?:(?:on|at|in|by|for|with|to|use|uses|using|the|a|an|any)\s+){0,2}[\"'`*]*(\w(?:[\w.:/-]*\w)?)"
_RULED_OUT = re.compile(
    rf"(?:\b(?:not|no|never|nor|instead of|rather than|nicht|kein|keine[mnrs]?|statt|pas|ni)|n't){_WORD}", re.IGNORECASE
)
"""Matches a word right behind words that rule it out if it is a name or a number, such as "not on"."""
_CONTRASTED = re.compile(
    rf"(?:[,;:(\u2013-]\s?(?:and |but )?not|\binstead of|\brather than|,\s?nicht|\bstatt|,\s?pas){_WORD}", re.IGNORECASE
)
"""Matches any word that is ruled out. In "no purchase without a signature" purchases are not."""
_DENIES = re.compile(
    r"\b(?:not|no|never|nor|none|cannot|without|instead|rather|unlike|nicht|kein\w*|statt|pas|jamais)\b|n't\b",
    re.IGNORECASE,
)
WRITTEN_BY = "written_by"


class Decision(Struct, frozen=True):
    """A decision in the words of an agent, and the ids of the turns that it cites."""

    text: str
    turns: tuple[str, ...]


class LeftOut(Struct, frozen=True):
    """A sentence that was not stored, and the reason (`why`)."""

    text: str
    why: str


class Account(Struct, frozen=True):
    """The ids of the stored memories (`kept`), and the sentences that were not stored (`left_out`)."""

    kept: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


def store_account(
    project: MemoryProject, session_id: str, summary: str | None, decisions: Sequence[Decision]
) -> Account:
    """Store summary and decisions as semantic memories that name the caller as author and the turns as sources."""
    stored_ids: list[str] = []
    left_out: list[LeftOut] = []
    for decision in decisions:
        turns = _cited_turns(project, session_id, decision.turns)
        if why := _objection_to(decision.text, turns):
            left_out.append(LeftOut(decision.text, why))
        else:
            stored_ids.append(_store(project, session_id, decision.text, turns, "decision"))
    if summary is not None:
        turns = _latest_turns(project, session_id)
        sentences = {sentence: _objection_to(sentence, turns) for sentence in sentences_of(summary)}
        left_out += [LeftOut(sentence, why) for sentence, why in sentences.items() if why]
        supported = [sentence for sentence, why in sentences.items() if not why]
        if supported:
            stored_ids.append(
                _store(project, session_id, "\n".join(supported), _best_sources(supported, turns), "summary")
            )
    return Account(tuple(stored_ids), tuple(left_out))


def _cited_turns(project: MemoryProject, session_id: str, ids: Iterable[str]) -> list[Turn]:
    turns: Mapping[str, Turn] = project.rows(TURNS).by_id(dict.fromkeys(ids))
    return [one for one in turns.values() if one.session == session_id and is_remembered(one, project.now())]


def _latest_turns(project: MemoryProject, session_id: str) -> list[Turn]:
    session = project.rows(SESSIONS).get(session_id)
    if session is None:
        return []
    turns = turns_between(project, session_id, max(0, session.turns - _TURNS_READ), session.turns - 1)
    return [one for one in turns if is_remembered(one, project.now())]


def _objection_to(text: str, turns: Sequence[Turn]) -> str:
    """Return why the turns do not support a text; "" if they do."""
    if not turns:
        return "No turn of this session that is remembered is cited: use the ids that record_turn returned."
    in_order = sorted(turns, key=lambda one: (one.at, one.position or 0))
    spoken_text = "\n".join(f"{one.speaker or ''} {one.content}" for one in in_order)
    missing = [one for one in dict.fromkeys(_EXACT.findall(text)) if one.casefold() not in spoken_text.casefold()]
    if missing:
        return f"The turns do not mention {', '.join(missing[:3])}."
    if ruled_out := _ruled_out(text, spoken_text):
        return f"The turns rule out {', '.join(ruled_out[:3])}."
    terms, turn_terms = _terms(text), _terms(spoken_text)
    if not terms or len(terms & turn_terms) < _LEAST_SHARED * len(terms):
        return "The turns have less than half of its words. Say it in their words."
    return "It reads like an instruction to a model." if judge(text).findings else ""


def _ruled_out(text: str, spoken_text: str) -> list[str]:
    """Return the words of a text without a negation that the turns, where they last name them, rule out."""
    if _DENIES.search(text):
        return []
    names = {word.casefold() for word in _EXACT.findall(text)}
    last_ends = {
        **{word: end for word, end in _last_ends(_RULED_OUT, spoken_text).items() if word in names},
        **{word: end for word, end in _last_ends(_CONTRASTED, spoken_text).items() if word in words_of(text)},
    }
    return [
        word
        for word, end in last_ends.items()
        if not re.search(rf"\b{re.escape(word)}\b", spoken_text[end:], re.IGNORECASE)
    ]


def _last_ends(form: re.Pattern[str], spoken_text: str) -> dict[str, int]:
    """Return where the last match of the form ends for each word that it captures."""
    return {match[1].casefold(): match.end() for match in form.finditer(spoken_text)}


def _best_sources(sentences: Sequence[str], turns: Sequence[Turn]) -> list[Turn]:
    """Return the turns that share most words with one of the sentences, at most ten."""
    terms = {one.id: _terms(one.content) for one in turns}
    best = {max(turns, key=lambda one: len(terms[one.id] & _terms(text))).id for text in sentences}
    return [one for one in turns if one.id in best][:_MOST_SOURCES]


def _store(project: MemoryProject, session_id: str, text: str, turns: Sequence[Turn], account_kind: str) -> str:
    content = clean(text).text.strip()
    metadata = {WRITTEN_BY: project.actor, "session_id": session_id, "account": account_kind}
    sources = [one.id for one in turns[:_MOST_SOURCES]]
    return write_memory(
        project, new_memory("semantic", content, tags=[account_kind], metadata=metadata, derived_from=sources)
    ).memory.id


def _terms(text: str) -> frozenset[str]:
    return frozenset(word[:_STEM] for word in words_of(text))
