"""Names in nodes of a syntax tree, as dotted parts."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

NAME_CHARACTERS = 200
_READ = 1_000
_DEEP = 64
_ARGUMENTS = re.compile(r"<[^<>]*>")
_OPERATOR = re.compile(r"\boperator\b.*", re.DOTALL)
_RECEIVER = re.compile(r"(\w+)[ \t]*(?:\[[^\]]*\])?[ \t]*\)$")
_OWNER = re.compile(r"[\w$]+(?:\.[\w$]+)*")
_NOT_OWNERS = frozenset({"exports", "module", "prototype", "this", "window", "globalThis"})


def text_of(node: "Node", source: bytes) -> str:
    """Return the beginning of a node's text."""
    return source[node.start_byte : min(node.end_byte, node.start_byte + _READ)].decode("utf-8", "replace")


def written_name(text: str, separator: str) -> tuple[tuple[str, ...], str]:
    """Return the qualifiers of a name, and the name: `("a", "A"), "f"` for `a::A<T>::f`. The name is "" if nothing is
    left."""
    if "<" not in text and not (separator == "::" and "::" in text):
        return (), _plain(text)
    operator = _OPERATOR.search(text)
    before = text[: operator.start()] if operator else text
    parts = [part.strip() for part in _without_arguments(before).split(separator)]
    parts = [_plain(part) for part in (*parts, operator[0] if operator else "") if part]
    return (tuple(parts[:-1]), parts[-1]) if parts else ((), "")


def _without_arguments(text: str) -> str:
    for _ in range(8):
        text, count = _ARGUMENTS.subn("", text)
        if not count:
            break
    return text.partition("<")[0]


def _plain(text: str) -> str:
    """Return a name without quotes, the brackets of a computed name, the colon of a symbol, or the lifetime of a
    reference."""
    text = " ".join(text.split())
    if text[:2] in {'["', "['"} and len(text) > 4:
        text = text[1:-1]
    if text[:1] in "\"'`" and len(text) > 2:
        text = text[1:-1]
    return text.removeprefix(":").removeprefix("&").removeprefix("mut ").strip()[:NAME_CHARACTERS]


def receiver_of(parameters: str) -> tuple[str, ...]:
    """Return the type of a Go receiver: `("A",)` for `(r *A[T])`."""
    found = _RECEIVER.search(parameters)
    return (found[1],) if found else ()


def owner_of(written: str) -> tuple[str, ...]:
    """Return the owner that a function is assigned to: `("A",)` for `A.prototype`, nothing for `module.exports` and for
    calls."""
    if not _OWNER.fullmatch(written):
        return ()
    return tuple(part for part in written.split(".") if part not in _NOT_OWNERS)


def declarator_node(node: "Node") -> "tuple[Node, bool] | None":
    """Return the node of the name in a C declarator, and whether it declares a function."""
    is_function = is_indirect = False
    for _ in range(_DEEP):
        if node.type == "function_declarator":
            is_function = True
        elif node.type == "parenthesized_declarator" and is_function:
            is_indirect = True
        inner = node.child_by_field_name("declarator")
        if inner is None and node.type in {"reference_declarator", "parenthesized_declarator", "attributed_declarator"}:
            inner = node.named_child(0)
        if inner is None:
            return node, is_function and not is_indirect
        node = inner
    return None


def bound_nodes(pattern: "Node") -> "Iterator[Node]":
    """Yield the nodes of the names that a JavaScript pattern binds, at most 64."""
    waiting, found = [pattern], 0
    while waiting and found < _DEEP:
        node = waiting.pop()
        match node.type:
            case "identifier" | "shorthand_property_identifier_pattern":
                found += 1
                yield node
            case "pair_pattern":
                waiting += [value] if (value := node.child_by_field_name("value")) else []
            case "assignment_pattern" | "object_assignment_pattern":
                waiting += [left] if (left := node.child_by_field_name("left")) else []
            case "object_pattern" | "array_pattern" | "rest_pattern":
                waiting += reversed(node.named_children[:_DEEP])
            case _:
                pass
