"""Parse hostile and broken text to syntax trees, within bounds of time and memory.

The grammar of a language loads with its first file, which takes 1 to 5 ms. The parser continues after an error, so it
needs bounds: constructs that are still open at the end of a file cost it memory in the square of their length.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from itertools import count, pairwise
from typing import TYPE_CHECKING, Final

from codegraph.budget import thread_seconds
from codegraph.languages import call_signatures

if TYPE_CHECKING:
    from tree_sitter import Language, Point, Tree

MAX_BYTES: Final = 1_000_000
"""Size of the largest file that is parsed."""

_SECONDS, _SECONDS_A_BYTE = 0.15, 2.5e-7
"""CPU seconds that one file may take. A megabyte of ordinary code takes .2; what takes longer takes memory, too."""

_GRAMMARS: Final[Mapping[str, tuple[str, str]]] = {
    "c": ("tree_sitter_c", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
    "csharp": ("tree_sitter_c_sharp", "language"),
    "go": ("tree_sitter_go", "language"),
    "java": ("tree_sitter_java", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "python": ("tree_sitter_python", "language"),
    "ruby": ("tree_sitter_ruby", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
}
_PIECE = 1 << 16
_STEPS = 2
_OPEN_BRACKETS = 300
_DEEPEST_BRACKETS = 200
"""Deepest nesting of brackets that is parsed. Queries take time in the square of the depth of a tree, and cannot be
stopped. Code that people write nests brackets some 20 deep, and generated tables some 50."""
_DEEPEST_TREE = 1_000
_WIDEST, _WIDEST_ERROR = 50_000, 10_000
"""Children of one node. Of an error queries take time in the square of their number, and of any other node the passes
over the tree take a second for some 400,000. A table of a million characters has fewer than 50,000 cells."""
_SAMPLE_BYTES = 2_000
"""Distance between the places where the depth of a tree is measured. Chains such as a+a+a that are slow are longer."""
_LEAST_SAMPLES = 20
_ENDLESS_BYTES = 800
_KEPT = 300
_END = re.compile(rb"[;,{}]|(?<=[\w)\]}\"'`:])\n")
"""Possible ends of a statement or of a part of one. The end of a line counts unless a sign precedes it."""
_LINE_ENDS = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_)]}\"'`:")
"""Last bytes of a line that may end a statement, in the sense of `_END`."""
_BRACKETS = re.compile(rb"[()\[\]{}]")
_OPENING = frozenset((b"(", b"[", b"{"))
_VISIBLE = re.compile(rb"[^\s()\[\]]")


@cache
def grammar(language: str) -> "Language":
    """Return the grammar of one of `OUTLINED`."""
    from tree_sitter import Language  # noqa: PLC0415 - most functions never parse

    package, function = _GRAMMARS[language]
    pointer: object = getattr(import_module(package), function)()
    return Language(pointer)


def parse_tree(language: str, source: bytes, cpu: Callable[[], float] = thread_seconds) -> "Tree | None":
    """Return the syntax tree of `source` in one of `OUTLINED`, with the same byte positions, or None if parsing would
    take too much.

    `cpu` returns the seconds that this thread has used. Statements of more than 800 characters without any end may
    appear in the tree as blanks.
    """
    if _leaves_much_open(source) or _nests_deeply(source):
        return None
    bounded = _without_endless(source)
    deadline = cpu() + seconds_for(source)
    steps = count(1)

    def is_late(_offset: int, _has_error: bool) -> bool:
        # Asking for the time costs as much as ordinary steps between two calls. A scanner that looks ahead over all
        # comments takes up to a millisecond for each.
        return next(steps) % _STEPS == 0 and cpu() > deadline

    tree = _tree(language, bounded, is_late)
    if tree is None or _is_large(tree, len(source)):
        return None
    if language in call_signatures.LANGUAGES and tree.root_node.has_error:
        ended = call_signatures.with_ends(bounded)
        other = _tree(language, ended, is_late) if ended != bounded else None
        if (
            other is not None
            and not _is_large(other, len(source))
            and call_signatures.is_better(other, tree, grammar(language))
        ):
            return other
    return tree


def _tree(language: str, source: bytes, is_late: Callable[[int, bool], bool]) -> "Tree | None":
    """Return the tree, or None if `is_late` says so before the tree is complete."""
    from tree_sitter import Parser  # noqa: PLC0415 - most functions never parse

    def read(offset: int, _point: "Point") -> bytes:
        return source[offset : offset + _PIECE]

    try:
        return Parser(grammar(language)).parse(read, progress_callback=is_late)
    except ValueError:  # what the parser raises when it is told to stop
        return None


def seconds_for(source: bytes) -> float:
    """Return the CPU seconds that a pass over a file may take."""
    return _SECONDS + _SECONDS_A_BYTE * len(source)


def _without_endless(source: bytes) -> bytes:
    """Replace statements that do not end by blanks, because the parser would keep all of them in memory."""
    if _lines_end(source) or max(map(len, _END.split(source))) <= _ENDLESS_BYTES:
        return source
    ends = [found.end() for found in _END.finditer(source)]
    parts = (source[start:end] for start, end in pairwise([0, *ends, len(source)]))
    return b"".join(part if len(part) <= _ENDLESS_BYTES else _without_middle(part) for part in parts)


def _lines_end(source: bytes) -> bool:
    """Return whether line ends alone show that every statement ends soon. This quick test nearly always suffices."""
    length = 0
    for line in source.split(b"\n"):
        length += len(line) + 1
        if length > _ENDLESS_BYTES:
            return False
        if line and line[-1] in _LINE_ENDS:
            length = 0
    return True


def _without_middle(part: bytes) -> bytes:
    """Blank the middle of a long text or list. The quotes of a text, the name of a list and the brackets stay, so that
    what follows keeps its place."""
    return part[:_KEPT] + _VISIBLE.sub(b" ", part[_KEPT:-_KEPT]) + part[-_KEPT:]


def _leaves_much_open(source: bytes) -> bool:
    pairs = ((b"(", b")"), (b"[", b"]"), (b"{", b"}"))
    return any(abs(source.count(opening) - source.count(closing)) > _OPEN_BRACKETS for opening, closing in pairs)


def _nests_deeply(source: bytes) -> bool:
    """Return whether brackets nest too deeply, in one pass that also counts brackets in texts."""
    depth = 0
    for found in _BRACKETS.finditer(source):
        if found[0] in _OPENING:
            depth += 1
            if depth > _DEEPEST_BRACKETS:
                return True
        elif depth:
            depth -= 1
    return False


def _is_large(tree: "Tree", length: int) -> bool:
    """Return whether the tree is too deep or too wide at one of several places, spread evenly over its `length` in
    bytes. Chains of operators and calls make deep trees without brackets."""
    samples = max(_LEAST_SAMPLES, length // _SAMPLE_BYTES)
    return any(_is_large_at(tree, (2 * each + 1) * length // (2 * samples)) for each in range(samples))


def _is_large_at(tree: "Tree", place: int) -> bool:
    cursor = tree.walk()
    for _ in range(_DEEPEST_TREE):
        node = cursor.node
        if node is not None and node.child_count > (_WIDEST_ERROR if node.is_error else _WIDEST):
            return True
        if cursor.goto_first_child_for_byte(place) is None:
            return False
    return True
