"""A parser for front matter that is not valid YAML as a whole. It parses each field on its own, and falls back to plain
text.

So `description: use when: asked` means what its author intended, and one broken field does not affect the others.
"""

import re

from almanac.families.skills.format.findings import FormatFinding, quote
from almanac.families.skills.format.yaml_parser import MAX_CHARACTERS, UnreadableYaml, Value, read_yaml

MAX_FIELDS = 500

_FIELD = re.compile(r"^(?P<name>[^\s#:\-?\[\]{}\"'&*!|>%@`,][^\s:]*)[ \t]*:(?:[ \t]+|$)", re.MULTILINE)
_BLOCK = re.compile(r"^[|>][-+0-9]*[ \t]*(?:#.*)?$")
_UNPRINTABLE = re.compile("[^\t\n\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def salvage_fields(front: str, first_line: int) -> tuple[dict[str, Value], list[FormatFinding]]:
    """Return the fields of `front`, and findings about fields that are taken as text. The last of two fields with one
    name counts."""
    fields: dict[str, Value] = {}
    found: list[FormatFinding] = []
    front = _UNPRINTABLE.sub("", front[:MAX_CHARACTERS])
    starts = list(_FIELD.finditer(front))[:MAX_FIELDS]
    for place, start in enumerate(starts):
        end = starts[place + 1].start() if place + 1 < len(starts) else len(front)
        name, block = start["name"], front[start.start() : end]
        try:
            value = _field_in(block, name)
        except UnreadableYaml:
            value = _join_lines(front[start.end() : end])
            line = first_line + front.count("\n", 0, start.start())
            message = f"{quote(name)} is no YAML; it is taken as text, as it is written."
            found.append(FormatFinding(name[:100], "field_as_text", message, line))
        fields[name] = value
    return fields, found


def text_of_field(front: str, name: str) -> str:
    """Return the text of a field's value on one line, "" if there is no such field."""
    starts = list(_FIELD.finditer(front))
    for place, start in enumerate(starts):
        if start["name"] == name:
            end = starts[place + 1].start() if place + 1 < len(starts) else len(front)
            return _join_lines(front[start.end() : end])
    return ""


def _field_in(block: str, name: str) -> Value:
    value = read_yaml(block).value
    if not isinstance(value, dict) or name not in value:
        raise UnreadableYaml("not_yaml", "It is not a field by itself.", 0)
    return value[name]


def _join_lines(text: str) -> str:
    lines = [line.strip() for line in text.splitlines()]
    if lines and _BLOCK.match(lines[0]):
        del lines[0]
    whole = " ".join(line for line in lines if line)
    closed = len(whole) > 1 and whole[0] in "\"'" and whole[-1] == whole[0]
    return whole[1:-1] if closed else whole
