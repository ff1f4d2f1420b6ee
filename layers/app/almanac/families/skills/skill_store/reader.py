"""Reads of stored skills. Each is verified by its digest before use."""

from collections.abc import Sequence

from almanac.families.skills.bundle.files import SKILL_MD, BundleFile
from almanac.families.skills.bundle.paths import check_path
from almanac.families.skills.core.records import CONTENTS, SKILLS, VERSIONS, Skill, SkillVersion
from almanac.families.skills.core.skills import SkillProject
from almanac.kernel.errors import AlmanacError, NotFound
from almanac.platform.store.page_cursors import bounded_page

MAX_READ = 1000
"""Skills that are read for one page."""
_AT_ONCE = 100
_SHOWN = 80
_NEAREST = 5


class DamagedSkill(AlmanacError):
    """Raised when the stored skill is not what was installed."""

    code = "damaged"

    def __init__(self, what: str) -> None:
        super().__init__(
            f"{what} is not what was installed: its bytes have changed in the store.",
            "Do not use it. Install the skill again, or read an earlier version.",
        )


def find_skill(project: SkillProject, name: str) -> Skill:
    """Return a skill that is not removed. Raises NotFound that names some installed skills."""
    skill = project.rows(SKILLS).get(name) if name else None
    if skill is not None and skill.removed_at is None:
        return skill
    if skill is not None:
        raise NotFound(
            f"The skill {name} was removed.", "Its versions can be read by number; install_skill brings it back."
        )
    known = [each.name for each in project.rows(SKILLS).query(limit=50).records if each.removed_at is None]
    shown = f"Installed are: {', '.join(known[:_NEAREST])}{' ...' if len(known) > _NEAREST else ''}."
    raise NotFound(
        f"There is no skill {name[:_SHOWN]!a}.",
        f"{shown} list_skills has all." if known else "None is installed; list_default_skills has some to install.",
        untrusted=bool(known),
    )


def read_skill_record(project: SkillProject, name: str) -> Skill:
    """Return a skill, even a removed one. Raises NotFound."""
    return project.rows(SKILLS).get(name) or find_skill(project, name)


def version_of(project: SkillProject, name: str, number: int | None = None) -> SkillVersion:
    """Return the installed version, or the version with this number, which a removed skill still has.

    Raises NotFound, and DamagedSkill if the stored bytes have changed.
    """
    wanted = find_skill(project, name).number if number is None else number
    version = project.rows(VERSIONS).get(name, wanted) if name else None
    if version is None:
        last = project.rows(SKILLS).get(name) if name else None
        if last is None:
            find_skill(project, name)  # raises, and says which there are
        there = f"It has versions 1 to {last.number}." if last is not None else ""
        raise NotFound(f"{name} has no version {wanted}.", there)
    if not version.is_whole:
        raise DamagedSkill(f"Version {wanted} of {name}")
    return version


def file_of(version: SkillVersion, path: str) -> BundleFile:
    """Return a file of the version other than SKILL.md. Raises InvalidInput for an unsafe path, and NotFound."""
    checked = check_path(path)
    found = next((file for file in version.files if file.path == checked), None)
    if found is None:
        known = ", ".join([SKILL_MD, *(file.path for file in version.files[:_NEAREST])])
        more = " ..." if len(version.files) > _NEAREST else ""
        raise NotFound(f"{version.name} has no file {checked[:_SHOWN]!a}.", f"It has: {known}{more}.", untrusted=True)
    return found


def content_of(project: SkillProject, version: SkillVersion, file: BundleFile) -> bytes:
    """Return the bytes of a file. Raises DamagedSkill if they are missing or have changed."""
    stored = project.rows(CONTENTS).get(file.sha256)
    if stored is None or not file.matches(stored.data):
        raise DamagedSkill(f"{file.path} of {version.name}")
    return stored.data


def page_of(project: SkillProject, *, limit: int, after: str) -> tuple[Sequence[Skill], str | None]:
    """Return installed skills after the name `after`, "" at first, and the name after which the next page begins. A
    page may be empty and still have a next one, if all skills read were removed."""
    every = project.rows(SKILLS).every(since=after or None, page=_AT_ONCE)
    others = (each for each in every if each.name != after)
    page = bounded_page(others, lambda skill: skill.removed_at is None, limit=limit, most_read=MAX_READ)
    return page.rows, page.last.name if page.following and page.last else None
