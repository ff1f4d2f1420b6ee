"""Test that the snippets to paste are in each client's own format."""

import json
import shlex
import tomllib

import pytest

from almanac.platform.clients.server import Server
from almanac.platform.clients.snippets import client_configurations

URL = "http://127.0.0.1:8787/mcp"
FEW = f"{URL}?set=core"
KEY = "alm_abcd_" + "k" * 40
COMMAND = ["/opt/al manac/python", "-m", "almanac.local", "stdio", "--data", '/home/ann/"data"']
SERVER = Server(url=URL, key=KEY, command=COMMAND)


@pytest.fixture
def offered_snippets() -> dict[str, str]:
    """Snippets by the client's name."""
    return {where.partition(", in ")[0]: what for where, what in client_configurations(SERVER)}


def test_six_clients_are_served(offered_snippets: dict[str, str]) -> None:
    assert list(offered_snippets) == ["Claude Code", "Claude Desktop", "Cursor", "VS Code", "Codex", "Gemini CLI"]


@pytest.mark.parametrize(("client", "url"), [("Claude Code", URL), ("Gemini CLI", FEW)])
def test_a_command_passes_address_and_key_as_one_argument(
    offered_snippets: dict[str, str], client: str, url: str
) -> None:
    words = shlex.split(offered_snippets[client])
    assert words[words.index("--header") + 1] == f"x-api-key: {KEY}"
    assert words[words.index("--transport") + 1] == "http"
    assert {"almanac", url} <= set(words)


def test_claude_desktop_starts_almanac_itself(offered_snippets: dict[str, str]) -> None:
    server = json.loads(offered_snippets["Claude Desktop"])["mcpServers"]["almanac"]
    assert [server["command"], *server["args"]] == [*COMMAND, "--set", "core"]


def test_cursor_and_vs_code_name_address_and_header(offered_snippets: dict[str, str]) -> None:
    headers = {"x-api-key": KEY}
    assert json.loads(offered_snippets["Cursor"]) == {"mcpServers": {"almanac": {"url": FEW, "headers": headers}}}
    assert json.loads(offered_snippets["VS Code"]) == {
        "servers": {"almanac": {"type": "http", "url": FEW, "headers": headers}}
    }


def test_codex_reads_toml(offered_snippets: dict[str, str]) -> None:
    assert tomllib.loads(offered_snippets["Codex"]) == {
        "mcp_servers": {"almanac": {"url": FEW, "http_headers": {"x-api-key": KEY}}}
    }
