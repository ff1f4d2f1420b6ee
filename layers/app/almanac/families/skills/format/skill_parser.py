"""Parse a SKILL.md twice: strictly for the verdict, and leniently for use."""

import re
from collections.abc import Sequence

from almanac.families.skills.format.fallback_parser import salvage_fields
from almanac.families.skills.format.fences import FencedText, split_leniently, split_strictly, with_plain_newlines
from almanac.families.skills.format.findings import FormatFinding
from almanac.families.skills.format.lenient import lenient_manifest
from almanac.families.skills.format.manifest import MAX_SKILL_MD, ManifestReport
from almanac.families.skills.format.strict import strict_findings
from almanac.families.skills.format.yaml_parser import MAX_CHARACTERS, UnreadableYaml, Value, read_yaml

MAX_FINDINGS = 50
"""Limit for errors, and for warnings."""

_SURROGATE = re.compile(r"[\ud800-\udfff]")


def read_skill(skill_md: str, folder: str | None) -> ManifestReport:
    """Parse a SKILL.md from the folder of that name. Without a folder, the name is not compared with it.

    Never raises. An unreadable text becomes an error in the report.
    """
    if (refused := _find_unreadable(skill_md)) is not None:
        return ManifestReport(None, valid=False, errors=(refused,), warnings=())
    text = with_plain_newlines(skill_md)
    errors = strict_findings(text, folder)
    # Valid text must load too, so the strict split is tried if the lenient one finds no description.
    for parted in dict.fromkeys((split_leniently(text), split_strictly(text))):
        if parted is not None:
            fields, assumed = _fields(parted)
            manifest, warnings = lenient_manifest(fields, parted, folder)
            if manifest is not None:
                return ManifestReport(
                    manifest, not errors, _limit_findings(errors), _limit_findings([*assumed, *warnings])
                )
    return ManifestReport(None, valid=False, errors=_limit_findings(errors), warnings=())


def _limit_findings(findings: Sequence[FormatFinding]) -> tuple[FormatFinding, ...]:
    more = len(findings) - MAX_FINDINGS
    if more <= 0:
        return tuple(findings)
    return (*findings[:MAX_FINDINGS], FormatFinding("", "more_findings", f"There are {more} more. Mend these first."))


def _find_unreadable(skill_md: str) -> FormatFinding | None:
    if len(skill_md.encode(errors="surrogatepass")) > MAX_SKILL_MD:
        return FormatFinding(
            "", "file_too_long", f"SKILL.md is over {MAX_SKILL_MD} bytes. Move details into other files."
        )
    if _SURROGATE.search(skill_md):
        return FormatFinding("", "not_utf8", "SKILL.md has halves of characters. Save it as UTF-8.")
    return None


def _fields(parted: FencedText) -> tuple[dict[str, Value], list[FormatFinding]]:
    try:
        yaml = read_yaml(parted.front)
    except UnreadableYaml:
        fields, found = salvage_fields(parted.front, parted.first_line)
        if len(parted.front) > MAX_CHARACTERS:
            message = f"Only the first {MAX_CHARACTERS} characters of the front matter are read."
            found.append(FormatFinding("", "front_matter_cut", message, parted.first_line))
        return fields, found
    if not isinstance(yaml.value, dict):
        return {}, []
    return yaml.value, [
        FormatFinding("", each.rule, each.message, parted.first_line + each.line) for each in yaml.deviations
    ]
