"""Views inside the chat by MCP's extension io.modelcontextprotocol/ui: a page that a host draws a tool's result with.

A view is a resource of a fixed `ui://` address. Tools name it in `_meta`, the host loads it into a sandboxed frame and
hands it each result. The text of the result is complete without it.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

EXTENSION: Final = "io.modelcontextprotocol/ui"
MIME_TYPE: Final = "text/html;profile=mcp-app"
SETTINGS: Final[dict[str, Any]] = {"mimeTypes": [MIME_TYPE]}
"""Settings that client and server both declare for the extension."""


class ChatView(msgspec.Struct, frozen=True):
    """`tools` are those whose results it draws. `read` makes its HTML, which depends on nothing that is stored."""

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
    """Return whether a client with these capabilities draws views."""
    try:
        declared = msgspec.convert(capabilities.get("extensions"), dict[str, Any])
        return MIME_TYPE in msgspec.convert(declared.get(EXTENSION), _Settings).types
    except msgspec.ValidationError:
        return False
