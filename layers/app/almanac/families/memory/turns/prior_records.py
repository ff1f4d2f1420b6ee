"""Read the stored records that decide how turns are recorded: the actor's recent turns, replays and sessions."""

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
from almanac.families.memory.turns.replays import make_sent_turn, repeatable_turns, shorten_digest
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
    """Read the prior records in two reads, or in three if an earlier version of Almanac wrote a session last."""
    recent = _RecordKeys(project, RECENT_TURNS, ((project.actor, NO_SESSION) for one in turns if one.session is None))
    client_ids = (one.client_turn_id for one in turns if one.client_turn_id)
    replays = _RecordKeys(project, REPLAYS, ((project.actor, client_turn_id) for client_turn_id in client_ids))
    sessions = _RecordKeys(project, SESSIONS, ((one.session,) for one in turns if one.session))
    items = _read_items(project, [*recent.keys, *replays.keys, *sessions.keys])
    recent_turns = {one.session: one for one in recent.records(items)}
    replayed = {one.client_turn_id: one for one in replays.records(items)}
    known_sessions = _with_recent(project, sessions.records(items))
    digests = {shorten_digest(one.digest) for one in turns}
    sent = [one for session in known_sessions for one in repeatable_turns(session, project.actor, project.now())]
    sent += [make_sent_turn(one.digest, one.turn) for some in recent_turns.values() for one in some.turns]
    same = [one for one in sent if one.digest in digests]
    ids = _RecordKeys(project, TURNS, ((one.turn,) for one in [*same, *replayed.values()]))
    return PriorRecords(
        recent=recent_turns,
        replays=replayed,
        sessions={one.id: one for one in known_sessions},
        turns={one.id: one for one in ids.records(_read_items(project, ids.keys))},
    )


def _with_recent(project: MemoryProject, sessions: Sequence[Session]) -> list[Session]:
    """Add the recent turns to sessions of an earlier version, which stored them separately."""
    old = [one.id for one in sessions if one.recent is None]
    separate_keys = _RecordKeys(project, RECENT_TURNS, ((project.actor, f"session/{one}") for one in old))
    separate: dict[str, RecentTurns] = {
        one.session: one for one in separate_keys.records(_read_items(project, separate_keys.keys))
    }

    def add_recent(session: Session) -> Session:
        before = separate.get(f"session/{session.id}") if session.recent is None else None
        if before is None:
            return session
        turns = tuple(make_sent_turn(one.digest, one.turn) for one in before.turns)
        return msgspec.structs.replace(session, recent={project.actor: turns})

    return list(map(add_recent, sessions))


class _RecordKeys:
    """The keys of records in one table."""

    def __init__(self, project: MemoryProject, table: Table[Any], keys: Iterable[tuple[str, ...]]) -> None:
        self._table = table
        rows = project.rows(table)
        self.keys: list[Key] = [rows.key(*key) for key in dict.fromkeys(keys)]

    def records(self, items: dict[Key, Item]) -> list[Any]:
        return [self._table.read(items[key]) for key in self.keys if key in items]


def _read_items(project: MemoryProject, keys: Sequence[Key]) -> dict[Key, Item]:
    items: dict[Key, Item] = {}
    for start in range(0, len(keys), MAX_KEYS):
        some = keys[start : start + MAX_KEYS]
        items |= {key: item for key, item in zip(some, project.store.get_many(some), strict=True) if item}
    return items
