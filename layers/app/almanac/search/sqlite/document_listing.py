"""Listing of an index's contents without a question: counts, documents by id, and documents without context."""

# Statements contain only numbers of the schema. Every value is a parameter.
# ruff: noqa: S608

import json
import sqlite3
from collections.abc import Sequence

from almanac.kernel.caller import Scope
from almanac.search.port import DocumentState, Profile
from almanac.search.sqlite.files.generation import Generation
from almanac.search.sqlite.files.schema import BARE, ENRICHED, PLACE_BITS, REMOVED

_STATES = f"""SELECT state, count(*) FROM documents JOIN collections ON collection = number
    AND key >= number << {PLACE_BITS} AND key < (number + 1) << {PLACE_BITS}
    WHERE tenant = ? AND project = ? AND version >= 0 GROUP BY state"""
_HELD = """SELECT id, version, state FROM collections JOIN documents ON collection = number
    WHERE tenant = ? AND project = ? AND profile = ? AND version >= 0 AND id > ? ORDER BY id LIMIT ?"""
_HELD_AMONG = """SELECT id, version, state FROM collections JOIN documents ON collection = number
    WHERE tenant = ? AND project = ? AND profile = ? AND version >= 0 AND id IN (SELECT value FROM json_each(?))"""
_LACKING = f"""SELECT id, version, state FROM collections JOIN documents ON collection = number AND state = {BARE}
    WHERE tenant = ? AND project = ? ORDER BY at DESC LIMIT ?"""


def count_documents(generation: Generation, scope: Scope) -> dict[str, int]:
    """Return the counts of a `Status`."""
    with generation.read_snapshot() as connection:
        states: dict[int, int] = dict(connection.execute(_STATES, (scope.tenant, scope.project)).fetchall())
    enriched, removed = states.get(ENRICHED, 0), states.get(REMOVED, 0)
    return {"documents": states.get(BARE, 0) + enriched, "enriched": enriched, "removed": removed}


def list_states(
    generation: Generation, scope: Scope, profile: Profile, after: str, limit: int
) -> Sequence[DocumentState]:
    with generation.read_snapshot() as connection:
        return _states_in(connection.execute(_HELD, (scope.tenant, scope.project, profile, after, limit)))


def states_of(generation: Generation, scope: Scope, profile: Profile, ids: Sequence[str]) -> Sequence[DocumentState]:
    with generation.read_snapshot() as connection:
        return _states_in(connection.execute(_HELD_AMONG, (scope.tenant, scope.project, profile, json.dumps(ids))))


def list_unenriched(generation: Generation, scope: Scope, limit: int) -> Sequence[DocumentState]:
    with generation.read_snapshot() as connection:
        return _states_in(connection.execute(_LACKING, (scope.tenant, scope.project, limit)))


def _states_in(rows: sqlite3.Cursor) -> list[DocumentState]:
    return [DocumentState(name, version, state == REMOVED, state == ENRICHED) for name, version, state in rows]
