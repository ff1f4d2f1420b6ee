"""Chat views as MCP's extension io.modelcontextprotocol/ui defines them: pages with which a host draws tool results.

A view is a resource with a fixed `ui://` address. Tools name it in `_meta`. The host loads it into a sandboxed frame
and passes it each result. The text of the result is complete without it.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

EXTENSION: Final = "io.modelcontextprotocol/ui"
MIME_TYPE: Final = "text/html;profile=mcp-app"
SETTINGS: Final[dict[str, Any]] = {"mimeTypes": [MIME_TYPE]}
"""Settings that client and server both declare for the extension."""


class ChatView(msgspec.Struct, frozen=True):
    """Page that draws the results of `tools`. `read` returns its HTML, which depends on no stored data."""

    uri: str
    name: str
    title: str
    description: str
    tools: frozenset[str]
    read: Callable[[], str]
    mime_type: str = MIME_TYPE


class _Settings(msgspec.Struct):
    types: list[str] = msgspec.field(name="mimeTypes")


def declares_views(capabilities: Mapping[str, Any]) -> bool:
    """Return whether a client with these capabilities draws chat views."""
    try:
        declared = msgspec.convert(capabilities.get("extensions"), dict[str, Any])
        return MIME_TYPE in msgspec.convert(declared.get(EXTENSION), _Settings).types
    except msgspec.ValidationError:
        return False
