"""Stored records of skills: what is installed, every version of it, and the bytes of its files.

Instants are milliseconds since 1970. Texts are stored without their secrets.

    P#<tenant>#<project>#skills                  <name>     Skill
    P#<tenant>#<project>#skill_versions#<name>   <number>   SkillVersion
    P#<tenant>#<project>#skill_contents          <sha256>   SkillContent
    P#<tenant>#<project>#skill_uploads           <sha256>   SkillUpload
"""

from collections.abc import Iterable
from hashlib import sha256
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from almanac.families.skills.bundle.files import BundleFile
from almanac.families.skills.format.findings import FormatFinding
from almanac.platform.store.records import Record, Table, VersionedRecord

UPLOAD_MS = 24 * 3600 * 1000
"""So long an upload waits for the skill that it belongs to."""
MAX_HISTORY = 20


class Installation(Struct, frozen=True):
    """An installed version: its time, its installer, and the version number of its author."""

    version: int
    installed_at: int
    installed_by: str
    declared: str | None = None


class Skill(VersionedRecord, frozen=True, kw_only=True):
    """A skill by its name, as its last version says. `number` is that version's, `content` what it has. `history` are
    the last 20 versions, the newest first. `removed_at`: it was removed then, and its versions are kept. `changed_at`
    is the instant of the last write, or the one after the one before. `size` is in bytes, of all its `files`, SKILL.md
    included."""

    name: str
    number: int
    description: str
    tags: tuple[str, ...] = ()
    declared: str | None = None
    valid: bool
    content: str
    files: int
    size: int
    installed_at: int
    installed_by: str
    changed_at: int
    history: tuple[Installation, ...] = ()
    removed_at: int | None = None


class SkillVersion(Record, frozen=True, kw_only=True):
    """One version for good. `skill_md` is its SKILL.md as it is stored, `frontmatter` what that says, as a JSON object
    in its order. `files` are the others. `declared` is the version that its author gives it. `folder` is the folder's
    name that it came with. `redacted` names the kinds of secrets that were taken out. `checksum` is over all else."""

    name: str
    number: int
    skill_md: str
    digest: str
    frontmatter: str
    description: str
    tags: tuple[str, ...] = ()
    declared: str | None = None
    valid: bool
    errors: tuple[FormatFinding, ...] = ()
    warnings: tuple[FormatFinding, ...] = ()
    files: tuple[BundleFile, ...] = ()
    folder: str | None = None
    redacted: tuple[str, ...] = ()
    installed_at: int
    installed_by: str
    checksum: str = ""

    def sealed(self) -> "SkillVersion":
        """With the checksum that proves it whole."""
        return replace(self, checksum=_checksum(self))

    def check_inside(self) -> None:
        msgspec.json.decode(self.frontmatter, type=dict[str, Any])

    @property
    def is_whole(self) -> bool:
        return self.checksum == _checksum(self) and sha256(self.skill_md.encode()).hexdigest() == self.digest

    @property
    def content(self) -> str:
        """Return what an install compares: equal for the same SKILL.md with the same files."""
        return content_digest(self.digest, self.files)


class SkillContent(Record, frozen=True, kw_only=True):
    """The bytes of a file, of whatever skills have it. They are what their SHA-256 says, or damaged."""

    sha256: str
    data: bytes


class SkillUpload(Record, frozen=True, kw_only=True):
    """Bytes that were sent before the skill that they belong to; `sha256` is of what was sent, `stored` of `data`,
    which has no secrets any more: of the kinds `redacted`. It ends with `expires_at`."""

    sha256: str
    stored: str
    data: bytes
    redacted: tuple[str, ...] = ()
    expires_at: int


def content_digest(skill_md: str, files: Iterable[BundleFile]) -> str:
    """Of a skill whose SKILL.md has the SHA-256 `skill_md`; `files` by path."""
    listed = "".join(f"{file.sha256} {file.path}\n" for file in files)
    return sha256(f"{skill_md}\n{listed}".encode()).hexdigest()


def _checksum(version: SkillVersion) -> str:
    return sha256(msgspec.json.encode(replace(version, checksum=""))).hexdigest()


SKILLS = Table(Skill, "skills", sort=("name",))
VERSIONS = Table(SkillVersion, "skill_versions", partition=("name",), sort=("number",))
CONTENTS = Table(SkillContent, "skill_contents", sort=("sha256",))
UPLOADS = Table(SkillUpload, "skill_uploads", sort=("sha256",), expires="expires_at")
