"""Configuration entries for our server, in the format of each client."""

import json
from collections.abc import Callable, Mapping
from typing import Any, Literal, cast

from msgspec import Struct, structs

from almanac.platform.clients.server import KEY_VARIABLE, NAME, UNKNOWN_KEY, Server

Json = dict[str, Any]
Format = Literal["json", "toml"]
HEADER = "x-api-key"
FEW = "core"
"""Set of tools for clients that load the definitions of all tools."""


class Client(Struct, frozen=True, kw_only=True):
    """An MCP client and the form of its configuration.

    `servers` is the name of the object with all servers. `reference` is the client's syntax for the environment
    variable with the key. It is None if the client reads no variables, and then a placeholder stands for the key.
    `defers_tools` is true if the client loads the definition of a tool only when needed, so that a long list costs
    nothing.
    """

    title: str
    servers: str
    entry: Callable[[Server, str], Json]
    reference: str | None = None
    format: Format = "json"
    defers_tools: bool = False

    def with_tool_set(self, server: Server) -> Server:
        """Return the server with the list of tools that suits the client.

        A client that loads all definitions gets the core set. An address that already has a filter stays as it is.
        """
        if self.defers_tools or "?" in server.url:
            return server
        command = [*server.command, "--set", FEW] if server.command else ()
        return structs.replace(server, url=f"{server.url}?set={FEW}", command=command)

    def of(self, server: Server) -> Json:
        return self.entry(server, server.key or self.reference or UNKNOWN_KEY)

    def snippet(self, server: Server) -> str:
        """Return a whole configuration with nothing but our server, and the list of tools that suits the client."""
        entry = self.of(self.with_tool_set(server))
        return as_toml(self.servers, entry) if self.format == "toml" else as_json({self.servers: {NAME: entry}})


def _http(server: Server, key: str) -> Json:
    return {"url": server.url, "headers": {HEADER: key}}


def _typed_http(server: Server, key: str) -> Json:
    return {"type": "http", **_http(server, key)}


def _gemini(server: Server, key: str) -> Json:
    return {"httpUrl": server.url, "headers": {HEADER: key}}


def _copilot(server: Server, key: str) -> Json:
    return {**_typed_http(server, key), "tools": ["*"]}


def _windsurf(server: Server, key: str) -> Json:
    return {"serverUrl": server.url, "headers": {HEADER: key}}


def _opencode(server: Server, key: str) -> Json:
    return {"type": "remote", "url": server.url, "enabled": True, "headers": {HEADER: key}}


def _codex(server: Server, _key: str) -> Json:
    if server.key is not None:
        return {"url": server.url, "http_headers": {HEADER: server.key}}
    return {"url": server.url, "env_http_headers": {HEADER: KEY_VARIABLE}}


def _stdio_entry(server: Server, key: str) -> Json:
    """Return an entry for Claude Desktop, which starts local servers over stdio. It cannot reach local addresses."""
    if not server.command:
        return _typed_http(server, key)
    started: Json = {"command": server.command[0], "args": list(server.command[1:])}
    return {**started, "env": dict(server.environment)} if server.environment else started


CLIENTS: Mapping[str, Client] = {
    "opencode": Client(title="OpenCode", servers="mcp", entry=_opencode, reference=f"{{env:{KEY_VARIABLE}}}"),
    "claude": Client(title="Claude Desktop", servers="mcpServers", entry=_stdio_entry),
    "claude-code": Client(
        title="Claude Code",
        servers="mcpServers",
        entry=_typed_http,
        reference=f"${{{KEY_VARIABLE}}}",
        defers_tools=True,
    ),
    "kimi": Client(title="Kimi CLI", servers="mcpServers", entry=_http),
    "codex": Client(title="Codex", servers="mcp_servers", entry=_codex, reference=KEY_VARIABLE, format="toml"),
    "gemini": Client(title="Gemini CLI", servers="mcpServers", entry=_gemini, reference=f"${{{KEY_VARIABLE}}}"),
    "cursor": Client(title="Cursor", servers="mcpServers", entry=_http, reference=f"${{env:{KEY_VARIABLE}}}"),
    "vscode": Client(title="VS Code", servers="servers", entry=_typed_http, reference=f"${{env:{KEY_VARIABLE}}}"),
    "copilot": Client(title="Copilot CLI", servers="mcpServers", entry=_copilot, reference=f"${{{KEY_VARIABLE}}}"),
    "windsurf": Client(title="Windsurf", servers="mcpServers", entry=_windsurf, reference=f"${{env:{KEY_VARIABLE}}}"),
    "generic": Client(title="other clients", servers="mcpServers", entry=_typed_http),
}


def as_json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def as_toml(servers: str, entry: Mapping[str, Any]) -> str:
    """Return an entry as a TOML table. Its values must be texts, or objects or lists of texts, like those above."""
    lines = [f"[{servers}.{NAME}]"]
    lines += [f"{name} = {as_inline_toml(value)}" for name, value in entry.items()]
    return "\n".join(lines)


def as_inline_toml(value: Any) -> str:
    """Return a value as inline TOML."""
    if isinstance(value, Mapping):
        members = cast("Mapping[str, Any]", value).items()
        return "{ " + ", ".join(f"{_text(name)} = {as_inline_toml(each)}" for name, each in members) + " }"
    return _text(value)


def _text(value: str) -> str:
    """Return a text as a TOML string. JSON strings are valid in TOML, except for DEL."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
