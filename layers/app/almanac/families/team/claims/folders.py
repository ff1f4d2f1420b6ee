"""Paths below paths: `src` stands in the way of `src/auth.py`, and the other way round.

Whoever claims a path looks at the claims of the folders that it lies in, and marks these as occupied in the same write.
Whoever claims a path that is marked has it registered as a glob is, so that the two see each other; a path that is not
marked, as most files are, is claimed under the condition that it stays so.
"""

from collections.abc import Sequence

from msgspec import Struct

from almanac.families.team.claims.key_syntax import ClaimKey
from almanac.families.team.core.project import Project
from almanac.families.team.core.records import CLAIMS, OCCUPIED, ClaimRecord, OccupiedFolder
from almanac.platform.store.conditions import Absent, Equals
from almanac.platform.store.keys import sort_key
from almanac.platform.store.port import Change, Check

DAY_MS = 86_400_000
MARKED_MS = 30 * DAY_MS
RENEWED_MS = 15 * DAY_MS


class Surroundings(Struct, frozen=True):
    """`claims` are those of the folders that a path lies in, as they stand. `occupied`: something may be held below the
    path itself. `conditions` make sure of both, and mark the folders."""

    claims: Sequence[ClaimRecord]
    occupied: bool
    conditions: Sequence[Change]


def look_around(project: Project, key: ClaimKey) -> Surroundings:
    """For a key that is no glob."""
    if key.path is None:
        return Surroundings((), occupied=False, conditions=())
    claims, marks = CLAIMS.within(project.store, project.scope), OCCUPIED.within(project.store, project.scope)
    now = project.now()
    marked = marks.get_many([(one,) for one in (*key.above, key.id)])
    above = claims.get_many([(one,) for one in key.above])
    conditions: list[Change] = [Check(marks.key(key.id), Absent())]
    for folder, mark, claim in zip(key.above, marked, above, strict=False):
        if mark is None:
            # Its claim, if there will be one, is not registered: the one of both that is written second must notice.
            unchanged = Absent() if claim is None else Equals("version", claim.version)
            conditions.append(Check(claims.key(folder), unchanged))
        if mark is None or mark.expires_at < now + RENEWED_MS:
            conditions.append(marks.put(OccupiedFolder(id=folder, expires_at=now + MARKED_MS)))
    return Surroundings(
        claims=[claim for claim in above if claim is not None],
        occupied=marked[-1] is not None or _has_claims_below(project, key),
        conditions=conditions,
    )


def _has_claims_below(project: Project, key: ClaimKey) -> bool:
    """Also those that were made before folders were marked."""
    partition = CLAIMS.partition(project.scope, CLAIMS.own, ())
    return bool(project.store.query(partition, prefix=sort_key(key.id + "/"), limit=1).items)
