"""Build the payloads of events about turns and memories."""

from typing import Any

import msgspec

from almanac.families.memory.core.records import Memory, Remembered, Turn
from almanac.families.memory.edges.sources import kind_of

PREVIEW_CHARACTERS = 200
EVENT_METADATA_BYTES = 4 * 1024


def preview_of(content: str) -> str:
    """Return the beginning of a text, with an ellipsis if it was cut."""
    return content if len(content) <= PREVIEW_CHARACTERS else content[: PREVIEW_CHARACTERS - 1] + "…"


def readable_payload(record: Turn | Memory) -> dict[str, Any]:
    """Return the event payload for a readable record. Metadata over 4 KB are left out."""
    payload: dict[str, Any] = {**hidden_payload(record), "content_preview": preview_of(record.content)}
    if len(msgspec.json.encode(record.metadata)) <= EVENT_METADATA_BYTES:
        payload["metadata"] = record.metadata
    return payload


def hidden_payload(record: Turn | Memory) -> dict[str, Any]:
    """Return the event payload for a forgotten record. It has no text, so logs and listeners do not learn it."""
    return {"memory_id": record.id, "kind": kind_of(record), **_place_of(record)}


def _place_of(record: Remembered) -> dict[str, Any]:
    return {"session_id": record.session, "tags": list(record.tags), "tool": record.tool}
