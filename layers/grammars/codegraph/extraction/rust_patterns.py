"""Names bound by the patterns of Rust: `Some(x)`, `(a, b)`, `S { x, y: z }`."""

from tree_sitter import Node

from codegraph.extraction.summary import UNWRAPPED, Kind
from codegraph.extraction.walker import Walker

UNWRAPPING = frozenset(("Some", "Ok"))
MOST_PATTERNS = 500


def bind_pattern(walker: Walker, pattern: Node | None, scope: int, kind: Kind, chain: str) -> None:
    waiting, seen = [(pattern, chain)], 0
    while waiting and seen < MOST_PATTERNS:
        node, value = waiting.pop()
        seen += 1
        if node is None:
            continue
        match node.type:
            case "identifier" | "shorthand_field_identifier":
                if not walker.text(node)[:1].isupper():
                    walker.bind(scope, walker.text(node), kind, node, value)
            case "tuple_struct_pattern":
                parts = node.named_children
                wrapped = walker.text(parts[0]) in UNWRAPPING and len(parts) == 2
                inner = f"{value}.{UNWRAPPED}" if wrapped and value else ""
                waiting += [(each, inner) for each in parts[1:]]
                walker.go_into(() if wrapped else parts[:1], scope)
            case "struct_pattern":
                waiting += [(each, "") for each in node.named_children[1:]]
                walker.go_into(node.named_children[:1], scope)
            case "field_pattern":
                waiting.append((node.child_by_field_name("pattern") or node.child_by_field_name("name"), ""))
            case "mut_pattern" | "reference_pattern" | "ref_pattern" | "match_pattern":
                waiting += [(each, value) for each in node.named_children if each.type != "mutable_specifier"]
            case "scoped_identifier":
                walker.go_into((node,), scope)
            case _:
                waiting += [(each, "") for each in node.named_children]
