"""Make the search documents of turns and memories.

Turns, pinned memories and semantic memories use the profile `talk`: they are short texts, and search ranks them
together. Summaries use the profile `documents`.
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
from almanac.families.memory.core.speakers import speaker_and_words
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
"""Names of the fields that filter documents by a memory's type and language, as set by the context tools."""
_PART_CHARACTERS = 400
_AT_ONCE = 16
"""Records per page. At the maximum content size of 64 KB, a page stays within the limit of one store read."""

R = TypeVar("R", Turn, Memory)


def turn_document(turn: Turn, version: int) -> Document:
    """Return the search document of a turn. Its text has no speaker's name before it."""
    speaker, text = speaker_and_words(turn.speaker, turn.content, turn.role)
    return Document(
        id=turn.id,
        kind="turn",
        profile="talk",
        version=version,
        text=text,
        session=turn.session or "",
        position=turn.position or 0,
        role=turn.role,
        speaker=speaker,
        at=turn.at,
        tags=turn.tags,
        fields=_fields(turn),
    )


def memory_document(memory: Memory, version: int) -> Document:
    """Return the search document of a memory.

    It has no session, because it has no neighbouring turns to show. A field names the session, for filters."""
    return Document(
        id=memory.id,
        kind=memory.kind,
        profile=PROFILES[memory.kind],
        version=version,
        text=_search_text(memory),
        at=memory.at,
        tags=(*memory.tags, *place_tags(memory.place)),
        fields={**_fields(memory), **_context_fields(memory)},
    )


def place_tags(place: str | None) -> tuple[str, ...]:
    """Return the search tags of a path: one for the path and one for each folder above it.

    A search for a folder therefore finds everything inside it. Callers cannot write such a tag, because it begins with
    a control character."""
    if not place:
        return ()
    parts = place.split("/")
    return tuple(f"\x1f{'/'.join(parts[: count + 1]) or '/'}" for count in range(len(parts)))[-MAX_PLACES:]


def metadata_field(name: str) -> str:
    """Return the name of the index field for the metadata key `name`."""
    return f"m.{name}"


def metadata_text(value: Any) -> str | None:
    """Return a metadata value as the index stores it; None if search cannot filter by it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        text = str(value)
        return text if len(text) <= FIELD_CHARACTERS else None
    return None


def _fields(record: Remembered) -> dict[str, str]:
    named_values = {"actor": record.actor, "tool": record.tool, "in_session": record.session}
    fields = {name: value for name, value in named_values.items() if value}
    for name, value in islice(record.metadata.items(), MAX_FIELDS):
        text = metadata_text(value)
        if text is not None:
            fields[metadata_field(name)] = text
    return fields


def _context_fields(memory: Memory) -> dict[str, str]:
    if memory.type is None:
        return {}
    language = language_of(memory.metadata)
    return {TYPE_FIELD: memory.type, **({LANGUAGE_FIELD: language} if language else {})}


def _search_text(memory: Memory) -> str:
    """Return the text that search indexes for a memory.

    For a memory of the context tools, this includes the title and the file in its metadata."""
    if memory.type is None:
        return memory.content
    title_and_file = (memory.metadata.get("title"), file_of(memory.metadata))
    more = [each[:_PART_CHARACTERS] for each in title_and_file if isinstance(each, str) and each not in memory.content]
    return "\n".join((memory.content, *more))


def file_of(metadata: Mapping[str, Any]) -> str | None:
    """Return the file path in the metadata, or None."""
    for part, name in (("fileContext", "path"), ("codeBlock", "filePath")):
        value = metadata.get(part)
        path = cast("Mapping[str, Any]", value).get(name) if isinstance(value, Mapping) else None
        if isinstance(path, str) and path.strip():
            return path.strip()
    return None


def language_of(metadata: Mapping[str, Any]) -> str | None:
    """Return the programming language in the metadata, in lower case, or None."""
    for part in ("codeBlock", "fileContext"):
        value = metadata.get(part)
        language = cast("Mapping[str, Any]", value).get("language") if isinstance(value, Mapping) else None
        if isinstance(language, str) and 0 < len(language) <= FIELD_CHARACTERS:
            return language.lower()
    return None


def _source(kind: Kind, table: Table[R], document_of_record: Callable[[R, int], Document]) -> Source:
    def read(services: Services, scope: Scope, ids: Sequence[str]) -> list[Document]:
        now = now_ms(services.get(Clock))
        records = table.within(services.get(Store), scope).by_id(ids)
        return [
            document_of_record(record, record.version)
            for record in records.values()
            if _has_kind(record, kind) and is_remembered(record, now)
        ]

    def every(services: Services, scope: Scope, after: str) -> Iterator[Document]:
        now = now_ms(services.get(Clock))
        # Appending "0" gives the smallest id that sorts after this one.
        rows = table.within(services.get(Store), scope).every(since=f"{after}0" if after else None, page=_AT_ONCE)
        return (
            document_of_record(record, record.version)
            for record in rows
            if _has_kind(record, kind) and is_remembered(record, now)
        )

    return Source(kind=kind, profile=PROFILES[kind], read=read, every=every)


def _has_kind(record: Turn | Memory, kind: Kind) -> bool:
    return kind == "turn" if isinstance(record, Turn) else record.kind == kind


_MEMORY_KINDS: tuple[MemoryKind, ...] = ("pinned", "semantic", "working", "consolidated", "reflection")

SOURCES = (
    _source("turn", TURNS, turn_document),
    *(_source(kind, MEMORIES, memory_document) for kind in _MEMORY_KINDS),
)
