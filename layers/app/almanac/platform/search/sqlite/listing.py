"""What an index holds, without a question: counts, documents by id, those without a context, tombstones."""

# Statements are put together from numbers of the schema only; every value is a parameter.
# ruff: noqa: S608

import sqlite3
from collections.abc import Iterator, Sequence

from almanac.kernel.caller import Scope
from almanac.platform.search.port import Held, Profile, Removal
from almanac.platform.search.sqlite.files.generation import Generation
from almanac.platform.search.sqlite.files.schema import BARE, ENRICHED, PLACE_BITS, REMOVED

_STATES = f"""SELECT state, count(*) FROM documents JOIN collections ON collection = number
    AND key >= number << {PLACE_BITS} AND key < (number + 1) << {PLACE_BITS}
    WHERE tenant = ? AND project = ? AND version >= 0 GROUP BY state"""
_HELD = """SELECT id, version, state FROM collections JOIN documents ON collection = number
    WHERE tenant = ? AND project = ? AND profile = ? AND version >= 0 AND id > ? ORDER BY id LIMIT ?"""
_LACKING = f"""SELECT id, version, state FROM collections JOIN documents ON collection = number AND state = {BARE}
    WHERE tenant = ? AND project = ? ORDER BY at DESC LIMIT ?"""
_TOMBSTONES = f"""SELECT key, tenant, project, profile, id, version FROM documents
    JOIN collections ON collection = number WHERE state = {REMOVED} AND version >= 0 AND key > ? ORDER BY key LIMIT ?"""
_SLICE = 500


def counted(generation: Generation, scope: Scope) -> dict[str, int]:
    """The counts of a `Status`."""
    with generation.reading() as connection:
        states: dict[int, int] = dict(connection.execute(_STATES, (scope.tenant, scope.project)).fetchall())
    enriched, removed = states.get(ENRICHED, 0), states.get(REMOVED, 0)
    return {"documents": states.get(BARE, 0) + enriched, "enriched": enriched, "removed": removed}


def held(generation: Generation, scope: Scope, profile: Profile, after: str, limit: int) -> Sequence[Held]:
    with generation.reading() as connection:
        return _listed(connection.execute(_HELD, (scope.tenant, scope.project, profile, after, limit)))


def lacking(generation: Generation, scope: Scope, limit: int) -> Sequence[Held]:
    with generation.reading() as connection:
        return _listed(connection.execute(_LACKING, (scope.tenant, scope.project, limit)))


def tombstones(generation: Generation) -> Iterator[tuple[Scope, Sequence[Removal]]]:
    """Everything that is remembered as gone, in slices that leave writers their turn."""
    after = -1
    while True:
        with generation.reading() as connection:
            rows = connection.execute(_TOMBSTONES, (after, _SLICE)).fetchall()
        by_scope: dict[Scope, list[Removal]] = {}
        for _, tenant, project, profile, name, version in rows:
            by_scope.setdefault(Scope(tenant, project), []).append(Removal(id=name, profile=profile, version=version))
        yield from by_scope.items()
        if len(rows) < _SLICE:
            return
        after = rows[-1][0]


def _listed(rows: sqlite3.Cursor) -> list[Held]:
    return [Held(name, version, state == REMOVED, state == ENRICHED) for name, version, state in rows]
