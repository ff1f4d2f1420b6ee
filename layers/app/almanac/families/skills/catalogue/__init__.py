"""The skills that come with Almanac. Each is an ordinary skill folder beside this file."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from msgspec import Struct

from almanac.families.skills.bundle.files import SKILL_MD
from almanac.families.skills.bundle.paths import left_out
from almanac.families.skills.format.skill_parser import read_skill

_SKILLS = Path(__file__).parent / "skills"
_RECOMMENDED = "recommended-for"


class DefaultSkill(Struct, frozen=True, kw_only=True):
    """A skill of the catalogue. `recommended_for` is a sentence about its audience. `files` are texts by their paths
    from the folder of SKILL.md, which is not among them."""

    name: str
    tags: tuple[str, ...]
    recommended_for: str
    skill_md: str
    files: Mapping[str, str] = {}


@cache
def default_skills() -> tuple[DefaultSkill, ...]:
    """Return all skills of the catalogue, by name."""
    return tuple(_read(folder) for folder in sorted(_SKILLS.iterdir()) if (folder / SKILL_MD).is_file())


def _read(folder: Path) -> DefaultSkill:
    """Read a skill. Its tags and audience are in the metadata of SKILL.md."""
    skill_md = (folder / SKILL_MD).read_text(encoding="utf-8")
    manifest = read_skill(skill_md, folder.name).manifest
    assert manifest is not None  # noqa: S101 - a test reads each of them
    paths = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}
    files = {
        name: path.read_text(encoding="utf-8")
        for name, path in paths.items()
        if name != SKILL_MD and left_out(name) is None
    }
    return DefaultSkill(
        name=manifest.name,
        tags=manifest.tags,
        recommended_for=manifest.metadata[_RECOMMENDED],
        skill_md=skill_md,
        files=files,
    )
