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
    recent = _RecordKeys(project, RECENT_TURNS, ((project.actor, NO_SESSION) for turn in turns if turn.session is None))
    client_ids = (turn.client_turn_id for turn in turns if turn.client_turn_id)
    replays = _RecordKeys(project, REPLAYS, ((project.actor, client_turn_id) for client_turn_id in client_ids))
    sessions = _RecordKeys(project, SESSIONS, ((turn.session,) for turn in turns if turn.session))
    items = _read_items(project, [*recent.keys, *replays.keys, *sessions.keys])
    recent_turns = {record.session: record for record in recent.records(items)}
    replayed = {record.client_turn_id: record for record in replays.records(items)}
    known_sessions = _with_recent(project, sessions.records(items))
    digests = {shorten_digest(turn.digest) for turn in turns}
    sent = [turn for session in known_sessions for turn in repeatable_turns(session, project.actor, project.now())]
    sent += [make_sent_turn(turn.digest, turn.turn) for some in recent_turns.values() for turn in some.turns]
    same = [turn for turn in sent if turn.digest in digests]
    ids = _RecordKeys(project, TURNS, ((turn.turn,) for turn in [*same, *replayed.values()]))
    return PriorRecords(
        recent=recent_turns,
        replays=replayed,
        sessions={session.id: session for session in known_sessions},
        turns={turn.id: turn for turn in ids.records(_read_items(project, ids.keys))},
    )


def _with_recent(project: MemoryProject, sessions: Sequence[Session]) -> list[Session]:
    """Add the recent turns to sessions of an earlier version, which stored them separately."""
    old = [session.id for session in sessions if session.recent is None]
    separate_keys = _RecordKeys(project, RECENT_TURNS, ((project.actor, f"session/{session_id}") for session_id in old))
    separate: dict[str, RecentTurns] = {
        record.session: record for record in separate_keys.records(_read_items(project, separate_keys.keys))
    }

    def add_recent(session: Session) -> Session:
        before = separate.get(f"session/{session.id}") if session.recent is None else None
        if before is None:
            return session
        turns = tuple(make_sent_turn(turn.digest, turn.turn) for turn in before.turns)
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
