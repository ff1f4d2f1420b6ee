"""Parsing and limits of new memories, the same for tools and rules."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, cast

import msgspec
from msgspec import Meta, Struct

from almanac.content import clean
from almanac.families.memory.core.records import MemoryKind
from almanac.families.memory.edges.sources import MAX_SOURCES
from almanac.kernel.errors import InvalidInput

CONTENT_BYTES: Mapping[MemoryKind, int] = {"pinned": 8 * 1024, "semantic": 4 * 1024, "working": 8 * 1024}
METADATA_BYTES = 16 * 1024
METADATA_DEPTH = 10
_SHORTER = "Shorten it, or record the whole text with record_turn and name that turn as its source."
MAX_TAGS = 20
TAG_CHARACTERS = 64
TOOL_CHARACTERS = 100
MIN_TTL_MS = 1000
MAX_TTL_MS = 3653 * 86_400_000

Tag = Annotated[str, Meta(max_length=TAG_CHARACTERS)]
Tags = Annotated[list[Tag], Meta(max_length=MAX_TAGS, description="Up to 20.")]
TtlMs = Annotated[
    int,
    Meta(ge=MIN_TTL_MS, le=MAX_TTL_MS, description="Lifetime in milliseconds."),
]
Metadata = Annotated[dict[str, Any], Meta(description="Facts to filter by, up to 16 KB.")]
Surface = Annotated[str, Meta(max_length=TOOL_CHARACTERS, description="Your program, e.g. cursor.")]
SourceId = Annotated[str, Meta(max_length=64)]
SourceIds = Annotated[
    list[SourceId],
    Meta(max_length=MAX_SOURCES, description="Turns it comes from."),
]


class NewMemory(Struct, frozen=True, kw_only=True):
    """`ttl_ms` None: it stays. `derived_from` may name what is not there. `type`, `weight`, `place` as in the record;
    `session` None: that of its sources, where they have one in common."""

    kind: MemoryKind
    content: str
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = {}
    tool: str | None = None
    derived_from: tuple[str, ...] = ()
    ttl_ms: int | None = None
    session: str | None = None
    type: str | None = None
    weight: float | None = None
    place: str | None = None


def new_memory(
    kind: MemoryKind,
    content: str,
    *,
    tags: list[str] | None = None,
    metadata: Mapping[str, Any] | None = None,
    tool: str | None = None,
    derived_from: list[str] | None = None,
    ttl_ms: int | None = None,
) -> NewMemory:
    """With each tag once, as it is shown, and without blank ones. Raises InvalidInput for blank or too long content,
    and for metadata that are too large or too deep."""
    check_content(content, CONTENT_BYTES[kind], _SHORTER)
    check_metadata(metadata or {})
    return NewMemory(
        kind=kind,
        content=content,
        tags=shown_tags(tags or ()),
        metadata=metadata or {},
        tool=(tool or "").strip() or None,
        derived_from=tuple(derived_from or ()),
        ttl_ms=ttl_ms,
    )


def check_metadata(metadata: Mapping[str, Any]) -> None:
    """Raises InvalidInput for more than 16 KB as JSON and for nesting over 10 deep."""
    if _is_deeper(metadata, METADATA_DEPTH):
        raise InvalidInput(
            f"metadata is nested deeper than {METADATA_DEPTH}.", "Flatten it, or keep it as text.", path="metadata"
        )
    size = len(msgspec.json.encode(metadata))
    if size > METADATA_BYTES:
        raise InvalidInput(
            f"metadata has {size} bytes as JSON, over {METADATA_BYTES}.",
            "Store large values elsewhere and put their names here.",
            path="metadata",
        )


def check_content(content: str, limit: int, shorter: str) -> None:
    """Raises InvalidInput for blank content, and for more than `limit` bytes: `shorter` says what to do then."""
    if not clean(content).text.strip():
        raise InvalidInput("content is blank.", "Give the text to remember.", path="content")
    size = len(content.encode())
    if size > limit:
        raise InvalidInput(f"content has {size} bytes, over {limit}.", shorter, path="content")


def shown_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Each once, as it is shown, without blank ones."""
    shown = (clean(tag).text.strip() for tag in tags)
    return tuple(dict.fromkeys(tag for tag in shown if tag))


def _is_deeper(value: object, levels: int) -> bool:
    if isinstance(value, Mapping):
        value = list(cast("Mapping[str, object]", value).values())
    if not isinstance(value, list):
        return False
    return levels == 0 or any(_is_deeper(each, levels - 1) for each in cast("list[object]", value))
