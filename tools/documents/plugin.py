"""Writer of the plugin for coding agents: manifests, hooks and settings of three clients, and copies of their scripts.

`plugins/almanac` is the plugin of Claude Code and Codex, and `plugins/almanac/gemini` the extension of Gemini CLI. They
need separate folders because both read `hooks/hooks.json`, and Claude Code refuses a file that names other events.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import almanac
from almanac.content.redaction.exported_patterns import masking_patterns
from almanac.families.skills import catalogue
from almanac.local import connect
from almanac.local.client.server_address import DEFAULT_URL
from almanac.local.connect.clients import hook_groups
from almanac.local.connect.config_entries import MARKER
from almanac.platform.clients.entries import CLIENTS
from almanac.platform.clients.server import KEY_VARIABLE, NAME, Server

Json = dict[str, Any]
ROOT = "plugins/almanac"
GEMINI = f"{ROOT}/gemini"
SKILLS = ("almanac-toolkit", "memory-hygiene", "planning-work", "team-coordination")
URL_VARIABLE = "ALMANAC_URL"
_ABOUT: Json = {
    "name": NAME,
    "version": almanac.__version__,
    "description": "Time, calendar, planner, memory, team, knowledge, code and skills of an Almanac server.",
}
_ADDRESS = "Address of the Almanac server, such as https://almanac.example.com/mcp."
_KEY = "An API key of the server: almanac keys issue. It begins with alm_."


def files() -> Iterator[tuple[str, str]]:
    """Yield the path below the repository and the text of every file of the plugin and of its marketplace."""
    yield ".claude-plugin/marketplace.json", _text(_marketplace())
    yield f"{ROOT}/.claude-plugin/plugin.json", _text(_claude())
    yield (
        f"{ROOT}/.mcp.json",
        _text(_servers(Server(url="${user_config.url}", key="${user_config.api_key}"), "claude-code")),
    )
    yield f"{ROOT}/.codex-plugin/plugin.json", _text(_codex())
    yield f"{ROOT}/.codex-plugin/mcp.json", _text(_servers(Server(url=DEFAULT_URL), "codex"))
    yield f"{ROOT}/hooks/hooks.json", _text(_hooks("claude-code", "CLAUDE_PLUGIN_ROOT"))
    yield f"{ROOT}/hooks/codex.json", _text(_hooks("codex", "CLAUDE_PLUGIN_ROOT"))
    yield f"{GEMINI}/gemini-extension.json", _text(_gemini())
    yield f"{GEMINI}/hooks/hooks.json", _text(_hooks("gemini", "extensionPath"))
    for folder in (ROOT, GEMINI):
        yield f"{folder}/hooks/{MARKER}", Path(connect.__file__).with_name(MARKER).read_text("utf-8")
        yield f"{folder}/hooks/patterns.json", json.dumps(masking_patterns()) + "\n"
        yield from _skills(f"{folder}/skills")


def _marketplace() -> Json:
    about = "Almanac for coding agents."
    plugin = {"name": NAME, "source": f"./{ROOT}", "description": _ABOUT["description"]}
    return {"name": NAME, "owner": {"name": "Almanac"}, "metadata": {"description": about}, "plugins": [plugin]}


def _claude() -> Json:
    settings: Json = {
        "url": {"type": "string", "title": "Server address", "description": _ADDRESS, "default": DEFAULT_URL},
        "api_key": {"type": "string", "title": "API key", "description": _KEY, "required": True, "sensitive": True},
    }
    return {**_ABOUT, "author": {"name": "Almanac"}, "license": "Apache-2.0", "userConfig": settings}


def _codex() -> Json:
    paths = {"skills": "./skills/", "mcpServers": "./.codex-plugin/mcp.json", "hooks": "./hooks/codex.json"}
    return {**_ABOUT, **paths, "interface": {"displayName": "Almanac", "shortDescription": _ABOUT["description"]}}


def _gemini() -> Json:
    server = Server(url=f"${{{URL_VARIABLE}}}")
    settings = [
        {"name": "Server address", "description": _ADDRESS, "envVar": URL_VARIABLE},
        {"name": "API key", "description": _KEY, "envVar": KEY_VARIABLE, "sensitive": True},
    ]
    return {**_ABOUT, **_servers(server, "gemini"), "settings": settings}


def _servers(server: Server, client: str) -> Json:
    known = CLIENTS[client]
    return {"mcpServers": {NAME: known.of(known.with_tool_set(server))}}


def _hooks(client: str, folder: str) -> Json:
    """Return the hooks that `almanac connect` also writes, run from the folder that the client substitutes."""
    return {"hooks": hook_groups(client, f'python3 -I -S "${{{folder}}}/hooks/{MARKER}" {client} 2>/dev/null || true')}


def _skills(folder: str) -> Iterator[tuple[str, str]]:
    source = Path(catalogue.__file__).with_name("skills")
    for name in SKILLS:
        for file in sorted(one for one in (source / name).rglob("*") if one.is_file()):
            yield f"{folder}/{file.relative_to(source).as_posix()}", file.read_text("utf-8")


def _text(value: Json) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
