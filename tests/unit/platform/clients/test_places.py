"""Each client's file is where the client looks for it."""

from pathlib import Path

import pytest

from almanac.platform.clients.places import configuration_file, display_path
from almanac.platform.clients.server import ClientMachine, Server

HOME = Path("/home/ann")


def _at(client: str, platform: str = "linux", home: Path = HOME, **variables: str) -> str:
    machine = ClientMachine(server=Server(), home=home, platform=platform, may_write=True, variables=variables)
    path = configuration_file(client, machine)
    assert path is not None
    return display_path(path, home)


@pytest.mark.parametrize(
    ("client", "path"),
    [
        ("opencode", "~/.config/opencode/opencode.json"),
        ("claude", "~/.config/Claude/claude_desktop_config.json"),
        ("claude-code", "~/.claude.json"),
        ("kimi", "~/.kimi/mcp.json"),
        ("codex", "~/.codex/config.toml"),
        ("gemini", "~/.gemini/settings.json"),
        ("cursor", "~/.cursor/mcp.json"),
    ],
)
def test_the_places_of_the_contract(client: str, path: str) -> None:
    assert _at(client) == path


def test_claude_desktop_has_another_place_on_each_platform() -> None:
    assert _at("claude", "darwin") == "~/Library/Application Support/Claude/claude_desktop_config.json"
    assert _at("claude", "win32") == "~/AppData/Roaming/Claude/claude_desktop_config.json"
    assert _at("claude", "win32", APPDATA="/roaming") == "/roaming/Claude/claude_desktop_config.json"


def test_variables_move_a_place_where_they_are_absolute() -> None:
    assert _at("codex", CODEX_HOME="/etc/codex") == "/etc/codex/config.toml"
    assert _at("codex", CODEX_HOME="codex") == "~/.codex/config.toml"
    assert _at("claude-code", CLAUDE_CONFIG_DIR="/home/ann/cc") == "~/cc/.claude.json"
    assert _at("opencode", XDG_CONFIG_HOME="/home/ann/xdg") == "~/xdg/opencode/opencode.json"


def test_a_client_without_a_file_of_its_own_has_no_place() -> None:
    machine = ClientMachine(server=Server(), home=HOME, platform="linux", may_write=True)
    assert configuration_file("generic", machine) is None


def test_opencode_reads_the_file_with_comments_where_only_that_is_there(tmp_path: Path) -> None:
    folder = tmp_path / ".config" / "opencode"
    folder.mkdir(parents=True)
    (folder / "opencode.jsonc").write_text("{}")
    assert _at("opencode", home=tmp_path) == "~/.config/opencode/opencode.jsonc"
    (folder / "opencode.json").write_text("{}")
    assert _at("opencode", home=tmp_path) == "~/.config/opencode/opencode.json"
