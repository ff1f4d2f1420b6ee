"""Install and remove a skill. Its contents are written first; then one write adds the version, the skill, its search
document and its event."""

from collections.abc import Mapping, Sequence
from hashlib import sha256

import msgspec
from msgspec import Struct
from msgspec.structs import replace as altered

from almanac.content.redaction import SecretFinding as Secret
from almanac.content.redaction import redact
from almanac.families.skills.bundle.files import SKILL_MD, BundleFile, bundle_of, check_totals
from almanac.families.skills.core.documents import document_without_texts, skill_document
from almanac.families.skills.core.event_kinds import SKILL_INSTALLED, SKILL_REMOVED
from almanac.families.skills.core.records import (
    MAX_HISTORY,
    SKILLS,
    VERSIONS,
    Installation,
    Skill,
    SkillVersion,
    content_digest,
)
from almanac.families.skills.core.skills import SkillProject
from almanac.families.skills.format.manifest import Manifest, ManifestReport
from almanac.families.skills.format.skill_parser import read_skill
from almanac.families.skills.skill_store.contents import keep_contents
from almanac.families.skills.skill_store.file_input import SkillFileInput, read_sent_files, text_bytes
from almanac.families.skills.skill_store.reader import find_skill
from almanac.platform.redactions.rows import redaction_changes
from almanac.platform.store.records import replace
from almanac.search.engine.document_writes import document_change, removal_change

_DESCRIPTION = 200
"""Characters of a description in an event."""


class SkillInstallation(Struct, frozen=True, kw_only=True):
    """A skill as a caller sent it. `files` None keeps the files of the last version. `folder` is the name of the folder
    that it came in. With `strict` only a valid skill is installed."""

    skill_md: str
    files: Mapping[str, str | SkillFileInput] | None = None
    folder: str | None = None
    strict: bool = False


class Outcome(Struct, frozen=True, kw_only=True):
    """The result of an installation. `version` is the current version, None if the skill was not installed. `redacted`
    names the kinds of secrets that were removed. `kept` and `dropped` are paths of the last version's files. Sent
    without files, a skill keeps them unless they are `unvouched`: installed by an actor whom the project does not
    trust."""

    reading: ManifestReport
    version: SkillVersion | None = None
    changed: bool = False
    redacted: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    unvouched: bool = False


class _PreparedSkill(Struct, frozen=True):
    skill_md: str
    digest: str
    reading: ManifestReport
    manifest: Manifest
    files: tuple[BundleFile, ...] | None
    folder: str | None
    secrets: Sequence[Secret]
    redacted: tuple[str, ...]

    @property
    def files_sent(self) -> tuple[BundleFile, ...]:
        return self.files or ()

    @property
    def size(self) -> int:
        return len(self.skill_md.encode()) + sum(file.size for file in self.files_sent)


def install(project: SkillProject, request: SkillInstallation) -> Outcome:
    """Install the next version of a skill, or return the current one if its SKILL.md and files are the same. A skill
    without a description, or an invalid one with `strict`, is not installed.

    Raises InvalidInput for files that cannot be read, and over the limits.
    """
    md = redact(request.skill_md)
    encoded = text_bytes(md.text, SKILL_MD)
    reading = read_skill(md.text, request.folder)
    if reading.manifest is None or (request.strict and not reading.valid):
        return Outcome(reading=reading)
    sent = read_sent_files(project, request.files or {}, len(encoded))
    files = bundle_of({path: file.data for path, file in sent.items()}, len(encoded))
    secrets = [*_at_skill_md(md.findings), *(each for file in sent.values() for each in file.findings)]
    kinds = [*(each.kind for each in secrets), *(kind for file in sent.values() for kind in file.lost)]
    ready = _PreparedSkill(
        md.text,
        sha256(encoded).hexdigest(),
        reading,
        reading.manifest,
        None if request.files is None else files,
        request.folder,
        secrets,
        tuple(dict.fromkeys(kinds)),
    )
    keep_contents(project, {sha256(file.data).hexdigest(): file.data for file in sent.values()})
    return project.retry_on_conflict(lambda: _attempt(project, ready))


def _attempt(project: SkillProject, ready: _PreparedSkill) -> Outcome:
    rows = project.rows(SKILLS)
    last = rows.get(ready.manifest.name)
    former = project.rows(VERSIONS).get(last.name, last.number) if last is not None else None
    had = former.files if former is not None and former.is_whole else ()
    without_files = ready.files is None
    unvouched = without_files and bool(had) and _is_unvouched(project, last)
    if ready.files is None:
        ready = _with_files(ready, () if unvouched else had)
    paths = {file.path for file in ready.files_sent}
    outcome = Outcome(
        reading=ready.reading,
        redacted=ready.redacted,
        kept=tuple(file.path for file in had) if without_files and not unvouched else (),
        dropped=tuple(file.path for file in had if file.path not in paths),
        unvouched=unvouched,
    )
    same = _find_unchanged(project, last, ready)
    if same is not None:
        return altered(outcome, version=same)
    at = max(project.now(), last.changed_at + 1 if last else 0)
    version = _version(project, ready, last.number + 1 if last else 1, at)
    skill = _skill(version, ready, last)
    put = rows.insert(skill) if last is None else replace(rows, skill)
    event = project.event(SKILL_INSTALLED, skill.name, _event_payload(skill), at=at)
    found = document_change(
        skill_document(skill, version),
        project.scope,
        actor=project.actor,
        at=at,
        random_bytes=project.random_bytes,
        also=[event],
    )
    told = redaction_changes(project, skill.name, "skill", ready.secrets, at)
    project.store.write([put, project.rows(VERSIONS).insert(version), found, *told])
    return altered(outcome, version=version, changed=True)


def _is_unvouched(project: SkillProject, last: Skill | None) -> bool:
    """Return whether a trusted caller's new instructions would vouch for files that the caller did not send."""
    return last is not None and project.trusts(project.actor) and not project.trusts(last.installed_by)


def _with_files(ready: _PreparedSkill, files: tuple[BundleFile, ...]) -> _PreparedSkill:
    """Add files of the last version. Raises InvalidInput if they exceed the limits together with the new SKILL.md."""
    with_them = altered(ready, files=files)
    check_totals(len(files) + 1, with_them.size)
    return with_them


def _find_unchanged(project: SkillProject, last: Skill | None, ready: _PreparedSkill) -> SkillVersion | None:
    """Return the installed version if its content is the same and undamaged. A trusted actor vouches for a skill by
    installing it again, which makes a new version."""
    if last is None or last.removed_at is not None or last.content != content_digest(ready.digest, ready.files_sent):
        return None
    if _is_unvouched(project, last):
        return None
    version = project.rows(VERSIONS).get(last.name, last.number)
    return version if version is not None and version.is_whole and version.content == last.content else None


def _version(project: SkillProject, ready: _PreparedSkill, number: int, at: int) -> SkillVersion:
    manifest, reading = ready.manifest, ready.reading
    return SkillVersion(
        name=manifest.name,
        number=number,
        skill_md=ready.skill_md,
        digest=ready.digest,
        frontmatter=msgspec.json.encode(manifest.frontmatter).decode(),
        description=manifest.description,
        tags=manifest.tags,
        declared=manifest.version,
        valid=reading.valid,
        errors=reading.errors,
        warnings=reading.warnings,
        files=ready.files_sent,
        folder=ready.folder,
        redacted=ready.redacted,
        installed_at=at,
        installed_by=project.actor,
    ).seal()


def _skill(version: SkillVersion, ready: _PreparedSkill, last: Skill | None) -> Skill:
    entry = Installation(version.number, version.installed_at, version.installed_by, version.declared)
    history = (entry, *(last.history if last else ()))[:MAX_HISTORY]
    new = Skill(
        name=version.name,
        number=version.number,
        description=version.description,
        tags=version.tags,
        declared=version.declared,
        valid=version.valid,
        content=version.content,
        files=len(version.files) + 1,
        size=ready.size,
        installed_at=version.installed_at,
        installed_by=version.installed_by,
        changed_at=version.installed_at,
        history=history,
    )
    return new if last is None else altered(new, version=last.version)


def _event_payload(skill: Skill) -> dict[str, object]:
    return {
        "name": skill.name,
        "version": skill.number,
        "declared": skill.declared,
        "description": skill.description[:_DESCRIPTION],
        "valid": skill.valid,
        "files": skill.files,
        "size": skill.size,
    }


def _at_skill_md(findings: Sequence[Secret]) -> list[Secret]:
    return [altered(each, path=SKILL_MD) for each in findings]


def remove(project: SkillProject, name: str) -> tuple[Skill, bool]:
    """Take a skill out of lists and search, and keep its versions. Returns the skill, and whether it was removed
    before. Raises NotFound if it never existed."""
    return project.retry_on_conflict(lambda: _remove_once(project, name))


def _remove_once(project: SkillProject, name: str) -> tuple[Skill, bool]:
    rows = project.rows(SKILLS)
    skill = rows.get(name)
    if skill is None:
        return find_skill(project, name), False  # raises, and says which there are
    if skill.removed_at is not None:
        return skill, True
    at = max(project.now(), skill.changed_at + 1)
    event = project.event(SKILL_REMOVED, name, {"name": name, "version": skill.number}, at=at)
    gone = removal_change(
        document_without_texts(skill),
        project.scope,
        actor=project.actor,
        at=at,
        random_bytes=project.random_bytes,
        also=[event],
    )
    project.store.write([replace(rows, altered(skill, removed_at=at, changed_at=at)), gone])
    return skill, False
