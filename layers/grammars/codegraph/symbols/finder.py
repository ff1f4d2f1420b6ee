"""Find definitions in a syntax tree with the query of its language. They are not yet nested."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from operator import itemgetter
from typing import TYPE_CHECKING, Final, cast

from msgspec import Struct, field

from codegraph.languages.parser import grammar
from codegraph.symbols.grammars import GRAMMARS, Grammar
from codegraph.symbols.names import bound_nodes, declarator_node, owner_of, receiver_of, text_of, written_name
from codegraph.symbols.outlines import Kind

if TYPE_CHECKING:
    from tree_sitter import Node, Query, Tree

MAX_FOUND = 20_000
MAX_ERRORS = 1_000
_MATCHES_AT_ONCE = 1_000
"""Most matches that a query may have begun and not finished. Without a limit it takes time in the square of the width
of a node that is full of errors."""
_STEPS = 100
_DOCSTRING = 8_000
_HELPERS: Final = frozenset({"name", "declarator", "pattern", "owner", "outer", "exported", "export", "error", "scope"})


class DefinitionNode(Struct, frozen=True, kw_only=True):
    """Definition as the query found it. Offsets are bytes, lines are counted from 0. `kind` is None for a node that
    only contains others, such as an impl. `body` is where the body begins, or -1. `declares`: a definition inside it is
    local."""

    kind: Kind | None
    name: str
    owner: tuple[str, ...]
    start: int
    end: int
    body: int
    line: int
    start_line: int
    end_line: int
    declares: bool
    docstring: str = ""


class Finds(Struct, kw_only=True):
    """Everything that the query found. `outer_lines` maps the line of a `def` to the first line of its decorators.
    `exporting` are ranges that export what they declare, `exported_names` names that are exported elsewhere."""

    found: dict[int, DefinitionNode] = field(default_factory=dict[int, DefinitionNode])
    outer_lines: dict[int, int] = field(default_factory=dict[int, int])
    exporting: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    exported_names: set[str] = field(default_factory=set[str])
    errors: int = 0
    left_out: int = 0


def finds(tree: "Tree", source: bytes, language: str, is_late: Callable[[], bool]) -> Finds | None:
    """Return what the query finds, or None if `is_late` says so before it finishes."""
    from tree_sitter import QueryCursor  # noqa: PLC0415 - most functions never parse

    result = Finds()
    cursor = QueryCursor(_query(language), match_limit=_MATCHES_AT_ONCE)
    # If several patterns match a name, the first in the query counts.
    for number, (_, captures) in enumerate(sorted(cursor.matches(tree.root_node), key=itemgetter(0))):
        if number % _STEPS == 0 and is_late():
            return None
        _take(captures, source, GRAMMARS[language], result)
    return None if is_late() else result


@cache
def _query(language: str) -> "Query":
    from tree_sitter import Query  # noqa: PLC0415 - most functions never parse

    return Query(grammar(language), GRAMMARS[language].query)


def _take(captures: "Mapping[str, list[Node]]", source: bytes, rules: Grammar, result: Finds) -> None:
    if "error" in captures:
        result.errors = min(MAX_ERRORS, result.errors + 1)
    elif "outer" in captures:
        (outer,) = captures["outer"]
        inner = outer.child_by_field_name("definition")
        if inner is not None:
            result.outer_lines[inner.start_point.row] = outer.start_point.row
    elif "exported" in captures:
        result.exporting += [(node.start_byte, node.end_byte) for node in captures["exported"]]
    elif "export" in captures:
        result.exported_names.update(text_of(node, source) for node in captures["export"])
    else:
        for one, place in _definitions_in(captures, source, rules):
            if len(result.found) < MAX_FOUND or place in result.found:
                result.found.setdefault(place, one)
            else:
                result.left_out += 1


def _definitions_in(
    captures: "Mapping[str, list[Node]]", source: bytes, rules: Grammar
) -> "Iterator[tuple[DefinitionNode, int]]":
    """Yield the definitions of one match, with the offsets of their names. If several matches find a name, the first
    counts."""
    kind = next((name for name in captures if name not in _HELPERS and not name.startswith("_")), None)
    (node, *_) = captures[kind or "scope"]
    owner = _owner(captures, source)
    for name_node, declares_function in _name_nodes(captures):
        inside, name = written_name(text_of(name_node, source), rules.separator)
        if name in {"", "_"}:
            continue
        yield (
            DefinitionNode(
                kind="function" if declares_function else cast("Kind | None", kind),
                name=name,
                owner=(*owner, *inside) if kind else (),
                start=node.start_byte,
                end=node.end_byte,
                body=_body(node),
                line=name_node.start_point.row,
                start_line=node.start_point.row,
                end_line=_last_line(node),
                declares=kind in {"variable", "constant"},
                docstring=_docstring(node, source) if rules.comment == "#" and kind in {"function", "class"} else "",
            ),
            name_node.start_byte,
        )


def _name_nodes(captures: "Mapping[str, list[Node]]") -> "Iterator[tuple[Node, bool]]":
    for node in captures.get("name", ()):
        yield node, False
    for pattern in captures.get("pattern", ()):
        yield from ((node, False) for node in bound_nodes(pattern))
    for declarator in captures.get("declarator", ()):
        found = declarator_node(declarator)
        if found is not None:
            yield found


def _owner(captures: "Mapping[str, list[Node]]", source: bytes) -> tuple[str, ...]:
    if "owner" not in captures:
        return ()
    written = text_of(captures["owner"][0], source)
    return receiver_of(written) if written.startswith("(") else owner_of(written)


def _body(node: "Node") -> int:
    body = node.child_by_field_name("body")
    if body is None and (value := node.child_by_field_name("value") or node.child_by_field_name("right")) is not None:
        body = value.child_by_field_name("body")
    return -1 if body is None else body.start_byte


def _last_line(node: "Node") -> int:
    """Return the last line of a node. A node that ends with its line break ends on the line before."""
    row, column = node.end_point
    return row if column or row == node.start_point.row else row - 1


def _docstring(node: "Node", source: bytes) -> str:
    body = node.child_by_field_name("body")
    first = body.named_child(0) if body is not None and body.named_child_count else None
    string = first.named_child(0) if first is not None and first.type == "expression_statement" else None
    if string is None or string.type != "string":
        return ""
    return source[string.start_byte : min(string.end_byte, string.start_byte + _DOCSTRING)].decode("utf-8", "replace")
