"""What was not known yet: the ids of what was recorded later, which begin with the instant of recording."""

from msgspec.structs import replace

from almanac.families.memory.core.memory import MemoryProject
from almanac.kernel.ids import ulid
from almanac.platform.search.port import Filters, SearchIndex

MOST = 5_000
_PAGE = 1_000
_DAY_MS = 86_400_000


def known_by(as_of: int, project: MemoryProject, index: SearchIndex | None, filters: Filters) -> Filters:
    """The same filters without talk that was recorded after `as_of`, as far as the index knows. Where more than 5,000
    were, what happened more than a day later is left out instead."""
    later: set[str] = set()
    after = ulid(as_of + 1, bytes)
    while index is not None and (page := index.held(project.scope, "talk", after=after, limit=_PAGE)):
        later.update(each.id for each in page if not each.removed)
        after = page[-1].id
        if len(later) > MOST:
            until = as_of + _DAY_MS
            return replace(filters, until=until if filters.until is None else min(until, filters.until))
    return replace(filters, except_ids=filters.except_ids | later)
