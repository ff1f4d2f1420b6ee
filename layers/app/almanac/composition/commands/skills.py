"""Parts of the skills family for the laptop's commands: the format and the bundles."""

from almanac.families.skills.bundle.archives import MAX_ARCHIVE_BYTES, Archive, read_archive, skill_md_text
from almanac.families.skills.bundle.file_kinds import is_text
from almanac.families.skills.bundle.files import (
    MAX_FILE_BYTES,
    SKILL_MD,
    BundleFile,
    bundle_of,
    check_file_collisions,
    check_file_size,
    check_totals,
)
from almanac.families.skills.bundle.paths import check_path, check_segment, left_out
from almanac.families.skills.catalogue import DefaultSkill, default_skills
from almanac.families.skills.format.findings import FormatFinding
from almanac.families.skills.format.manifest import MAX_SKILL_MD, ManifestReport
from almanac.families.skills.format.skill_parser import read_skill

__all__ = [
    "MAX_ARCHIVE_BYTES",
    "MAX_FILE_BYTES",
    "MAX_SKILL_MD",
    "SKILL_MD",
    "Archive",
    "BundleFile",
    "DefaultSkill",
    "FormatFinding",
    "ManifestReport",
    "bundle_of",
    "check_file_collisions",
    "check_file_size",
    "check_path",
    "check_segment",
    "check_totals",
    "default_skills",
    "is_text",
    "left_out",
    "read_archive",
    "read_skill",
    "skill_md_text",
]
