"""How deep a JSON value may go. Code that walks one calls itself at every level, and Python has only a thousand."""

from typing import Any, Final, cast

MAX_LEVELS: Final = 100


def may_be_too_deep(text: str | bytes) -> bool:
    """Whether JSON text has brackets enough to go too deep: a cheap test before the exact one."""
    if isinstance(text, bytes):
        return text.count(b"[") + text.count(b"{") > MAX_LEVELS
    return text.count("[") + text.count("{") > MAX_LEVELS


def is_too_deep(value: Any) -> bool:
    """Whether lists and objects stand inside each other more than `MAX_LEVELS` times."""
    level: list[Any] = [value]
    for _ in range(MAX_LEVELS + 1):
        level = [child for node in level if isinstance(node, (dict, list)) for child in _children(node)]
        if not level:
            return False
    return True


def _children(node: Any) -> list[Any]:
    return list(cast("dict[str, Any]", node).values()) if isinstance(node, dict) else node
