"""Skills that may contain secrets because they were installed before redaction existed.

A version without its secrets is a different text, so it gets new digests and a new seal.
"""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any, cast

import msgspec
from msgspec.structs import replace as altered

from almanac.content.redaction import RedactedValue
from almanac.families.skills.bundle.file_kinds import is_text
from almanac.families.skills.bundle.files import BundleFile
from almanac.families.skills.core.documents import skill_document
from almanac.families.skills.core.records import CONTENTS, SKILLS, VERSIONS, Skill, SkillContent, SkillVersion
from almanac.families.skills.core.skills import SkillProject, open_skills
from almanac.families.skills.format.skill_parser import read_skill
from almanac.kernel.caller import Caller
from almanac.kernel.clock import Clock
from almanac.platform.redactions.rows import redaction_changes
from almanac.platform.redactions.scan import AT_ONCE, Redactable, StoredTexts
from almanac.platform.services import Services
from almanac.platform.store.conditions import Equals
from almanac.platform.store.port import Change
from almanac.platform.store.records import replace
from almanac.search.engine.document_writes import document_change


def _every(services: Services, caller: Caller) -> Iterator[StoredTexts]:
    project = open_skills(services, caller, services.get(Clock))
    yield from (_skill_md(project, each) for each in _versions(project))
    for content in project.rows(CONTENTS).every(page=AT_ONCE):
        if is_text(content.data):
            yield _file(project, content)


def _versions(project: SkillProject) -> Iterator[SkillVersion]:
    for skill in project.rows(SKILLS).every(page=AT_ONCE):
        yield from project.rows(VERSIONS).every(skill.name, page=AT_ONCE)


def _skill_md(project: SkillProject, version: SkillVersion) -> StoredTexts:
    def rewrite(redacted: RedactedValue) -> None:
        text = cast("dict[str, str]", redacted.value)["skill_md"]
        told = redaction_changes(project, version.name, "skill", redacted.findings, project.now())
        kinds = [each.kind for each in redacted.findings]
        project.store.write([*_replacement_changes(project, version, _with_text(version, text, kinds)), *told])

    return StoredTexts({"skill_md": version.skill_md}, rewrite)


def _file(project: SkillProject, content: SkillContent) -> StoredTexts:
    def rewrite(redacted: RedactedValue) -> None:
        data = cast("dict[str, str]", redacted.value)["text"].encode()
        kept = SkillContent(sha256=sha256(data).hexdigest(), data=data)
        kinds = [each.kind for each in redacted.findings]
        told = redaction_changes(project, content.sha256, "skill", redacted.findings, project.now())
        rows = project.rows(CONTENTS)
        project.store.write([rows.put(kept), *told])
        for version in _versions(project):
            new = _with_file(version, content.sha256, kept, kinds)
            if new is not version:
                project.store.write(_replacement_changes(project, version, new))
        # Delete the old content only once no version names it. After an interruption the next scan continues.
        project.store.write([rows.delete(content.sha256)])

    return StoredTexts({"text": content.data.decode()}, rewrite)


def _with_text(version: SkillVersion, text: str, kinds: list[str]) -> SkillVersion:
    reading = read_skill(text, version.folder)
    manifest = reading.manifest
    new = altered(
        version,
        skill_md=text,
        digest=sha256(text.encode()).hexdigest(),
        errors=reading.errors,
        warnings=reading.warnings,
        valid=reading.valid,
        frontmatter=msgspec.json.encode(manifest.frontmatter).decode() if manifest is not None else "{}",
        description=manifest.description if manifest is not None else "",
        tags=manifest.tags if manifest is not None else (),
        declared=manifest.version if manifest is not None else None,
    )
    return _reseal(version, new, kinds)


def _with_file(version: SkillVersion, digest: str, kept: SkillContent, kinds: list[str]) -> SkillVersion:
    if all(file.sha256 != digest for file in version.files):
        return version
    files = tuple(_replace_content(file, kept) if file.sha256 == digest else file for file in version.files)
    return _reseal(version, altered(version, files=files), kinds)


def _replace_content(file: BundleFile, kept: SkillContent) -> BundleFile:
    return altered(file, sha256=kept.sha256, size=len(kept.data))


def _reseal(version: SkillVersion, new: SkillVersion, kinds: list[str]) -> SkillVersion:
    """Seal the new version unless the old one was damaged. A seal states that this content was installed, apart from
    its secrets."""
    new = altered(new, redacted=tuple(dict.fromkeys([*version.redacted, *kinds])))
    return new.seal() if version.is_whole else altered(new, checksum="")


def _replacement_changes(project: SkillProject, version: SkillVersion, new: SkillVersion) -> list[Change]:
    """Return the changes that replace a version. If it is the last one, the skill and its search document change
    too."""
    changes: list[Change] = [project.rows(VERSIONS).put(new, Equals("checksum", version.checksum))]
    rows = project.rows(SKILLS)
    skill = rows.get(version.name)
    if skill is None or skill.number != version.number:
        return changes
    at = max(project.now(), skill.changed_at + 1)
    told = _updated_skill(skill, new, at)
    changes.append(replace(rows, told))
    if skill.removed_at is None:
        document: dict[str, Any] = {"actor": project.actor, "at": at, "random_bytes": project.random_bytes}
        changes.append(document_change(skill_document(told, new), project.scope, **document))
    return changes


def _updated_skill(skill: Skill, version: SkillVersion, at: int) -> Skill:
    first, *older = skill.history
    return altered(
        skill,
        description=version.description,
        tags=version.tags,
        declared=version.declared,
        valid=version.valid,
        content=version.content,
        size=len(version.skill_md.encode()) + sum(file.size for file in version.files),
        history=(altered(first, declared=version.declared), *older),
        changed_at=at,
    )


REDACTABLE = (Redactable("skill", _every),)
