"""Pages of redactions, newest first: those of a project, then those of what it shares."""

from msgspec import Struct

from almanac.families.memory.core.memory import MemoryProject
from almanac.platform.project import ProjectWork
from almanac.platform.redactions.records import REDACTIONS, Redaction, Status

_SHARED = "shared:"
"""Before a cursor of the store: the project's own were all listed. "shared:" alone is the beginning of the others."""


class RedactionPage(Struct, frozen=True):
    """`cursor` is None on the last page."""

    own: tuple[Redaction, ...]
    shared: tuple[Redaction, ...]
    cursor: str | None


def redactions_within_reach(
    project: MemoryProject, status: Status | None, limit: int, cursor: str | None
) -> RedactionPage:
    """Those with `status`, None for any. Raises InvalidInput for a cursor of another listing."""
    shared = project.shared
    own: tuple[Redaction, ...] = ()
    if shared is None or cursor is None or not cursor.startswith(_SHARED):
        own, following = _page(project, status, limit, cursor)
        if following is not None or shared is None:
            return RedactionPage(own, (), following)
        if len(own) == limit:
            return RedactionPage(own, (), _SHARED if _page(shared, status, 1, None)[0] else None)
    start = cursor.removeprefix(_SHARED) if cursor is not None and cursor.startswith(_SHARED) else None
    others, following = _page(shared, status, limit - len(own), start or None)
    return RedactionPage(own, others, None if following is None else _SHARED + following)


def _page(
    project: ProjectWork, status: Status | None, limit: int, cursor: str | None
) -> tuple[tuple[Redaction, ...], str | None]:
    rows = project.rows(REDACTIONS)
    if status is None:
        page = rows.query(reverse=True, limit=limit, cursor=cursor)
    else:
        page = rows.query(status, index="gsi1", reverse=True, limit=limit, cursor=cursor)
    return page.records, page.cursor
