"""Public documents that lead a client to the server before it connects: a card of the server, and a catalog of it.

By the draft of MCP's extension for discovery: they name the address and the revisions, and never tools.
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
    """Return the catalog of the servers at `origin`, which are one."""
    entry = {"identifier": f"urn:air:{_host(origin)}:{NAME}", "displayName": TITLE, "type": CARD_TYPE}
    return {"specVersion": "draft", "entries": [{**entry, "url": f"{origin}{CARD}"}]}


def remote(url: str) -> Json:
    """Return how a client connects to `url`: with a key in a header, or signing in without one."""
    about = "An API key of the server. Clients that sign in with OAuth need none."
    key = {"name": KEY_HEADER, "description": about, "isRequired": False, "isSecret": True}
    return {"type": "streamable-http", "url": url, "headers": [key]}


def _host(origin: str) -> str:
    """Return the host's name. An address of this machine is no name, and "localhost" is what it means."""
    host = urlsplit(origin).hostname or ""
    return "localhost" if ":" in host or host.replace(".", "").isdigit() else host
