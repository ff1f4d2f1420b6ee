"""Limit on how deeply a JSON value may be nested.

Functions that walk a JSON value call themselves once per level, and Python allows only about a thousand nested calls.
"""

from typing import Any, Final, cast

MAX_LEVELS: Final = 100


def may_be_too_deep(text: str | bytes) -> bool:
    """Return whether JSON text has enough brackets to be nested too deeply: a cheap test before the exact one."""
    if isinstance(text, bytes):
        return text.count(b"[") + text.count(b"{") > MAX_LEVELS
    return text.count("[") + text.count("{") > MAX_LEVELS


def is_too_deep(value: Any) -> bool:
    """Return whether lists and objects are nested more than `MAX_LEVELS` deep."""
    level: list[Any] = [value]
    for _ in range(MAX_LEVELS + 1):
        level = [child for node in level if isinstance(node, (dict, list)) for child in _children(node)]
        if not level:
            return False
    return True


def _children(node: Any) -> list[Any]:
    return list(cast("dict[str, Any]", node).values()) if isinstance(node, dict) else node
