"""Validate a new memory: its texts must be clean, within limits and without secrets."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, cast

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from almanac.content import clean
from almanac.content.redaction import SecretFinding, redact
from almanac.families.memory.core.records import MemoryKind
from almanac.families.memory.core.redacted_fields import RedactedFields, without_secrets
from almanac.families.memory.edges.sources import MAX_SOURCES
from almanac.kernel.errors import InvalidInput
from almanac.platform.store.values import check_attributes, check_value

METADATA_BYTES = 16 * 1024
METADATA_DEPTH = 10
MAX_TAGS = 20
TAG_CHARACTERS = 64
TOOL_CHARACTERS = 100
MIN_TTL_MS = 1000
MAX_TTL_MS = 3653 * 86_400_000

Tag = Annotated[str, Meta(max_length=TAG_CHARACTERS)]
Tags = Annotated[list[Tag], Meta(max_length=MAX_TAGS, description="Tags.")]
TtlMs = Annotated[
    int,
    Meta(ge=MIN_TTL_MS, le=MAX_TTL_MS, description="Lifetime in milliseconds."),
]
Metadata = Annotated[dict[str, Any], Meta(description="Facts to filter by.")]
Surface = Annotated[str, Meta(max_length=TOOL_CHARACTERS, description="Your program, e.g. cursor.")]
SourceId = Annotated[str, Meta(max_length=64)]
SourceIds = Annotated[
    list[SourceId],
    Meta(max_length=MAX_SOURCES, description="Turns it comes from."),
]


class ContentLimit(Struct, frozen=True):
    """Maximum size of a memory's content in bytes of UTF-8, and advice for longer texts."""

    bytes: int
    shorter: str


_SHORTER = "Shorten it, or record the whole text with record_turn and name that turn as its source."
_LIMITS: Mapping[MemoryKind, ContentLimit] = {
    "pinned": ContentLimit(8 * 1024, _SHORTER),
    "semantic": ContentLimit(4 * 1024, _SHORTER),
    "working": ContentLimit(8 * 1024, _SHORTER),
}


class NewMemory(Struct, frozen=True, kw_only=True):
    """A validated memory that is not stored yet, made by `new_memory`.

    `findings` list the removed secrets. `ttl_ms` is None for a memory without expiry. `derived_from` may have ids that
    do not exist. `type`, `weight` and `place` are fields of the stored record. If `session` is None, the memory takes
    the session that all its sources share.
    """

    kind: MemoryKind
    content: str
    tags: tuple[str, ...]
    metadata: dict[str, Any]
    redacted: tuple[str, ...]
    findings: tuple[SecretFinding, ...]
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
    limit: ContentLimit | None = None,
    tags: Iterable[str] | None = None,
    metadata: Mapping[str, Any] | None = None,
    tool: str | None = None,
    derived_from: Iterable[str] | None = None,
    ttl_ms: int | None = None,
    session: str | None = None,
    type: str | None = None,
    weight: float | None = None,
    place: str | None = None,
) -> NewMemory:
    """Validate and redact the fields of a new memory. `limit` defaults to the limit of its kind.

    Raises InvalidInput as `check_texts` does."""
    check_texts(content, metadata, session, limit=limit or _LIMITS[kind])
    redacted = redact_fields(content, clean_tags(tags or ()), metadata or {})
    return NewMemory(
        kind=kind,
        content=redacted.content,
        tags=redacted.tags,
        metadata=redacted.metadata,
        redacted=redacted.kinds,
        findings=redacted.findings,
        tool=redact((tool or "").strip()).text or None,
        derived_from=tuple(derived_from or ()),
        ttl_ms=ttl_ms,
        session=session,
        type=type,
        weight=weight,
        place=redact(place).text if place else None,
    )


def redact_fields(content: str, tags: Sequence[str], metadata: Mapping[str, Any]) -> RedactedFields:
    """Return the texts without secrets, in the form that the store reads back.

    The store turns 2.0 into 2, and the stored memory must have the same digest as the new one."""
    redacted = without_secrets(content, tags, metadata)
    value, _ = check_value("metadata", redacted.metadata)
    return replace(redacted, metadata=cast("dict[str, Any]", value))


def check_texts(
    content: str | None,
    metadata: Mapping[str, Any] | None,
    session: str | None = None,
    *,
    limit: ContentLimit,
) -> None:
    """Check texts before they are stored.

    Raises InvalidInput for invalid Unicode, blank content, content or metadata over the limits, and for a session id
    that contains a secret, because ids cannot be redacted."""
    check_attributes({"content": content, "metadata": dict(metadata or {}), "session": session})
    if content is not None:
        _check_content(content, limit)
    check_metadata(metadata or {})
    if session is not None and (secrets := redact(session).findings):
        raise InvalidInput(f"sessionId contains a secret ({secrets[0].kind}).", "Use another name.", path="sessionId")


def check_metadata(metadata: Mapping[str, Any]) -> None:
    """Raise InvalidInput for metadata over 16 KB as JSON or nested deeper than 10."""
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


def _check_content(content: str, limit: ContentLimit) -> None:
    if not clean(content).text.strip():
        raise InvalidInput("content is blank.", "Give the text to remember.", path="content")
    size = len(content.encode())
    if size > limit.bytes:
        raise InvalidInput(f"content has {size} bytes, over {limit.bytes}.", limit.shorter, path="content")


def clean_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Clean tags for display, and drop blanks and duplicates."""
    cleaned = (clean(tag).text.strip() for tag in tags)
    return tuple(dict.fromkeys(tag for tag in cleaned if tag))


def _is_deeper(value: object, levels: int) -> bool:
    if isinstance(value, Mapping):
        value = list(cast("Mapping[str, object]", value).values())
    if not isinstance(value, list):
        return False
    return levels == 0 or any(_is_deeper(each, levels - 1) for each in cast("list[object]", value))
