"""What is stored already that decides how turns are recorded: the same turns, replays and sessions."""

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct

from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import (
    DIGESTS,
    REPLAYS,
    SESSIONS,
    TURNS,
    Session,
    Turn,
    TurnDigest,
    TurnReplay,
)
from almanac.families.memory.turns.given import Ready
from almanac.platform.store.keys import Key
from almanac.platform.store.port import MAX_KEYS, Item
from almanac.platform.store.records import Table


class Known(Struct, frozen=True):
    """`digests` by digest, `replays` by client_turn_id, `sessions` and `turns` by id."""

    digests: dict[str, TurnDigest]
    replays: dict[str, TurnReplay]
    sessions: dict[str, Session]
    turns: dict[str, Turn]


def read_known(project: MemoryProject, turns: Sequence[Ready]) -> Known:
    """In two readings, whatever tables it lies in."""
    digests = _Wanted(project, DIGESTS, ((one.digest,) for one in turns))
    replays = _Wanted(project, REPLAYS, ((project.actor, one.client_turn_id) for one in turns if one.client_turn_id))
    sessions = _Wanted(project, SESSIONS, ((one.session,) for one in turns if one.session))
    items = _read(project, [*digests.keys, *replays.keys, *sessions.keys])
    same = {one.digest: one for one in digests.records(items)}
    replayed = {one.client_turn_id: one for one in replays.records(items)}
    ids = _Wanted(project, TURNS, ((one.turn,) for one in [*same.values(), *replayed.values()]))
    return Known(
        digests=same,
        replays=replayed,
        sessions={one.id: one for one in sessions.records(items)},
        turns={one.id: one for one in ids.records(_read(project, ids.keys))},
    )


class _Wanted:
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
