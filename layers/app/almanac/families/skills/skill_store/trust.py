"""Whose texts a project takes as they are: those of actors that it trusts, and our own skills."""

from functools import cache
from hashlib import sha256

from almanac.families.skills.bundle.files import bundle_of
from almanac.families.skills.catalogue import default_skills
from almanac.families.skills.core.records import content_digest
from almanac.families.skills.core.skills import SkillProject


def is_trusted(project: SkillProject, installed_by: str, content: str) -> bool:
    """`content` is what the skill has, as its digest says."""
    return project.trusts(installed_by) or content in own_contents()


@cache
def own_contents() -> frozenset[str]:
    """The digests of what our own skills have."""
    return frozenset(
        content_digest(
            sha256(skill.skill_md.encode()).hexdigest(),
            bundle_of({path: text.encode() for path, text in skill.files.items()}),
        )
        for skill in default_skills()
    )
