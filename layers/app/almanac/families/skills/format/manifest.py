"""Manifest of a skill, from its SKILL.md."""

from typing import Any

from msgspec import Struct

from almanac.families.skills.format.findings import FormatFinding

MAX_NAME = 64
MAX_DESCRIPTION = 1024
MAX_COMPATIBILITY = 500
MAX_SKILL_MD = 1024 * 1024
"""Bytes in UTF-8. The longest of 756 public ones has 294,426."""


class Manifest(Struct, frozen=True, kw_only=True):
    """`name` can be a key, the name of a folder and the last part of an address. `frontmatter` is the whole front
    matter in its order: texts, lists and objects; true, 12 and 2026-01-31 are texts. `metadata` is its field of that
    name. `allowed_tools` are grants, one each, such as `Bash(git add:*)`. `version` is metadata.version or the field
    `version`, as it is written. `body` is the Markdown below the front matter."""

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
    """`valid` is the verdict of the reference validator, `errors` why it says no. `manifest` is what a lenient reader
    makes of the text, None where it has no description; `warnings` are what that reader had to assume, and advice."""

    manifest: Manifest | None
    valid: bool
    errors: tuple[FormatFinding, ...]
    warnings: tuple[FormatFinding, ...]
