"""The verdict of the reference validator (skills-ref 0.1.1), with reasons that say what to do.

It differs from the reference in three points. Front matter over the bounds of `yaml_parser.py` is invalid. A merge key
is an error, whereas the reference drops an object below it. A plain `=` or `<<` is text.
"""

from collections.abc import Mapping

from almanac.families.skills.format.fences import FENCE, split_strictly
from almanac.families.skills.format.findings import FormatFinding, quote
from almanac.families.skills.format.manifest import MAX_COMPATIBILITY, MAX_DESCRIPTION
from almanac.families.skills.format.names import name_findings
from almanac.families.skills.format.yaml_parser import UnreadableYaml, Value, read_yaml

FIELDS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")

_SHOWN_FIELDS = 20


def strict_findings(text: str, folder: str | None) -> tuple[FormatFinding, ...]:
    """Return the reasons why a SKILL.md is invalid, none if it is valid. `text` has plain newlines."""
    parted = split_strictly(text)
    if parted is None:
        return (_missing_front_matter(text),)
    try:
        yaml = read_yaml(parted.front)
    except UnreadableYaml as problem:
        return (FormatFinding("", problem.rule, problem.message, parted.first_line + problem.line),)
    if not isinstance(yaml.value, dict):
        return (FormatFinding("", "no_fields", f"The front matter has no fields. {_EXAMPLE}", parted.first_line),)
    deviations = [FormatFinding("", each.rule, each.message, parted.first_line + each.line) for each in yaml.deviations]
    return (*deviations, *_field_findings(yaml.value, folder))


_EXAMPLE = "Begin the file with ---, then name: … and description: …, each on its own line, then ---."


def _missing_front_matter(text: str) -> FormatFinding:
    if text.startswith("\ufeff"):
        return FormatFinding(
            "", "byte_order_mark", "The file begins with a byte order mark. Save it as UTF-8 without one.", 1
        )
    if text.startswith(FENCE):
        return FormatFinding(
            "", "front_matter_open", "The front matter does not end. Put --- on a line below its fields.", 1
        )
    return FormatFinding("", "no_front_matter", f"The file does not begin with front matter. {_EXAMPLE}", 1)


def _field_findings(fields: Mapping[str, Value], folder: str | None) -> list[FormatFinding]:
    found = _unknown_fields(fields)
    name = _text(fields, "name", "name: my-skill")
    found += [name] if isinstance(name, FormatFinding) else name_findings(name, folder)
    description = _text(fields, "description", "description: what it does, and when to use it")
    found += (
        [description]
        if isinstance(description, FormatFinding)
        else _too_long("description", description, MAX_DESCRIPTION)
    )
    if not isinstance(compatibility := fields.get("compatibility", ""), str):
        found.append(
            FormatFinding("compatibility", "compatibility_not_text", "compatibility is no text. Write one sentence.")
        )
    else:
        found += _too_long("compatibility", compatibility, MAX_COMPATIBILITY)
    return found


def _unknown_fields(fields: Mapping[str, Value]) -> list[FormatFinding]:
    unknown = sorted(fields.keys() - set(FIELDS))
    advice = f"Only {', '.join(FIELDS)} are allowed. Move it below metadata."
    return [
        FormatFinding(name[:100], "unknown_field", f"{quote(name)} is no field of the specification. {advice}")
        for name in unknown[:_SHOWN_FIELDS]
    ]


def _text(fields: Mapping[str, Value], field: str, example: str) -> str | FormatFinding:
    """Return a required text field, or the finding about it."""
    if field not in fields:
        return FormatFinding(field, f"{field}_missing", f"There is no {field}. Add a line {example}.")
    value = fields[field]
    if not isinstance(value, str):
        kind = "an object" if isinstance(value, dict) else "a list"
        return FormatFinding(field, f"{field}_not_text", f"{field} is {kind}. Write text, such as {example}.")
    if not value.strip():
        return FormatFinding(field, f"{field}_empty", f"{field} is empty. Write text, such as {example}.")
    return value


def _too_long(field: str, value: str, most: int) -> list[FormatFinding]:
    if len(value) <= most:
        return []
    return [FormatFinding(field, f"{field}_too_long", f"{field} has {len(value)} characters. Shorten it to {most}.")]
