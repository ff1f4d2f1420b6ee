"""What to paste into which MCP client, for one address and key."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

NAME = "almanac"


def client_configurations(
    url: str, key: str, stdio_command: Sequence[str], environment: Mapping[str, str] | None = None
) -> list[tuple[str, str]]:
    """(where it goes, what to paste) for each client. Claude Desktop starts local servers itself, over stdio, with
    `environment` beside its own."""
    headers = {"x-api-key": key}
    started: dict[str, Any] = {"command": stdio_command[0], "args": list(stdio_command[1:])}
    if environment:
        started["env"] = dict(environment)
    return [
        (
            "Claude Code, in a shell",
            f'claude mcp add --scope user --transport http {NAME} {url} --header "x-api-key: {key}"',
        ),
        (
            "Claude Desktop, in claude_desktop_config.json (Settings > Developer > Edit Config)",
            _json({"mcpServers": {NAME: started}}),
        ),
        ("Cursor, in ~/.cursor/mcp.json", _json({"mcpServers": {NAME: {"url": url, "headers": headers}}})),
        (
            "VS Code, in .vscode/mcp.json",
            _json({"servers": {NAME: {"type": "http", "url": url, "headers": headers}}}),
        ),
        (
            "Codex, in ~/.codex/config.toml",
            f'[mcp_servers.{NAME}]\nurl = "{url}"\nhttp_headers = {{ "x-api-key" = "{key}" }}',
        ),
        (
            "Gemini CLI, in a shell",
            f'gemini mcp add --scope user --transport http --header "x-api-key: {key}" {NAME} {url}',
        ),
    ]


def _json(value: Any) -> str:
    return json.dumps(value, indent=2)
