"""Removal of a skill: it is no longer found, but its versions are kept."""

from msgspec.structs import replace as altered

from almanac.families.skills.core.documents import document_named
from almanac.families.skills.core.event_kinds import SKILL_REMOVED
from almanac.families.skills.core.records import SKILLS, Skill
from almanac.families.skills.core.skills import SkillProject
from almanac.families.skills.skill_store.reader import skill_named
from almanac.platform.search.engine.document_writes import removed
from almanac.platform.store.records import replace


def remove(project: SkillProject, name: str) -> tuple[Skill, bool]:
    """The skill as it was, and whether it had been removed before. Raises NotFound where there never was one."""
    return project.retrying(lambda: _attempt(project, name))


def _attempt(project: SkillProject, name: str) -> tuple[Skill, bool]:
    rows = project.rows(SKILLS)
    skill = rows.get(name)
    if skill is None:
        return skill_named(project, name), False  # raises, and says which there are
    if skill.removed_at is not None:
        return skill, True
    at = max(project.now(), skill.changed_at + 1)
    event = project.event(SKILL_REMOVED, name, {"name": name, "version": skill.number}, at=at)
    gone = removed(
        document_named(skill),
        project.scope,
        actor=project.actor,
        at=at,
        random_bytes=project.random_bytes,
        also=[event],
    )
    project.store.write([replace(rows, altered(skill, removed_at=at, changed_at=at)), gone])
    return skill, False
