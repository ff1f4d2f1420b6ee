"""Findings of a reader of a SKILL.md, which tell its author what to do."""

from msgspec import Struct

_SHOWN = 60


class FormatFinding(Struct, frozen=True):
    """`rule` is a stable name such as `name_not_lowercase`, `field` the field of the front matter ("" for the file),
    `message` what was found and what to do, `line` the line of SKILL.md, from 1, where one is known."""

    field: str
    rule: str
    message: str
    line: int | None = None


def shown(text: str) -> str:
    """Text of others within a message: in quotes, on one line, at most 60 characters, nothing that cannot be seen."""
    seen = "".join(each if each.isprintable() else "?" for each in text[:_SHOWN])
    return f'"{seen}…"' if len(text) > _SHOWN else f'"{seen}"'
