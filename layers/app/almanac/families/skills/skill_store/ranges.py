"""Parts of files: characters of texts, bytes of what is no text."""

from base64 import b64encode

from msgspec import Struct

from almanac.families.skills.bundle.file_kinds import is_text, mime_type_of
from almanac.families.skills.bundle.files import SKILL_MD, BundleFile
from almanac.families.skills.core.records import SkillVersion
from almanac.families.skills.core.skills import SkillProject
from almanac.families.skills.skill_store.reader import content_of, file_of


class Stretch(Struct, frozen=True):
    """A part of `file`, as `text`, or as `base64` where the file is no text. `length` counts the whole file in the unit
    of offsets, `following` is where the next part begins, None at the end."""

    file: BundleFile
    length: int
    following: int | None
    text: str | None = None
    base64: str | None = None


def stretch_of(project: SkillProject, version: SkillVersion, path: str, *, offset: int, limit: int) -> Stretch:
    """Raises InvalidInput for a path that is not plain, NotFound, and DamagedSkill."""
    file, data = _whole(project, version, path)
    whole = data.decode() if file.is_text else data
    following = offset + limit if offset + limit < len(whole) else None
    part = whole[offset : offset + limit]
    if isinstance(part, str):
        return Stretch(file, len(whole), following, text=part)
    return Stretch(file, len(whole), following, base64=b64encode(part).decode())


def skill_md_file(version: SkillVersion) -> BundleFile:
    """SKILL.md as one of the files. It is read as text, whatever control characters it has."""
    data = version.skill_md.encode()
    return BundleFile(SKILL_MD, len(data), version.digest, mime_type_of(SKILL_MD, text=is_text(data)), is_text=True)


def _whole(project: SkillProject, version: SkillVersion, path: str) -> tuple[BundleFile, bytes]:
    if path == SKILL_MD:
        return skill_md_file(version), version.skill_md.encode()
    file = file_of(version, path)
    return file, content_of(project, version, file)
