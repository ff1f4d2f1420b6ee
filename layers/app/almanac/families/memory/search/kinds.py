"""Kinds of documents that a search covers, by the names that callers use."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from almanac.families.memory.core.documents import PROFILES
from almanac.search.source import Source

Mode = Literal["auto", "chunks", "summaries", "entities", "code", "skills"]
Included = Literal["notes", "journal", "events", "cards", "facts", "code", "skills", "messages"]

SUMMARIES = ("consolidated", "reflection")
OUTSIDE: tuple[Mode, ...] = ("entities", "skills")
"""Modes that the filters actor, tool, since and until do not apply to."""

_KINDS: Mapping[Included, str] = {
    "notes": "note",
    "journal": "journal",
    "events": "event",
    "cards": "card",
    "facts": "fact",
    "skills": "skill",
    "messages": "message",
}
_FAMILIES = {
    "note": "planner",
    "journal": "planner",
    "event": "calendar",
    "card": "planner",
    "fact": "knowledge",
    "skill": "skills",
    "message": "team",
}


def sources_of(name: Included, sources: Mapping[str, Source]) -> list[Source]:
    """Return the installed sources for a value of `include`. Code may have several sources."""
    if name == "code":
        return [each for each in sources.values() if each.profile == "code"]
    source = sources.get(_KINDS[name])
    return [source] if source is not None else []


def resolve_sources(names: Iterable[Included], sources: Mapping[str, Source]) -> tuple[list[Source], list[str]]:
    """Return the sources for values of `include`, and the values that have no source in this installation."""
    resolved: list[Source] = []
    missing: list[str] = []
    for name in dict.fromkeys(names):
        some = sources_of(name, sources)
        resolved += some
        if not some:
            missing.append(name)
    return resolved, missing


def kinds_of(sources: Sequence[Source]) -> tuple[str, ...]:
    return tuple(each.kind for each in sources)


def mode_of(kind: str, profile: str) -> str:
    """Return the search mode, or the value of `include`, that finds documents of this kind."""
    if kind in PROFILES:
        return "summaries" if kind in SUMMARIES else "chunks"
    if profile == "code":
        return "code"
    return next((name for name, document_kind in _KINDS.items() if document_kind == kind), kind)


def family_of(kind: str, profile: str) -> str:
    """Return the family that stores documents of this kind."""
    if kind in PROFILES:
        return "memory"
    return "code" if profile == "code" else _FAMILIES.get(kind, kind)
