"""Content blocks for the few tools and prompts that do not answer with a structure."""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec


class _Block(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel", tag_field="type"):
    pass


class TextContent(_Block, frozen=True, tag="text"):
    text: str


class ImageContent(_Block, frozen=True, tag="image"):
    """Image as a content block. `data` is base64."""

    data: str
    mime_type: str


class AudioContent(_Block, frozen=True, tag="audio"):
    """Audio as a content block. `data` is base64."""

    data: str
    mime_type: str


class ResourceContents(msgspec.Struct, frozen=True, rename="camel"):
    """Contents of a resource: either `text`, or `blob` in base64.

    `meta` holds annotations. The server leaves them out for revisions without `_meta`.
    """

    uri: str
    mime_type: str = "text/plain"
    text: str | msgspec.UnsetType = msgspec.UNSET
    blob: str | msgspec.UnsetType = msgspec.UNSET
    meta: Mapping[str, Any] | msgspec.UnsetType = msgspec.field(default=msgspec.UNSET, name="_meta")


class EmbeddedResource(_Block, frozen=True, tag="resource"):
    resource: ResourceContents


Block = TextContent | ImageContent | AudioContent | EmbeddedResource


class Content(msgspec.Struct, frozen=True):
    """Return type of a tool that answers with content blocks instead of a structure."""

    blocks: tuple[Block, ...]


class PromptMessage(msgspec.Struct, frozen=True):
    role: Literal["user", "assistant"]
    content: Block


def to_wire(block: Block) -> dict[str, Any]:
    """Convert a block to MCP's JSON object."""
    return msgspec.to_builtins(block)
