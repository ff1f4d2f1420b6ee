"""Stored records of skills: the installed skills, all of their versions, and the bytes of their files.

Instants are milliseconds since 1970. Texts are stored without their secrets.
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
"""Time for which an upload waits for its skill."""
MAX_HISTORY = 20


class Installation(Struct, frozen=True):
    """An installed version: its time, its installer, and the version number of its author."""

    version: int
    installed_at: int
    installed_by: str
    declared: str | None = None


class Skill(VersionedRecord, frozen=True, kw_only=True):
    """A skill by name, with the data of its last version. `number` is that version's number and `content` its digest.
    `history` holds the last 20 versions, newest first. A removed skill has `removed_at`, and its versions are kept.
    `changed_at` is the instant of the last write, and always grows. `size` is in bytes, of all `files`, SKILL.md
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
    """One version, never changed except to remove secrets. `frontmatter` is SKILL.md's front matter as a JSON object in
    its order. `files` are all files except SKILL.md. `declared` is the author's version. `folder` is the name of the
    folder that the skill came in. `redacted` names the kinds of secrets that were removed. `checksum` covers all other
    fields."""

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

    def seal(self) -> "SkillVersion":
        """Return the version with the checksum that proves it undamaged."""
        return replace(self, checksum=_checksum(self))

    def check_inside(self) -> None:
        msgspec.json.decode(self.frontmatter, type=dict[str, Any])

    @property
    def is_whole(self) -> bool:
        return self.checksum == _checksum(self) and sha256(self.skill_md.encode()).hexdigest() == self.digest

    @property
    def content(self) -> str:
        """Digest of SKILL.md and all files, by which an install recognises unchanged content."""
        return content_digest(self.digest, self.files)


class SkillContent(Record, frozen=True, kw_only=True):
    """The bytes of a file under their SHA-256, shared by all skills that have the file. Bytes that do not match are
    damaged."""

    sha256: str
    data: bytes


class SkillUpload(Record, frozen=True, kw_only=True):
    """Bytes that were sent before their skill. `sha256` belongs to the bytes as sent, `stored` to `data`, from which
    secrets of the kinds `redacted` are removed. The upload ends at `expires_at`."""

    sha256: str
    stored: str
    data: bytes
    redacted: tuple[str, ...] = ()
    expires_at: int


def content_digest(skill_md: str, files: Iterable[BundleFile]) -> str:
    """Return the digest of a skill whose SKILL.md has the SHA-256 `skill_md` and whose `files` are sorted by path."""
    listed = "".join(f"{file.sha256} {file.path}\n" for file in files)
    return sha256(f"{skill_md}\n{listed}".encode()).hexdigest()


def _checksum(version: SkillVersion) -> str:
    return sha256(msgspec.json.encode(replace(version, checksum=""))).hexdigest()


SKILLS = Table(Skill, "skills", sort=("name",))
VERSIONS = Table(SkillVersion, "skill_versions", partition=("name",), sort=("number",))
CONTENTS = Table(SkillContent, "skill_contents", sort=("sha256",))
UPLOADS = Table(SkillUpload, "skill_uploads", sort=("sha256",), expires="expires_at")
