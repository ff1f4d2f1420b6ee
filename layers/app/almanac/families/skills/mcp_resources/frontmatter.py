"""Typed front matter for clients, which compare it field by field with their own YAML parser's result.

Stored front matter has only texts. Here a value without quotation marks gets its type by the core schema of YAML 1.2.
Dates stay text, as in that schema, and so do numbers that JSON cannot express.
"""

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any, cast

import msgspec

from almanac.families.skills.core.records import SkillVersion
from almanac.families.skills.format.fences import split_leniently, with_plain_newlines
from almanac.families.skills.format.yaml_parser import UnreadableYaml, read_yaml

_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_WHOLE = re.compile(r"[-+]?[0-9]+")
_PREFIXED = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_DECIMAL = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_MAX_DIGITS = 300
_EXACT = 2**53
"""From here on, clients differ in how they read whole numbers."""


def served_frontmatter(version: SkillVersion) -> Mapping[str, Any] | None:
    """Return the front matter of SKILL.md, typed. Returns None if it is not valid YAML as a whole, because clients
    cannot read it."""
    stored = msgspec.json.decode(version.frontmatter, type=dict[str, Any])
    if version.valid and all(core_value(text) is text for text in _texts(stored)):
        return stored
    part = split_leniently(with_plain_newlines(version.skill_md))
    if part is None:
        return None
    try:
        fields: Any = read_yaml(part.front, core_value).value
    except UnreadableYaml:
        return None
    return cast("dict[str, Any]", fields) if isinstance(fields, dict) else None


def core_value(text: str) -> Any:
    """Return the value of a plain scalar in the core schema, or the text itself."""
    if text in _WORDS:
        return _WORDS[text]
    if len(text) > _MAX_DIGITS:
        return text
    if _WHOLE.fullmatch(text):
        return _number(int(text), text)
    if _PREFIXED.fullmatch(text):
        return _number(int(text, 0), text)
    return _number(float(text), text) if _DECIMAL.fullmatch(text) else text


def _number(number: float, text: str) -> float | str:
    if isinstance(number, int) and abs(number) >= _EXACT:
        number = float(number)
    return number if math.isfinite(number) else text


def _texts(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in cast("dict[str, Any]", value).values():
            yield from _texts(each)
    elif isinstance(value, list):
        for each in cast("list[Any]", value):
            yield from _texts(each)
