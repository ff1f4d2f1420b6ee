"""Snippets to paste into each client, for one server whose key is known."""

from almanac.platform.clients.entries import CLIENTS, HEADER
from almanac.platform.clients.server import NAME, Server


def client_configurations(server: Server) -> list[tuple[str, str]]:
    """Return a pair for each client: the place to paste to, and the text."""
    key = f'"{HEADER}: {server.key}"'

    def snippet(client: str) -> str:
        return CLIENTS[client].snippet(server)

    def address(client: str) -> str:
        url = CLIENTS[client].with_tool_set(server).url
        return f'"{url}"' if "?" in url else url

    return [
        (
            "Claude Code, in a shell",
            f"claude mcp add --scope user --transport http {NAME} {address('claude-code')} --header {key}",
        ),
        (
            "Claude Desktop, in claude_desktop_config.json (Settings > Developer > Edit Config)",
            snippet("claude"),
        ),
        ("Cursor, in ~/.cursor/mcp.json", snippet("cursor")),
        ("VS Code, in .vscode/mcp.json", snippet("vscode")),
        ("Codex, in ~/.codex/config.toml", snippet("codex")),
        (
            "Gemini CLI, in a shell",
            f"gemini mcp add --scope user --transport http --header {key} {NAME} {address('gemini')}",
        ),
    ]
