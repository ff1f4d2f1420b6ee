"""Findings about a SKILL.md, which tell its author what to do."""

from msgspec import Struct

_SHOWN = 60


class FormatFinding(Struct, frozen=True):
    """A problem in a SKILL.md. `rule` is a stable name such as `name_not_lowercase`. `field` is the field of the front
    matter, "" for the whole file. `message` says what was found and what to do. `line` is the line of SKILL.md from 1,
    if known."""

    field: str
    rule: str
    message: str
    line: int | None = None


def quote(text: str) -> str:
    """Quote foreign text for a message: on one line, at most 60 characters, without invisible characters."""
    seen = "".join(each if each.isprintable() else "?" for each in text[:_SHOWN])
    return f'"{seen}…"' if len(text) > _SHOWN else f'"{seen}"'
