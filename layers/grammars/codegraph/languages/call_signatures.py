"""TypeScript's members that begin with their type parameters: the parser takes them for a part of the member above.

    interface Get {
      (path: string): App
      <P extends string>(path: P): App
    }

It ends a member at a line break unless the next line begins with a sign that may go on with it, and `<` may. What
follows is lost then, up to the end of the interface.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Language, Query, Tree

LANGUAGES: Final = frozenset({"typescript", "tsx"})
_BEGINS = re.compile(rb"^[ \t]+(?=<[A-Za-z_$])", re.MULTILINE)
_COMMENT = (b"//", b"/*", b"*")
_COMMENT_LINES = 100
_MATCHES_AT_ONCE = 1_000
_ENDS = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$)]}>'\"`")
"""Last bytes of a line that may end a member."""


def with_ends(source: bytes) -> bytes:
    """Return the source with `;` in place of the blank before each such line, where the code line above may end a
    member. The length stays the same, so all positions stay valid."""
    ended = bytearray(source)
    for place in _places(source):
        ended[place] = ord(";")
    return bytes(ended)


def is_better(one: "Tree", other: "Tree", language: "Language") -> bool:
    """Return whether the first tree has fewer errors."""
    return _errors(one, language) < _errors(other, language)


def _places(source: bytes) -> Iterator[int]:
    for found in _BEGINS.finditer(source):
        above = _code_above(source, found.start())
        if above and above[-1] in _ENDS:
            yield found.end() - 1


def _code_above(source: bytes, start: int) -> bytes:
    """Return the nearest line above the one that begins at `start` that is neither blank nor a comment, or b"" if there
    is none."""
    end = start - 1
    for _ in range(_COMMENT_LINES):
        if end <= 0:
            break
        begin = source.rfind(b"\n", 0, end) + 1
        line = source[begin:end].strip()
        if line and not line.startswith(_COMMENT):
            return line
        end = begin - 1
    return b""


def _errors(tree: "Tree", language: "Language") -> int:
    from tree_sitter import QueryCursor  # noqa: PLC0415 - most functions never parse

    return sum(map(len, QueryCursor(_query(language), match_limit=_MATCHES_AT_ONCE).captures(tree.root_node).values()))


@cache
def _query(language: "Language") -> "Query":
    from tree_sitter import Query  # noqa: PLC0415 - most functions never parse

    return Query(language, "(ERROR) @error (MISSING) @missing")
