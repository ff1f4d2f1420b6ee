"""Filters that a request sets in its query or headers to narrow the lists.

`?families= ?set= ?tools= ?readonly=1 ?names=dotted ?output_schemas=1`
"""

import re
from collections.abc import Iterable, Mapping

from almanac.kernel.errors import InvalidInput
from almanac.protocol.toolset import EVERYTHING, NO_SETS, Selection, ToolSets

_HEADERS = {
    name: f"x-almanac-{name.replace('_', '-')}"
    for name in ("families", "set", "tools", "readonly", "names", "output_schemas")
}
FILTERS = frozenset(_HEADERS)
_PATTERN = r"[A-Za-z0-9_.*?\[\]!-]{1,64}"
_TRUTH = {"": False, "0": False, "false": False, "no": False, "1": True, "true": True, "yes": True}
_MAX_PATTERNS = 32


def read(
    query: Mapping[str, str], headers: Mapping[str, str], families: Iterable[str], sets: ToolSets = NO_SETS
) -> Selection:
    """Return the selection that a request asks for. The query overrides headers, except that either may ask for
    read-only tools.

    Header names are in lower case. InvalidInput for a family outside `families`, a set outside `sets`, a malformed
    pattern, or a value that is neither true nor false.
    """
    if not query and headers.keys().isdisjoint(_HEADERS.values()):
        return EVERYTHING
    chosen = {name: query.get(name, headers.get(header)) for name, header in _HEADERS.items()}
    return Selection(
        families=_families(chosen["families"], sorted(families)),
        tools=_patterns(chosen["tools"]),
        readonly=_truth(query.get("readonly"), "readonly") or _truth(headers.get(_HEADERS["readonly"]), "readonly"),
        dotted=_has_dotted_names(chosen["names"]),
        within=_within(chosen["set"], sets),
        outputs=_truth(chosen["output_schemas"], "output_schemas"),
    )


def _families(text: str | None, known: list[str]) -> frozenset[str] | None:
    if text is None:
        return None
    names = _entries(text, "families")
    for name in names:
        if name not in known:
            raise InvalidInput(
                f'No family "{name[:40]}" is served here.', f"Families: {', '.join(known)}.", path="families"
            )
    return frozenset(names)


def _within(text: str | None, sets: ToolSets) -> frozenset[str] | None:
    if text is None:
        return None
    names = _entries(text, "set")
    for name in names:
        if name not in sets:
            known = f"Sets: {', '.join(sorted(sets))}. " if sets else ""
            raise InvalidInput(f'No set "{name[:40]}" is served here.', f"{known}Leave it out for all.", path="set")
    return frozenset(tool for name in names for tool in sets[name])


def _patterns(text: str | None) -> tuple[str, ...] | None:
    if text is None:
        return None
    patterns = _entries(text, "tools")
    for pattern in patterns:
        if not re.fullmatch(_PATTERN, pattern):
            hint = "Take names or shell-style patterns, separated by commas: list_*,get_memory."
            raise InvalidInput(f'"{pattern[:64]}" is not a pattern of tool names.', hint, path="tools")
    if len(patterns) > _MAX_PATTERNS:
        raise InvalidInput(f"At most {_MAX_PATTERNS} patterns are accepted.", "Use wider patterns.", path="tools")
    return tuple(patterns)


def _entries(text: str, path: str) -> list[str]:
    entries = list(dict.fromkeys(entry.strip() for entry in text.split(",") if entry.strip()))
    if not entries:
        raise InvalidInput(f'"{path}" is empty.', "Name at least one, or leave it out to have them all.", path=path)
    return entries


def _truth(text: str | None, path: str) -> bool:
    value = _TRUTH.get((text or "").strip().lower())
    if value is None:
        raise InvalidInput(f"{path} is either on or off.", "Write 1 or 0.", path=path)
    return value


def _has_dotted_names(text: str | None) -> bool:
    if text not in (None, "plain", "dotted"):
        raise InvalidInput("names are either plain or dotted.", "Leave it out for plain names.", path="names")
    return text == "dotted"
