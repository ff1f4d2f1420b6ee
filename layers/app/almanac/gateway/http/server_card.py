"""Public documents by which a client finds the server before it connects: the server card and the catalog.

They follow the draft of MCP's extension for discovery. They name the address and the protocol revisions, never tools.
"""

from typing import Any
from urllib.parse import urlsplit

import almanac
from almanac.gateway.http.facts import HUB
from almanac.identity.access.authorize import KEY_HEADER
from almanac.protocol.message.revisions import SUPPORTED

Json = dict[str, Any]
CARD = f"{HUB}/server-card"
WELL_KNOWN_CARD = "/.well-known/mcp/server-card.json"
CATALOG = "/.well-known/mcp/catalog.json"
CARD_TYPE = "application/mcp-server-card+json"
NAME, TITLE = "almanac", "Almanac"
DESCRIPTION = "Time, calendars, planning, memory and coordination for AI agents, as MCP tools."
"""At most 100 characters, in cards and in registries."""
_SCHEMA = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"


def server_card(origin: str) -> Json:
    """Return the card of the server at `origin`, such as https://mcp.example.com."""
    return {
        "$schema": _SCHEMA,
        "name": f"{'.'.join(reversed(_host(origin).split('.')))}/{NAME}",
        "version": almanac.__version__,
        "title": TITLE,
        "description": DESCRIPTION,
        "remotes": [{**remote(f"{origin}{HUB}"), "supportedProtocolVersions": list(SUPPORTED)}],
    }


def catalog(origin: str) -> Json:
    """Return the catalog of the servers at `origin`, with one entry."""
    entry = {"identifier": f"urn:air:{_host(origin)}:{NAME}", "displayName": TITLE, "type": CARD_TYPE}
    return {"specVersion": "draft", "entries": [{**entry, "url": f"{origin}{CARD}"}]}


def remote(url: str) -> Json:
    """Return the entry that says how a client connects to `url`: with a key in a header, or by signing in."""
    about = "An API key of the server. Clients that sign in with OAuth need none."
    key = {"name": KEY_HEADER, "description": about, "isRequired": False, "isSecret": True}
    return {"type": "streamable-http", "url": url, "headers": [key]}


def _host(origin: str) -> str:
    """Return the host name, and "localhost" for an IP address, which would be no valid name in a card."""
    host = urlsplit(origin).hostname or ""
    return "localhost" if ":" in host or host.replace(".", "").isdigit() else host
