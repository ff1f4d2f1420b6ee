"""The skills of a project by name, a page at a time."""

from collections.abc import Sequence

from almanac.families.skills.core.records import SKILLS, Skill
from almanac.families.skills.core.skills import SkillProject
from almanac.platform.store.page_cursors import bounded_page

MAX_READ = 1000
_AT_ONCE = 100


def page_of(project: SkillProject, *, limit: int, after: str) -> tuple[Sequence[Skill], str | None]:
    """Installed skills behind the name `after`, "" at first, and the name behind which the next page begins: also where
    all that was read had been removed."""
    every = project.rows(SKILLS).every(since=after or None, page=_AT_ONCE)
    others = (each for each in every if each.name != after)
    page = bounded_page(others, lambda skill: skill.removed_at is None, limit=limit, most_read=MAX_READ)
    return page.rows, page.last.name if page.following and page.last else None
