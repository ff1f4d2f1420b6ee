"""Names bound by the patterns of JavaScript: `const {a, b: [c]} = f()`."""

from tree_sitter import Node

from codegraph.extraction.summary import ELEMENT, Kind
from codegraph.extraction.walker import MOST_LINKS, Walker


def bind_pattern(walker: Walker, pattern: Node | None, scope: int, kind: Kind, chain: str) -> None:
    """Bind each name of a pattern to its part of what the chain holds."""
    waiting = [(pattern, chain)]
    while waiting:
        node, value = waiting.pop()
        if node is None:
            continue
        if value.count(".") > MOST_LINKS:
            value = ""
        match node.type:
            case "identifier" | "shorthand_property_identifier_pattern":
                name = walker.text(node)
                part = f"{value}.{name}" if value and node.type != "identifier" else value
                walker.bind(scope, name, kind, node, part)
            case "object_pattern" | "object_assignment_pattern":
                waiting += [(child, value) for child in reversed(node.named_children[: _most(node)])]
            case "pair_pattern":
                key = walker.text(node.child_by_field_name("key"))
                waiting.append((node.child_by_field_name("value"), f"{value}.{key}" if value else ""))
            case "assignment_pattern":
                walker.go_into((node.child_by_field_name("right"),), scope)
                waiting.append((node.child_by_field_name("left"), value))
            case "array_pattern":
                part = f"{value}.{ELEMENT}" if value else ""
                waiting += [(child, part) for child in reversed(node.named_children)]
            case "rest_pattern":
                waiting += [(child, "") for child in node.named_children]
            case _:
                pass


def _most(node: Node) -> int | None:
    """Of `{a = 1}` the name only."""
    return 1 if node.type == "object_assignment_pattern" else None
