"""Read pages of redactions, newest first. The project's own come before those of the shared memory."""

from collections.abc import Mapping

from msgspec import Struct

from almanac.families.memory.core.memory import MemoryProject
from almanac.kernel.owners import Data, may_see
from almanac.platform.redactions.records import REDACTIONS, Redaction, Status, Where

_SHARED = "shared:"
"""Prefix of a cursor into the shared redactions. The prefix alone stands for their first page."""


_DATA: Mapping[Where, Data] = {
    "turn": "turns",
    "memory": "memories",
    "candidate": "turns",
    "fact": "facts",
    "note": "notes",
    "journal": "journal",
    "card": "cards",
    "event": "events",
    "booking": "events",
    "broadcast": "teamwork",
    "review": "teamwork",
    "message": "messages",
    "claim": "teamwork",
    "rule": "teamwork",
    "presence": "teamwork",
    "code": "code",
    "edge": "facts",
    "skill": "skills",
}


class RedactionPage(Struct, frozen=True):
    """A page of redactions. `cursor` is None on the last page."""

    own: tuple[Redaction, ...]
    shared: tuple[Redaction, ...]
    cursor: str | None


def read_redactions(project: MemoryProject, status: Status | None, limit: int, cursor: str | None) -> RedactionPage:
    """Return a page of redactions that the caller's key may see. `status` None means any status.

    A page may have fewer than `limit`. Raises InvalidInput for a cursor of another list."""
    shared = project.shared
    own: tuple[Redaction, ...] = ()
    if shared is None or cursor is None or not cursor.startswith(_SHARED):
        own, next_cursor = _read_page(project, status, limit, cursor)
        if next_cursor is not None or shared is None:
            return RedactionPage(own, (), next_cursor)
        if len(own) == limit:
            return RedactionPage(own, (), _SHARED if _read_page(shared, status, 1, None)[0] else None)
    start = cursor.removeprefix(_SHARED) if cursor is not None and cursor.startswith(_SHARED) else None
    others, next_cursor = _read_page(shared, status, limit - len(own), start or None)
    return RedactionPage(own, others, None if next_cursor is None else _SHARED + next_cursor)


def data_of(where: Where) -> Data:
    """Return the kind of data that a text in `where` belongs to."""
    return _DATA[where]


def _read_page(
    project: MemoryProject, status: Status | None, limit: int, cursor: str | None
) -> tuple[tuple[Redaction, ...], str | None]:
    rows = project.rows(REDACTIONS)
    if status is None:
        page = rows.query(reverse=True, limit=limit, cursor=cursor)
    else:
        page = rows.query(status, index="gsi1", reverse=True, limit=limit, cursor=cursor)
    visible = (redaction for redaction in page.records if may_see(project.families, data_of(redaction.where)))
    return tuple(visible), page.cursor
