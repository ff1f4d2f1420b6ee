"""Export of the redaction rules as patterns for programs that have neither this package nor RE2.

The patterns mask more than the rules, which also verify checksums and skip words that only look like secrets.
"""

import re
from typing import Any

from almanac.content.redaction.commands import COMMANDS
from almanac.content.redaction.names import name_patterns
from almanac.content.redaction.places import PLACES
from almanac.content.redaction.shapes import SHAPES
from almanac.content.redaction.tokens import FORMATS

_KEY_BLOCK = (
    r"(-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]{24,65536}?"
    r"(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\Z))"
)


def masking_patterns() -> list[dict[str, Any]]:
    """Return rows of `kind`, `pattern` and `bits`. The one group of `pattern` that matched is the secret, for Python's
    `re`; `bits` is the minimum entropy per character. A text without `prefix`, or without a match of `needs` in any
    case, cannot match."""
    rows: list[dict[str, Any]] = [{"kind": "private_key", "pattern": _KEY_BLOCK, "prefix": "-----BEGIN"}]
    for format_ in FORMATS:
        for prefix in format_.prefixes:
            pattern = rf"(?<![A-Za-z0-9])({_escape(prefix)}(?:{format_.body}))"
            rows.append({"kind": format_.kind, "pattern": pattern, "prefix": prefix, "bits": 2.0})
    rules = (*SHAPES, *PLACES, *COMMANDS)
    rows += [{"kind": rule.kind, "pattern": _limit_repetitions(rule.pattern), "bits": rule.bits} for rule in rules]
    return [*rows, *_by_name()]


_OPEN = r"(?:[\[({]{1,2}[ \t]*)?(?:[bBrRuU]{1,2})?(?:\\?[\"'`]|&quot;|%22)"
_QUOTED = rf"{_OPEN}([^\s\"'`<>]{{5,200}}|(?=[^\"'`\n]*\d)[^\"'`\n]{{6,200}})"
# With a digit, or a sign that neither words nor names of code have.
_MIXED = r"(?![$<{%\[(])((?=[^\s\"'`<>,;]{0,60}[\d!@#%^&*?~+=])[^\s\"'`<>,;]{6,400})"
_TIGHT = r"(?![$<{%\[(])([^\s\"'`<>,;(){}\[\]]{6,400})"
_TIE = (
    r"(?:,default)?(?:[ \t]+(?:for|of|f\xfcr|von|de|pour)[ \t]+[\w@.-]{1,24})?[\"'`\])]{0,3}(?:&quot;|%22)?[ \t]*"
    r"(?:=>|:=|[!=]==?|<-|:[ \t]*\w{1,16}[ \t]*=|[:=]|%3[Dd])[ \t]*"
)
_SAID = (
    r"[ \t]+(?:is|was|are|(?:(?:has been|was|is)[ \t]+)?(?:re|up)?(?:set|changed|dated)[ \t]+to|to|ist|war|lautet|est"
    r"|es|era|\xe8)[ \t]*:?[ \t]+"
)


def _by_name() -> list[dict[str, Any]]:
    """Return rows for values after a telling name: tied by a sign, stated in a sentence, set apart, in an XML element,
    or as a list of bytes. Rows for command-line options and for weak names follow."""
    strong, little = name_patterns()
    bytes_ = r"((?:(?:0x[0-9a-f]{1,2}|\d{1,3})u?[, \t\r\n]{1,12}){7,200}(?:0x[0-9a-f]{1,2}|\d{1,3})?)"
    ways = (
        f"{_TIE}{_QUOTED}",
        f"{_TIE}{_MIXED}",
        rf"(?:=|:[ \t]?){_TIGHT}(?=[ \t]*(?:[\r\n,;&|]|\Z))",
        f"{_SAID}(?:{_QUOTED})",
        f"{_SAID}{_MIXED}",
        rf"[ \t]+{_QUOTED}(?=[\"'`])",
        rf"[ \t]+(?=\S{{8,400}}[ \t]*(?:[\r\n;]|\Z)){_MIXED}",
        r"[^<>\n]{0,80}>\s{0,20}([^<\s]{4,200})\s{0,20}</",
        rf"[\"']?[ \t]*[:=][^\n]{{0,24}}?[\[({{]{{1,2}}\s{{0,4}}{bytes_}",
    )
    option = rf"(?<![A-Za-z0-9-])--?[A-Za-z0-9-]{{0,30}}{strong}[ \t]+[\"']?{_MIXED}"
    key = rf"{little}{_TIE}(?:{_OPEN})?(?=[^\s\"'`<>,;&]{{0,60}}\d)([A-Za-z0-9_/+=.-]{{12,400}})"
    # One pattern for all ways, because the names alone take most of the compile time in a hook.
    rows = [
        {"pattern": f"{strong}(?:{'|'.join(ways)})", "bits": 2.0},
        {"pattern": option, "bits": 2.0, "needs": r"(?:^|\s)--?[a-z]"},
        {"pattern": key, "bits": 3.0, "needs": r"[a-z]\S{0,40}[ \t]?[=:][ \t\"'`\[({]*[a-z0-9_/+=.-]{12}"},
    ]
    return [{"kind": "secret", **row, "pattern": f"(?i){row['pattern']}"} for row in rows]


def _limit_repetitions(pattern: str) -> str:
    """Limit the repetitions between two words. A backtracking engine would otherwise search from each word to the end
    of the line."""
    return re.sub(r"(?<=\])\*\?", "{0,300}?", pattern)


def _escape(text: str) -> str:
    return "".join(one if one.isalnum() or one in "_-/" else f"\\{one}" for one in text)
