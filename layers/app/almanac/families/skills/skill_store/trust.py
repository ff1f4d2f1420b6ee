"""Trust in the texts of skills: those of actors whom the project trusts, and Almanac's own skills."""

from functools import cache
from hashlib import sha256

from almanac.families.skills.bundle.files import bundle_of
from almanac.families.skills.catalogue import default_skills
from almanac.families.skills.core.records import content_digest
from almanac.families.skills.core.skills import SkillProject


def is_trusted(project: SkillProject, installed_by: str, content: str) -> bool:
    """Return whether the project trusts a skill by its installer or by its `content`, a digest."""
    return project.trusts(installed_by) or content in own_contents()


@cache
def own_contents() -> frozenset[str]:
    """Return the content digests of the skills that come with Almanac."""
    return frozenset(
        content_digest(
            sha256(skill.skill_md.encode()).hexdigest(),
            bundle_of({path: text.encode() for path, text in skill.files.items()}),
        )
        for skill in default_skills()
    )
