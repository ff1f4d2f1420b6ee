"""Claims of nested paths: a claim of `src` and a claim of `src/auth.py` exclude each other.

A claim of a path reads the claims of the folders above it and marks these folders as occupied in the same write. A
claim of a marked path goes through the register, as globs do. Most files are unmarked. The write of a claim of such a
file requires that the file stays unmarked.
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


class FolderState(Struct, frozen=True):
    """The surroundings of a path. `claims` are the claims of the folders above it. `occupied`: claims below it may
    exist. `conditions` make a write fail if either has changed, and mark the folders."""

    claims: Sequence[ClaimRecord]
    occupied: bool
    conditions: Sequence[Change]


def read_folders(project: Project, key: ClaimKey) -> FolderState:
    """Read the claims above and below a key that is not a glob."""
    if not key.is_path:
        return FolderState((), occupied=False, conditions=())
    claims, marks = CLAIMS.within(project.store, project.scope), OCCUPIED.within(project.store, project.scope)
    now = project.now()
    marked = marks.get_many([(one,) for one in (*key.above, key.id)])
    above = claims.get_many([(one,) for one in key.above])
    conditions: list[Change] = [Check(marks.key(key.id), Absent())]
    for folder, mark, claim in zip(key.above, marked, above, strict=False):
        if mark is None:
            # A claim of the folder would not be registered, so the later of the two writes must notice the earlier one.
            unchanged = Absent() if claim is None else Equals("version", claim.version)
            conditions.append(Check(claims.key(folder), unchanged))
        if mark is None or mark.expires_at < now + RENEWED_MS:
            conditions.append(marks.put(OccupiedFolder(id=folder, expires_at=now + MARKED_MS)))
    return FolderState(
        claims=[claim for claim in above if claim is not None],
        occupied=marked[-1] is not None or _has_claims_below(project, key),
        conditions=conditions,
    )


def _has_claims_below(project: Project, key: ClaimKey) -> bool:
    """Return whether any claim lies below the path, including claims made before folders were marked."""
    partition = CLAIMS.partition(project.scope, CLAIMS.own, ())
    return bool(project.store.query(partition, prefix=sort_key(key.id + "/"), limit=1).items)
