"""Stored records that decide how turns are recorded: the actor's recent turns, replays and sessions."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import (
    RECENT_TURNS,
    REPLAYS,
    SESSIONS,
    TURNS,
    RecentTurns,
    Session,
    Turn,
    TurnReplay,
)
from almanac.families.memory.turns.replays import brief, repeatable_turns, sent_turn
from almanac.families.memory.turns.turn_input import ValidatedTurn
from almanac.platform.store.keys import Key
from almanac.platform.store.port import MAX_KEYS, Item
from almanac.platform.store.records import Table


class PriorRecords(Struct, frozen=True):
    """Records read before a write. `recent` is keyed by stream, for turns without a session, `replays` by
    client_turn_id, `sessions` and `turns` by id."""

    recent: dict[str, RecentTurns]
    replays: dict[str, TurnReplay]
    sessions: dict[str, Session]
    turns: dict[str, Turn]


NO_SESSION = "none"
"""Stream of an actor's turns without a session."""


def read_prior_records(project: MemoryProject, turns: Sequence[ValidatedTurn]) -> PriorRecords:
    """Read the prior records in two reads, or three if an earlier version wrote a session last."""
    recent = _RecordKeys(project, RECENT_TURNS, ((project.actor, NO_SESSION) for one in turns if one.session is None))
    named = (one.client_turn_id for one in turns if one.client_turn_id)
    replays = _RecordKeys(project, REPLAYS, ((project.actor, client_turn_id) for client_turn_id in named))
    sessions = _RecordKeys(project, SESSIONS, ((one.session,) for one in turns if one.session))
    items = _read(project, [*recent.keys, *replays.keys, *sessions.keys])
    lately = {one.session: one for one in recent.records(items)}
    replayed = {one.client_turn_id: one for one in replays.records(items)}
    known_sessions = _with_recent(project, sessions.records(items))
    digests = {brief(one.digest) for one in turns}
    sent = [one for session in known_sessions for one in repeatable_turns(session, project.actor, project.now())]
    sent += [sent_turn(one.digest, one.turn) for some in lately.values() for one in some.turns]
    same = [one for one in sent if one.digest in digests]
    ids = _RecordKeys(project, TURNS, ((one.turn,) for one in [*same, *replayed.values()]))
    return PriorRecords(
        recent=lately,
        replays=replayed,
        sessions={one.id: one for one in known_sessions},
        turns={one.id: one for one in ids.records(_read(project, ids.keys))},
    )


def _with_recent(project: MemoryProject, sessions: Sequence[Session]) -> list[Session]:
    """Add the recent turns to sessions of an earlier version, which stored them separately."""
    old = [one.id for one in sessions if one.recent is None]
    kept = _RecordKeys(project, RECENT_TURNS, ((project.actor, f"session/{one}") for one in old))
    apart: dict[str, RecentTurns] = {one.session: one for one in kept.records(_read(project, kept.keys))}

    def add_recent(session: Session) -> Session:
        before = apart.get(f"session/{session.id}") if session.recent is None else None
        if before is None:
            return session
        turns = tuple(sent_turn(one.digest, one.turn) for one in before.turns)
        return msgspec.structs.replace(session, recent={project.actor: turns})

    return list(map(add_recent, sessions))


class _RecordKeys:
    """Records of one table, by their keys."""

    def __init__(self, project: MemoryProject, table: Table[Any], keys: Iterable[tuple[str, ...]]) -> None:
        self._table = table
        rows = project.rows(table)
        self.keys: list[Key] = [rows.key(*key) for key in dict.fromkeys(keys)]

    def records(self, items: dict[Key, Item]) -> list[Any]:
        return [self._table.read(items[key]) for key in self.keys if key in items]


def _read(project: MemoryProject, keys: Sequence[Key]) -> dict[Key, Item]:
    found: dict[Key, Item] = {}
    for start in range(0, len(keys), MAX_KEYS):
        some = keys[start : start + MAX_KEYS]
        found |= {key: item for key, item in zip(some, project.store.get_many(some), strict=True) if item}
    return found
