"""Pages of redactions, newest first."""

from msgspec import Struct

from almanac.platform.project import ProjectWork
from almanac.platform.redactions.records import REDACTIONS, Redaction, Status


class RedactionPage(Struct, frozen=True):
    """`cursor` is None on the last page."""

    rows: tuple[Redaction, ...]
    cursor: str | None


def redactions(project: ProjectWork, status: Status | None, limit: int, cursor: str | None) -> RedactionPage:
    """Those with `status`, None for any. Raises InvalidInput for a cursor of another listing."""
    rows = project.rows(REDACTIONS)
    if status is None:
        page = rows.query(reverse=True, limit=limit, cursor=cursor)
    else:
        page = rows.query(status, index="gsi1", reverse=True, limit=limit, cursor=cursor)
    return RedactionPage(page.records, page.cursor)
