"""Signature of a definition, and the comment that belongs to it."""

import re
from ast import literal_eval
from collections.abc import Sequence
from inspect import cleandoc

from codegraph.symbols.finder import DefinitionNode
from codegraph.symbols.grammars import Grammar

SIGNATURE_CHARACTERS = 300
DOC_CHARACTERS = 2_000
_COMMENT_LINES = 100
_PREFIX_CHARACTERS = 80
_KEYWORDS = re.compile(r"[\w \t]*")
_ANNOTATIONS = re.compile(
    r"^(?:@[\w.]+[ \t]*(?:\((?:[^()\"]|\"[^\"]*\"|\([^()]*\))*\))?\s+|\[[^\[\]]*\]\s+|#\[[^\[\]]*\]\s+)*"
)
_END = re.compile(r"[\s{:;=,]+$|[\s]*=>[\s{(]*$")
_MARKS = re.compile(r"^\s*(?:/\*+!?|\*+/|\*|//[/!]?|#+:?|--)?[ \t]?|\s*\*+/\s*$")
_DIRECTIVES = re.compile(
    r"^\s*(?:eslint|tslint|prettier|istanbul|c8|v8|biome|@ts-|nolint|go:|\+build|noqa|type: ?ignore|pylint|pragma|fmt:"
    r"|isort:|rubocop|frozen_string_literal|clang-format|NOLINT|=begin|=end|[-=*#/~_]{3,}\s*$)",
    re.IGNORECASE,
)


def signature_of(found: DefinitionNode, source: bytes) -> str:
    """Return one bounded line from the keywords before the definition to its body, without annotations."""
    end = found.body if found.body > found.start else found.end
    text = source[found.start : min(end, found.start + 4 * SIGNATURE_CHARACTERS)].decode("utf-8", "replace")
    text = _ANNOTATIONS.sub("", text, count=1)
    if found.body < 0:
        text = _head(text, found)
    text = (_keywords_before(found, source) or "") + text
    return _END.sub("", " ".join(text.split())[:SIGNATURE_CHARACTERS])


def _keywords_before(found: DefinitionNode, source: bytes) -> str | None:
    """Return the words before a definition on its line, such as `export const`, or None if there is more than words."""
    line_start = source.rfind(b"\n", 0, found.start) + 1
    if found.start - line_start > _PREFIX_CHARACTERS:
        return None
    before = source[line_start : found.start].decode("utf-8", "replace")
    return before if _KEYWORDS.fullmatch(before) else None


def _head(text: str, found: DefinitionNode) -> str:
    """Return the start of a definition without a body: a struct up to its brace, a value up to the end of its line, a
    declaration whole."""
    if found.kind in {"constant", "variable", "field", "macro"}:
        return text.partition("\n")[0]
    return text.partition("{")[0] if found.kind in {"class", "interface", "enum", "module"} else text


def start_line_of(first: int, lines: Sequence[str], rules: Grammar) -> int:
    """Return the line of the first annotation directly above line `first`, or `first` itself. Lines are counted from
    0."""
    line = first
    while rules.attribute and line > max(0, first - _COMMENT_LINES) and _is_attribute(lines[line - 1], rules.attribute):
        line -= 1
    return line


def _is_attribute(line: str, sign: str) -> bool:
    bare = line.strip()
    return bare.startswith(sign) and (sign == "@" or bare.endswith("]"))


def doc_of(
    found: DefinitionNode, source: bytes, start_line: int, lines: Sequence[str], rules: Grammar
) -> tuple[str, int]:
    """Return the docstring or the comment that ends on the line above `start_line`, cleaned and bounded, and the first
    line of the comment, counted from 1, or 0 if there is none."""
    begins = _keywords_before(found, source) is not None
    first = _comment_above(start_line, lines, rules.comment) if begins else start_line
    cleaned = [_MARKS.sub("", line).rstrip() for line in lines[first:start_line]]
    doc = "\n".join(line for line in cleaned if not _DIRECTIVES.match(line)).strip()
    if found.docstring:
        doc = _literal_text(found.docstring).strip()
    return doc[:DOC_CHARACTERS], first + 1 if first < start_line else 0


def _comment_above(start_line: int, lines: Sequence[str], sign: str) -> int:
    """Return the first line of the comment that ends above `start_line`, or `start_line` if there is none."""
    lowest = max(0, start_line - _COMMENT_LINES)
    line = start_line - 1
    if line >= lowest and sign == "//" and lines[line].rstrip().endswith("*/"):
        while line >= lowest and "/*" not in lines[line]:
            line -= 1
        return line if line >= lowest and lines[line].lstrip().startswith("/*") else start_line
    while line >= lowest and _is_comment(lines[line].lstrip(), sign):
        line -= 1
    return line + 1


def _is_comment(line: str, sign: str) -> bool:
    return line.startswith(sign) and not line.startswith("#!")


def _literal_text(literal: str) -> str:
    """Return the text of a Python literal. If it is cut off or cannot be evaluated, return it without its quotes."""
    try:
        value = literal_eval(literal)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        value = literal.lstrip("rRbBuUfF").strip("\"'")
    return cleandoc(value) if isinstance(value, str) else ""
