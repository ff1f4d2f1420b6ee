"""A lenient reader. Any SKILL.md with a description gives a manifest, and every assumption becomes a finding."""

import re
from collections.abc import Mapping
from typing import Any

from almanac.families.skills.format.fallback_parser import text_of_field
from almanac.families.skills.format.fences import FencedText
from almanac.families.skills.format.findings import FormatFinding, quote
from almanac.families.skills.format.manifest import MAX_COMPATIBILITY, MAX_DESCRIPTION, Manifest
from almanac.families.skills.format.names import NAMELESS, make_valid, name_findings, usable_name
from almanac.families.skills.format.strict import FIELDS
from almanac.families.skills.format.yaml_parser import Value

MAX_TOOLS = 200
"""Maximum number of tools that a skill may use without confirmation."""
MAX_TOOL = 500

MAX_BODY_LINES = 500
MAX_BODY_CHARACTERS = 20_000
"""About 5,000 tokens, the specification's advice."""
MAX_TAGS = 50
MAX_TAG = 100

_LISTED = 20
_SEPARATOR = re.compile(r"\s*,\s*")


def lenient_manifest(
    fields: Mapping[str, Value], parted: FencedText, folder: str | None
) -> tuple[Manifest | None, list[FormatFinding]]:
    """Return the manifest of `fields`, and the assumptions made. The manifest is None without a description."""
    reader = _Fields(fields, parted.front)
    description = reader.text("description")
    if description is None:
        return None, reader.findings
    if len(description) > MAX_DESCRIPTION:
        reader.note(
            "description",
            "description_too_long",
            f"It has {len(description)} characters; clients may cut it at {MAX_DESCRIPTION}.",
        )
    manifest = Manifest(
        name=reader.name(folder),
        description=description,
        license=reader.text("license"),
        compatibility=reader.compatibility(),
        metadata=reader.metadata(),
        allowed_tools=reader.allowed_tools(),
        version=reader.version(),
        tags=reader.tags(),
        frontmatter=dict(fields),
        body=parted.body,
    )
    reader.unknown_fields()
    return manifest, [*reader.findings, *_advice(parted.body)]


class _Fields:
    """Reads the fields of a front matter one by one, and collects assumptions in `found`."""

    def __init__(self, fields: Mapping[str, Value], front: str) -> None:
        self._fields = fields
        self._front = front
        self.findings: list[FormatFinding] = []

    def note(self, field: str, rule: str, message: str) -> None:
        self.findings.append(FormatFinding(field, rule, message))

    def text(self, field: str) -> str | None:
        """Return a field as trimmed text. A list or object is returned as its author wrote it."""
        value = self._fields.get(field)
        if value is None:
            return None
        if not isinstance(value, str):
            value = text_of_field(self._front, field)
            self.note(field, f"{field}_not_text", f"{field} is no text; what was written is taken as text.")
        return value.strip() or None

    def name(self, folder: str | None) -> str:
        stated = self._fields.get("name")
        if not isinstance(stated, str) or not stated.strip():
            name = make_valid(folder or NAMELESS)
            self.note("name", "name_missing", f"There is no name; {quote(name)} is taken from the folder.")
            return name
        usable = usable_name(stated)
        name = make_valid(stated) if usable is None else usable
        if usable is None:
            self.note("name", "name_replaced", f"{quote(stated)} cannot name a skill; it is called {quote(name)}.")
        self.findings += name_findings(name, folder)
        return name

    def compatibility(self) -> str | None:
        text = self.text("compatibility")
        if text is not None and len(text) > MAX_COMPATIBILITY:
            self.note(
                "compatibility",
                "compatibility_too_long",
                f"It has {len(text)} characters; clients may cut it at {MAX_COMPATIBILITY}.",
            )
        return text

    def metadata(self) -> dict[str, Any]:
        value = self._fields.get("metadata") or {}
        if not isinstance(value, dict):
            self.note(
                "metadata",
                "metadata_no_object",
                "metadata has no fields of its own; it stays in the front matter only.",
            )
            return {}
        if nested := [key for key, each in value.items() if not isinstance(each, str)][:_LISTED]:
            names = ", ".join(map(quote, nested))
            self.note("metadata", "metadata_nested", f"Not text: {names}. Other clients may drop it.")
        return dict(value)

    def allowed_tools(self) -> tuple[str, ...]:
        field = "allowed-tools"
        value = self._fields.get(field)
        if value is None and (value := self._fields.get("allowed_tools")) is not None:
            self.note(field, "allowed_tools_spelling", "allowed_tools is taken for allowed-tools. Write a hyphen.")
        tools, form = parse_tools(value)
        if form:
            self.note(
                field,
                "allowed_tools_form",
                f"allowed-tools is {form}. Write the tools in one line with spaces between them.",
            )
        return tools

    def version(self) -> str | None:
        value = self.metadata_value("version")
        return value.strip() or None if isinstance(value, str) else None

    def tags(self) -> tuple[str, ...]:
        value = self.metadata_value("tags")
        parts = _SEPARATOR.split(value) if isinstance(value, str) else value if isinstance(value, list) else []
        texts = [each.strip() for each in parts if isinstance(each, str)]
        tags = tuple(dict.fromkeys(each for each in texts if 0 < len(each) <= MAX_TAG))
        if len(tags) > MAX_TAGS:
            self.note("tags", "tags_too_many", f"It has {len(tags)} tags; the first {MAX_TAGS} count.")
        return tags[:MAX_TAGS]

    def metadata_value(self, name: str) -> Value | None:
        """Return a field of metadata, or else the top-level field of that name."""
        metadata = self._fields.get("metadata")
        inner = metadata.get(name) if isinstance(metadata, dict) else None
        return self._fields.get(name) if inner is None else inner

    def unknown_fields(self) -> None:
        if unknown := [each for each in self._fields if each not in FIELDS]:
            names = ", ".join(map(quote, unknown[:_LISTED])) + (" and more" if len(unknown) > _LISTED else "")
            self.note("", "unknown_fields", f"Kept as written, though not in the specification: {names}.")


def _advice(body: str) -> list[FormatFinding]:
    lines = body.count("\n") + 1
    if lines <= MAX_BODY_LINES and len(body) <= MAX_BODY_CHARACTERS:
        return []
    return [
        FormatFinding(
            "",
            "body_long",
            f"The body has {lines} lines and {len(body)} characters. Keep it under"
            f" {MAX_BODY_LINES} lines and about 5,000 tokens, and move details into files of the skill.",
        )
    ]


def parse_tools(value: Value | None) -> tuple[tuple[str, ...], str]:
    """Return the tools of a value, and a description of its form if the specification does not allow that form ("" if
    it does).

    The specification has one text with spaces between tools. Spaces and commas within parentheses belong to a tool:
    `Bash(git add:*) Read`.
    """
    if value is None or value == "":
        return (), ""
    if isinstance(value, str):
        tools, commas = _split_tools(value)
        form = "a list with commas" if commas else ""
    elif isinstance(value, list):
        tools = [each.strip() for each in value if isinstance(each, str) and each.strip()]
        form = "a list"
    else:
        return (), "an object, which grants nothing"
    accepted = tuple(dict.fromkeys(tool for tool in tools if len(tool) <= MAX_TOOL))
    if len(accepted) > MAX_TOOLS:
        return accepted[:MAX_TOOLS], f"too long, and cut after {MAX_TOOLS} tools"
    return accepted, form


def _split_tools(text: str) -> tuple[list[str], bool]:
    """Split at spaces and commas outside parentheses, and return whether there was such a comma."""
    parts, start, depth, commas = list[str](), 0, 0, False
    for place, each in enumerate(text):
        depth += (each == "(") - (each == ")" and depth > 0)
        if depth == 0 and (each == "," or each.isspace()):
            commas = commas or each == ","
            parts.append(text[start:place])
            start = place + 1
    return [part for part in [*parts, text[start:]] if part], commas
