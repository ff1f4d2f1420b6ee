"""Parts of files, counted in characters for texts and in bytes for other files."""

from base64 import b64encode

from msgspec import Struct

from almanac.families.skills.bundle.file_kinds import is_text, mime_type_of
from almanac.families.skills.bundle.files import SKILL_MD, BundleFile
from almanac.families.skills.core.records import SkillVersion
from almanac.families.skills.core.skills import SkillProject
from almanac.families.skills.skill_store.reader import content_of, file_of


class FileRange(Struct, frozen=True):
    """A part of `file`, as `text`, or as `base64` for other files than text. `length` counts the whole file in the unit
    of offsets. `following` is the offset of the next part, None at the end."""

    file: BundleFile
    length: int
    following: int | None
    text: str | None = None
    base64: str | None = None


def read_range(project: SkillProject, version: SkillVersion, path: str, *, offset: int, limit: int) -> FileRange:
    """Return a part of a file. Raises InvalidInput for an unsafe path, NotFound, and DamagedSkill."""
    file, data = _whole(project, version, path)
    whole = data.decode() if file.is_text else data
    following = offset + limit if offset + limit < len(whole) else None
    part = whole[offset : offset + limit]
    if isinstance(part, str):
        return FileRange(file, len(whole), following, text=part)
    return FileRange(file, len(whole), following, base64=b64encode(part).decode())


def skill_md_file(version: SkillVersion) -> BundleFile:
    """Describe SKILL.md like the other files. It counts as text even with control characters."""
    data = version.skill_md.encode()
    return BundleFile(SKILL_MD, len(data), version.digest, mime_type_of(SKILL_MD, text=is_text(data)), is_text=True)


def _whole(project: SkillProject, version: SkillVersion, path: str) -> tuple[BundleFile, bytes]:
    if path == SKILL_MD:
        return skill_md_file(version), version.skill_md.encode()
    file = file_of(version, path)
    return file, content_of(project, version, file)
