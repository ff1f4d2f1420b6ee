"""Facts that an expression's syntax alone shows: its constant, and its written form."""

import ast

from codegraph.python.summary.facts import NOTHING, Key
from codegraph.python.summary.recorder import LONGEST_CONSTANT

LONGEST_WRITTEN = 120


def constant_key(node: ast.expr | None) -> Key | None:
    """Return the key that a literal is in a dictionary, where `True` and `1.0` equal 1, or None if it is no short
    key."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = constant_key(node.operand)
        return -inner if isinstance(inner, int) else None
    if not isinstance(node, ast.Constant):
        return None
    found = node.value
    if isinstance(found, str):
        # Only Python accepts half of a surrogate pair as text.
        return found.encode("utf-8", "replace").decode() if len(found) <= LONGEST_CONSTANT else None
    if isinstance(found, float) and found.is_integer():
        found = int(found)
    if isinstance(found, int) and abs(found) < 1 << 53:
        return int(found)
    return None


def key_slot(node: ast.expr, slot: int) -> int:
    """Return the slot of a key, or `NOTHING` if it cannot be a constant."""
    if slot > 0 and isinstance(node, ast.Constant | ast.UnaryOp) and constant_key(node) is None:
        return NOTHING
    return slot


def dotted_text(node: ast.expr) -> tuple[str, str]:
    """Return an expression's dotted text, such as `a.b`, `make().b` or `d[].b`, and its last identifier, or "" if it
    has none."""
    if isinstance(node, ast.Name):
        return node.id, node.id
    parts: list[str] = []
    last = node.attr if isinstance(node, ast.Attribute) else ""
    suffix = ""
    for _ in range(12):
        if isinstance(node, ast.Attribute):
            parts.append(node.attr + suffix)
            suffix = ""
            node = node.value
        elif isinstance(node, ast.Call):
            suffix = f"(){suffix}"
            node = node.func
        elif isinstance(node, ast.Subscript):
            suffix = f"[]{suffix}"
            node = node.value
        else:
            break
    parts.append((node.id if isinstance(node, ast.Name) else f"<{type(node).__name__.lower()}>") + suffix)
    return ".".join(reversed(parts))[-LONGEST_WRITTEN:], last
