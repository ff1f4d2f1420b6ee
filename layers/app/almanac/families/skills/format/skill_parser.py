"""Read a SKILL.md: once strictly, for the verdict, and once leniently, for use."""

import re
from collections.abc import Sequence

from almanac.families.skills.format.fallback_parser import salvaged_fields
from almanac.families.skills.format.fences import FencedText, part_leniently, part_strictly, with_plain_newlines
from almanac.families.skills.format.findings import FormatFinding
from almanac.families.skills.format.lenient import lenient_manifest
from almanac.families.skills.format.manifest import MAX_SKILL_MD, ManifestReport
from almanac.families.skills.format.strict import strict_findings
from almanac.families.skills.format.yaml_parser import MAX_CHARACTERS, UnreadableYaml, Value, read_yaml

MAX_FINDINGS = 50
"""Of errors, and of warnings."""

_SURROGATE = re.compile(r"[\ud800-\udfff]")


def read_skill(skill_md: str, folder: str | None) -> ManifestReport:
    """Read a SKILL.md in the folder of that name; None for no folder, so that the name is not compared.

    Never raises: what cannot be read is an error of the reading.
    """
    if (refused := _refused(skill_md)) is not None:
        return ManifestReport(None, valid=False, errors=(refused,), warnings=())
    text = with_plain_newlines(skill_md)
    errors = strict_findings(text, folder)
    # What is valid is loaded too, so the strict parting is tried where the other one finds no description.
    for parted in dict.fromkeys((part_leniently(text), part_strictly(text))):
        if parted is not None:
            fields, assumed = _fields(parted)
            manifest, warnings = lenient_manifest(fields, parted, folder)
            if manifest is not None:
                return ManifestReport(manifest, not errors, _bounded(errors), _bounded([*assumed, *warnings]))
    return ManifestReport(None, valid=False, errors=_bounded(errors), warnings=())


def _bounded(findings: Sequence[FormatFinding]) -> tuple[FormatFinding, ...]:
    more = len(findings) - MAX_FINDINGS
    if more <= 0:
        return tuple(findings)
    return (*findings[:MAX_FINDINGS], FormatFinding("", "more_findings", f"There are {more} more. Mend these first."))


def _refused(skill_md: str) -> FormatFinding | None:
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
        fields, found = salvaged_fields(parted.front, parted.first_line)
        if len(parted.front) > MAX_CHARACTERS:
            message = f"Only the first {MAX_CHARACTERS} characters of the front matter are read."
            found.append(FormatFinding("", "front_matter_cut", message, parted.first_line))
        return fields, found
    if not isinstance(yaml.value, dict):
        return {}, []
    return yaml.value, [
        FormatFinding("", each.rule, each.message, parted.first_line + each.line) for each in yaml.deviations
    ]
