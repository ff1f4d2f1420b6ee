"""Search documents of turns and memories.

Turns, pinned and semantic memories are talk: short texts, ranked together. Summaries are documents.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar, cast

from almanac.families.memory.core.records import (
    MEMORIES,
    TURNS,
    Kind,
    Memory,
    MemoryKind,
    Remembered,
    Turn,
    is_remembered,
)
from almanac.families.memory.core.speakers import spoken
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock
from almanac.kernel.instants import now_ms
from almanac.platform.services import Services
from almanac.platform.store.port import Store
from almanac.platform.store.records import Table
from almanac.search.port import Document, Profile
from almanac.search.source import Source

PROFILES: Mapping[Kind, Profile] = {
    "turn": "talk",
    "pinned": "talk",
    "semantic": "talk",
    "working": "talk",
    "consolidated": "documents",
    "reflection": "documents",
}
MAX_FIELDS = 24
FIELD_CHARACTERS = 200
MAX_PLACES = 24
TYPE_FIELD, LANGUAGE_FIELD = "type", "language"
"""By these documents are filtered for what context knows of a memory."""
_SAID_CHARACTERS = 400
_AT_ONCE = 16
"""With contents of 64 KB at most, these stay within what one read of the store may bring."""

R = TypeVar("R", Turn, Memory)


def searched_turn(turn: Turn, version: int) -> Document:
    speaker, said = spoken(turn.speaker, turn.content, turn.role)
    return Document(
        id=turn.id,
        kind="turn",
        profile="talk",
        version=version,
        text=said,
        session=turn.session or "",
        position=turn.position or 0,
        role=turn.role,
        speaker=speaker,
        at=turn.at,
        tags=turn.tags,
        fields=_fields(turn),
    )


def searched_memory(memory: Memory, version: int) -> Document:
    """Without a session, for it stands beside no turn; its session can be filtered by as a field."""
    return Document(
        id=memory.id,
        kind=memory.kind,
        profile=PROFILES[memory.kind],
        version=version,
        text=_searched_text(memory),
        at=memory.at,
        tags=(*memory.tags, *place_tags(memory.place)),
        fields={**_fields(memory), **_said_by_context(memory)},
    )


def place_tags(place: str | None) -> tuple[str, ...]:
    """The tags by which search finds what is about a place, or about what lies in it: one for each folder on the way.
    Nobody can write such a tag, for it begins with a control character."""
    if not place:
        return ()
    parts = place.split("/")
    return tuple(f"\x1f{'/'.join(parts[: count + 1]) or '/'}" for count in range(len(parts)))[-MAX_PLACES:]


def metadata_field(name: str) -> str:
    """The field by which documents are filtered for what their metadata say under `name`."""
    return f"m.{name}"


def metadata_text(value: Any) -> str | None:
    """Return a metadata value as it is indexed; None if it cannot be filtered by."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        text = str(value)
        return text if len(text) <= FIELD_CHARACTERS else None
    return None


def _fields(record: Remembered) -> dict[str, str]:
    said = {"actor": record.actor, "tool": record.tool, "in_session": record.session}
    fields = {name: value for name, value in said.items() if value}
    for name, value in islice(record.metadata.items(), MAX_FIELDS):
        text = metadata_text(value)
        if text is not None:
            fields[metadata_field(name)] = text
    return fields


def _said_by_context(memory: Memory) -> dict[str, str]:
    if memory.type is None:
        return {}
    language = language_of(memory.metadata)
    return {TYPE_FIELD: memory.type, **({LANGUAGE_FIELD: language} if language else {})}


def _searched_text(memory: Memory) -> str:
    """Return the searched text of a memory. For one of the context tools it includes the title and the file in its
    metadata."""
    if memory.type is None:
        return memory.content
    said = (memory.metadata.get("title"), file_of(memory.metadata))
    more = [each[:_SAID_CHARACTERS] for each in said if isinstance(each, str) and each not in memory.content]
    return "\n".join((memory.content, *more))


def file_of(metadata: Mapping[str, Any]) -> str | None:
    """The path of the file that metadata name."""
    for part, name in (("fileContext", "path"), ("codeBlock", "filePath")):
        said = metadata.get(part)
        path = cast("Mapping[str, Any]", said).get(name) if isinstance(said, Mapping) else None
        if isinstance(path, str) and path.strip():
            return path.strip()
    return None


def language_of(metadata: Mapping[str, Any]) -> str | None:
    """The language of the code that metadata show or name, in lower case."""
    for part in ("codeBlock", "fileContext"):
        said = metadata.get(part)
        language = cast("Mapping[str, Any]", said).get("language") if isinstance(said, Mapping) else None
        if isinstance(language, str) and 0 < len(language) <= FIELD_CHARACTERS:
            return language.lower()
    return None


def _source(kind: Kind, table: Table[R], searched: Callable[[R, int], Document]) -> Source:
    def read(services: Services, scope: Scope, ids: Sequence[str]) -> list[Document]:
        now = now_ms(services.get(Clock))
        found = table.within(services.get(Store), scope).by_id(ids)
        return [searched(one, one.version) for one in found.values() if _is(one, kind) and is_remembered(one, now)]

    def every(services: Services, scope: Scope, after: str) -> Iterator[Document]:
        now = now_ms(services.get(Clock))
        # An id with a character more is the first that could follow it.
        rows = table.within(services.get(Store), scope).every(since=f"{after}0" if after else None, page=_AT_ONCE)
        return (searched(one, one.version) for one in rows if _is(one, kind) and is_remembered(one, now))

    return Source(kind=kind, profile=PROFILES[kind], read=read, every=every)


def _is(record: Turn | Memory, kind: Kind) -> bool:
    return kind == "turn" if isinstance(record, Turn) else record.kind == kind


_MADE: tuple[MemoryKind, ...] = ("pinned", "semantic", "working", "consolidated", "reflection")

SOURCES = (
    _source("turn", TURNS, searched_turn),
    *(_source(kind, MEMORIES, searched_memory) for kind in _MADE),
)
