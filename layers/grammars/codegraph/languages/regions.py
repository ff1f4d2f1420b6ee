"""Split a file into regions by its syntax tree: code, and text in strings and comments."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from codegraph.languages.names import OUTLINED
from codegraph.languages.parser import parse_tree

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

_TEXT = re.compile(
    r"string|comment|regex|heredoc|jsx_text|preproc_arg|subshell|uninterpreted|char_literal|character_literal|rune_literal|delimited_symbol"
)
"""Parts of node names that hold text, in every grammar."""
_FRAME = re.compile(r"string_(?:start|end)|heredoc_(?:beginning|end)|delimiter|string_array|quote|encoding")
_CODE = re.compile(r"interpolation|substitution")
_NUMBER = re.compile(r"number|integer|float|int_literal|decimal|numeric")
_OPENING = re.compile(rb"[@$rRbBuUfFlL8]{0,3}#*(?:\"+|'+|`)|/[*/]+!?|#+|--")
_CLOSING = re.compile(rb"(?:\"+#*|'+|`|\*+/)$")


class Role(Enum):
    """Role of some bytes of a file."""

    TEXT = "text"
    """Within a string or a comment."""
    BROKEN = "broken"
    """Bytes that the parser could not make sense of."""
    ESCAPE = "escape"
    """An escape sequence within a string."""
    NUMBER = "number"
    NAME = "name"
    SIGN = "sign"
    """Operators, brackets and the quotes of strings."""


class Region(NamedTuple):
    """Bytes `start` to `end` of a file."""

    start: int
    end: int
    role: Role


def regions(language: str, source: bytes, spans: Sequence[tuple[int, int]]) -> list[Region] | None:
    """Return the regions of a file that overlap `spans`, which are in order and apart. Return None for a file that
    cannot be parsed. Bytes in no region are blank, or hidden from the parser."""
    tree = parse_tree(language, source) if language in OUTLINED else None
    return list(_regions(tree, source, spans)) if tree is not None else None


def _regions(tree: "Tree", source: bytes, spans: Sequence[tuple[int, int]]) -> Iterator[Region]:
    starts, ends = [start for start, _ in spans], [end for _, end in spans]

    def is_wanted(part: "Node | Region") -> bool:
        start, end = (part.start, part.end) if isinstance(part, Region) else (part.start_byte, part.end_byte)
        last = bisect_right(starts, end - 1) - 1
        return last >= 0 and ends[last] > start

    waiting: list[Node | Region] = [tree.root_node]
    while waiting:
        part = waiting.pop()
        if not is_wanted(part):
            continue
        if isinstance(part, Region):
            yield part
        elif part.is_error:
            yield Region(part.start_byte, part.end_byte, Role.BROKEN)
        elif _is_text(part):
            waiting.extend(reversed(list(_parts(part, source))))
        elif part.child_count:
            waiting.extend(reversed(part.children))
        else:
            yield Region(part.start_byte, part.end_byte, _role(part))


def _is_text(node: "Node") -> bool:
    return node.is_named and not _CODE.search(node.type) and _TEXT.search(node.type) is not None


def _role(leaf: "Node") -> Role:
    if not leaf.is_named:
        return Role.SIGN
    return Role.NUMBER if _NUMBER.search(leaf.type) else Role.NAME


def _parts(node: "Node", source: bytes) -> "Iterator[Node | Region]":
    """Yield the parts of a string or comment: its signs, its text, and the code in it."""
    if not node.child_count:
        yield from _of_leaf(node, source)
        return
    at = node.start_byte
    for child in node.children:
        if at < child.start_byte:
            yield Region(at, child.start_byte, Role.TEXT)
        at = child.end_byte
        if not child.is_named or _FRAME.search(child.type):
            yield Region(child.start_byte, child.end_byte, Role.SIGN)
        elif "escape" in child.type:
            yield Region(child.start_byte, child.end_byte, Role.ESCAPE)
        elif _CODE.search(child.type) or child.child_count:
            yield child
        else:
            yield Region(child.start_byte, child.end_byte, Role.TEXT)
    if at < node.end_byte:
        yield Region(at, node.end_byte, Role.TEXT)


def _of_leaf(node: "Node", source: bytes) -> Iterator[Region]:
    start, end = node.start_byte, node.end_byte
    if re.search(r"content|fragment|text|pattern|preproc_arg", node.type):
        yield Region(start, end, Role.TEXT)
        return
    opening = _OPENING.match(source, start, end)
    first = opening.end() if opening else start
    closing = _CLOSING.search(source, first, end)
    last = closing.start() if closing else end
    yield Region(start, first, Role.SIGN)
    yield Region(first, last, Role.TEXT)
    yield Region(last, end, Role.SIGN)
