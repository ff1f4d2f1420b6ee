"""Lists that are cut, and where they go on."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TypeVar

from almanac.families.team.core.project import Project
from almanac.platform.store.page_cursors import PageCursors, Query

T = TypeVar("T")


def cursors_of(project: Project) -> PageCursors:
    """The cursors of lists that the store's own cannot page."""
    return PageCursors(project.store, project.scope, project.random_bytes)


def page_of(
    project: Project, query: Query, found: Iterable[T], *, limit: int, cursor: str | None
) -> tuple[Sequence[T], str | None]:
    """A page of a list that is made anew at each call, and the cursor of the next."""
    cursors = cursors_of(project)
    start = int(cursors.start_of(query, cursor))
    page = list(islice(found, start, start + limit + 1))
    following = str(start + limit) if len(page) > limit else None
    return page[:limit], cursors.seal(query, following)
