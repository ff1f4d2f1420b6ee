"""Views of skills for tool results. Untrusted skills are shown as quoted foreign text."""

from typing import Any

import msgspec

from almanac.families.skills.core.records import Skill, SkillVersion
from almanac.families.skills.core.skills import SkillProject
from almanac.families.skills.format.skill_parser import read_skill
from almanac.families.skills.skill_store.ranges import FileRange
from almanac.families.skills.skill_store.trust import is_trusted
from almanac.families.skills.tools.results import SkillFilePart, SkillRow, WholeSkill
from almanac.families.team.core.quoted_texts import TextQuoter

MAX_BODY = 100_000
"""Limit in characters. The longest of 756 public skills has 290,000, the next 90,000."""


class _SkillTexts:
    """Texts of one skill, quoted unless it is trusted."""

    def __init__(self, *, trusted: bool) -> None:
        self.trusted = trusted
        self._quoting = TextQuoter()

    @property
    def notes(self) -> tuple[str, ...]:
        return () if self.trusted else self._quoting.notes

    def text(self, name: str, value: str) -> str:
        return value if self.trusted else self._quoting.text(name, value)

    def json(self, name: str, value: Any) -> Any:
        return value if self.trusted else self._quoting.json(name, value)


def skill_row(project: SkillProject, skill: Skill) -> SkillRow:
    shown = _SkillTexts(trusted=is_trusted(project, skill.installed_by, skill.content))
    return SkillRow(
        name=skill.name,
        description=shown.text("description", skill.description),
        tags=tuple(shown.json("tags", list(skill.tags))),
        version=skill.number,
        declared=None if skill.declared is None else shown.text("declared", skill.declared),
        valid=skill.valid,
        installed_at=skill.installed_at,
        installed_by=skill.installed_by,
        trusted=shown.trusted,
        notes=shown.notes,
    )


def whole_skill(project: SkillProject, skill: Skill, version: SkillVersion) -> WholeSkill:
    """Return the view of a version of `skill`."""
    shown = _SkillTexts(trusted=is_trusted(project, version.installed_by, version.content))
    manifest = read_skill(version.skill_md, version.folder).manifest
    body = version.skill_md if manifest is None else manifest.body
    return WholeSkill(
        name=version.name,
        version=version.number,
        description=shown.text("description", version.description),
        tags=tuple(shown.json("tags", list(version.tags))),
        declared=None if version.declared is None else shown.text("declared", version.declared),
        valid=version.valid,
        errors=version.errors,
        warnings=version.warnings,
        body=shown.text("body", body[:MAX_BODY]),
        cut=len(body) > MAX_BODY,
        manifest=shown.json("manifest", msgspec.json.decode(version.frontmatter)),
        files=version.files,
        versions=skill.history,
        installed_at=version.installed_at,
        installed_by=version.installed_by,
        removed=skill.removed_at is not None,
        redacted=version.redacted,
        trusted=shown.trusted,
        untrusted=not shown.trusted,
        notes=shown.notes,
    )


def file_part(project: SkillProject, version: SkillVersion, stretch: FileRange, offset: int) -> SkillFilePart:
    shown = _SkillTexts(trusted=is_trusted(project, version.installed_by, version.content))
    return SkillFilePart(
        name=version.name,
        version=version.number,
        path=stretch.file.path,
        mime_type=stretch.file.mime_type,
        is_text=stretch.file.is_text,
        text=None if stretch.text is None else shown.text("text", stretch.text),
        base64=stretch.base64,
        offset=offset,
        next_offset=stretch.following,
        length=stretch.length,
        size=stretch.file.size,
        sha256=stretch.file.sha256,
        trusted=shown.trusted,
        untrusted=not shown.trusted,
        notes=shown.notes,
    )
