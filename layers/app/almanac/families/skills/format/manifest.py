"""Manifest of a skill, from its SKILL.md."""

from typing import Any

from msgspec import Struct

from almanac.families.skills.format.findings import FormatFinding

MAX_NAME = 64
MAX_DESCRIPTION = 1024
MAX_COMPATIBILITY = 500
MAX_SKILL_MD = 1024 * 1024
"""Bytes in UTF-8. The longest of 756 public files has 294,426."""


class Manifest(Struct, frozen=True, kw_only=True):
    """The contents of a SKILL.md. `name` can serve as a key, a folder name and the last part of an address.
    `frontmatter` is the whole front matter in its order, with only texts, lists and objects; true, 12 and 2026-01-31
    are texts. `metadata` is its field of that name. `allowed_tools` are single grants such as `Bash(git add:*)`.
    `version` is metadata.version or the field `version`, as written. `body` is the Markdown below the front matter."""

    name: str
    description: str
    license: str | None = None
    compatibility: str | None = None
    metadata: dict[str, Any]
    allowed_tools: tuple[str, ...] = ()
    version: str | None = None
    tags: tuple[str, ...] = ()
    frontmatter: dict[str, Any]
    body: str


class ManifestReport(Struct, frozen=True):
    """The result of reading a SKILL.md. `valid` is the verdict of the reference validator, and `errors` are its
    reasons. `manifest` is the lenient reader's result, None without a description; `warnings` are that reader's
    assumptions and advice."""

    manifest: Manifest | None
    valid: bool
    errors: tuple[FormatFinding, ...]
    warnings: tuple[FormatFinding, ...]
