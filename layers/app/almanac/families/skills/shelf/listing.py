"""The skills of a project by name, a page at a time."""

from collections.abc import Sequence

from almanac.families.skills.core.records import SKILLS, Skill
from almanac.families.skills.core.skills import SkillProject

MAX_READ = 1000
_AT_ONCE = 100


def page_of(project: SkillProject, *, limit: int, after: str) -> tuple[Sequence[Skill], str | None]:
    """Installed skills behind the name `after`, "" at first, and the name behind which the next page begins: also where
    all that was read had been removed."""
    found: list[Skill] = []
    place = after
    rows = project.rows(SKILLS).every(since=after or None, page=_AT_ONCE)
    for read, skill in enumerate(each for each in rows if each.name != after):
        if read == MAX_READ or (len(found) == limit and skill.removed_at is None):
            return found, place
        if skill.removed_at is None:
            found.append(skill)
        place = skill.name
    return found, None
