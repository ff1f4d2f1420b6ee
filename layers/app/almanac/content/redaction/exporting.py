"""Export the rules of redaction as patterns for programs that have neither this package nor RE2.

They mask more than the rules themselves, which also check checksums and words that only look like secrets.
"""

import re
from typing import Any

from almanac.content.redaction.commands import COMMANDS
from almanac.content.redaction.names import telling_names
from almanac.content.redaction.places import PLACES
from almanac.content.redaction.shapes import SHAPES
from almanac.content.redaction.tokens import FORMATS

_KEY_BLOCK = (
    r"(-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]{24,65536}?"
    r"(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\Z))"
)


def masking_patterns() -> list[dict[str, Any]]:
    """Return rows of `kind`, `pattern` (group 1 is the secret, for Python's `re`), `bits` (the least entropy of a
    character) and, where texts without it cannot match, `prefix`."""
    rows: list[dict[str, Any]] = [{"kind": "private_key", "pattern": _KEY_BLOCK, "prefix": "-----BEGIN"}]
    for one in FORMATS:
        for prefix in one.prefixes:
            pattern = rf"(?<![A-Za-z0-9])({_quoted(prefix)}(?:{one.body}))"
            rows.append({"kind": one.kind, "pattern": pattern, "prefix": prefix, "bits": 2.0})
    rules = (*SHAPES, *PLACES, *COMMANDS)
    rows += [{"kind": one.kind, "pattern": _bounded(one.pattern), "bits": one.bits} for one in rules]
    value = r"[\"']?[ \t]*(?:=>|:=|[:=])[ \t]*[\"'`]?([^\s\"'`,;<>(){}\[\]$]{6,})"
    named = rf"(?i)(?<![A-Za-z0-9_.-])(?:{telling_names()}){value}"
    return [*rows, {"kind": "secret", "pattern": named, "bits": 2.0}]


def _bounded(pattern: str) -> str:
    """Return the pattern with a limit on what lies between two words of it, which an engine that backtracks would
    otherwise look for from each word to the end of the line."""
    return re.sub(r"(?<=\])\*\?", "{0,300}?", pattern)


def _quoted(text: str) -> str:
    return "".join(one if one.isalnum() or one in "_-/" else f"\\{one}" for one in text)
