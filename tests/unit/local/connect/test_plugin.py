"""Test the plugin for three clients: it has the entries of `almanac connect`, and it is valid and works for each
client."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import almanac
from almanac.local.connect.clients import KNOWN
from almanac.platform.clients.server import KEY_VARIABLE
from tests.unit.local.connect.test_almanac_hook import KEY, Receiver, line
from tests.until import wait_until
from tools.documents.plugin import GEMINI, ROOT, files

Json = dict[str, Any]
MADE = dict(files())
CLAUDE_EVENTS = frozenset(
    {
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "Stop",
        "SubagentStop",
        "PreCompact",
        "SessionEnd",
    }
)
"""Of Claude Code, which refuses a file of hooks with any other name than its own."""
GEMINI_EVENTS = frozenset({"SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent", "SessionEnd"})
OPTION = frozenset({"type", "title", "description", "default", "required", "sensitive", "multiple", "min", "max"})
"""Of a setting of Claude Code, which refuses a plugin that has others."""


def read(path: str) -> Json:
    return json.loads(MADE[path])


def test_the_folder_has_what_is_made_and_nothing_else(repository: Path) -> None:
    there = {str(one.relative_to(repository)) for one in (repository / "plugins").rglob("*") if one.is_file()}

    assert {one for one in there if "__pycache__" not in one} == {path for path in MADE if path.startswith("plugins/")}
    assert [path for path, text in MADE.items() if (repository / path).read_text("utf-8") != text] == []


def test_the_marketplace_offers_the_plugin(repository: Path) -> None:
    offered = read(".claude-plugin/marketplace.json")
    (plugin,) = offered["plugins"]

    assert re.fullmatch("[a-z-]+", offered["name"])
    assert offered["owner"]["name"]
    assert (repository / plugin["source"] / ".claude-plugin/plugin.json").exists()
    assert plugin["name"] == read(f"{ROOT}/.claude-plugin/plugin.json")["name"]


@pytest.mark.parametrize(
    "path",
    [
        f"{ROOT}/.claude-plugin/plugin.json",
        f"{ROOT}/.codex-plugin/plugin.json",
        f"{GEMINI}/gemini-extension.json",
    ],
)
def test_every_manifest_has_name_version_and_description(path: str) -> None:
    manifest = read(path)

    assert (manifest["name"], manifest["version"]) == ("almanac", almanac.__version__)
    assert len(manifest["description"]) <= 200


def test_claude_code_asks_for_address_and_key_and_keeps_the_key_in_its_secret_store() -> None:
    manifest = read(f"{ROOT}/.claude-plugin/plugin.json")
    server = read(f"{ROOT}/.mcp.json")["mcpServers"]["almanac"]
    settings = manifest["userConfig"]

    assert all(one.keys() <= OPTION and {"type", "title", "description"} <= one.keys() for one in settings.values())
    assert settings["api_key"]["sensitive"] is True
    assert set(re.findall(r"\$\{user_config\.(\w+)\}", json.dumps(server))) == settings.keys()
    assert server["type"] == "http"
    assert "hooks" not in manifest, "hooks/hooks.json is loaded by itself, and would run twice"
    assert "user_config" not in MADE[f"{ROOT}/hooks/hooks.json"], "a line of a shell may not name settings"


def test_codex_is_led_to_files_in_the_folder_and_reads_the_key_from_the_environment(repository: Path) -> None:
    manifest = read(f"{ROOT}/.codex-plugin/plugin.json")
    server = read(f"{ROOT}/.codex-plugin/mcp.json")["mcpServers"]["almanac"]

    for name in ("skills", "mcpServers", "hooks"):
        assert manifest[name].startswith("./")
        assert (repository / ROOT / manifest[name]).exists()
    assert server["env_http_headers"] == {"x-api-key": KEY_VARIABLE}
    assert server["url"].endswith("/mcp?set=core")


def test_gemini_asks_for_address_and_key_and_lists_the_core_set() -> None:
    manifest = read(f"{GEMINI}/gemini-extension.json")
    server = manifest["mcpServers"]["almanac"]
    settings = {one["envVar"]: one for one in manifest["settings"]}

    assert all({"name", "description", "envVar"} <= one.keys() for one in manifest["settings"])
    assert set(re.findall(r"\$\{(\w+)\}", json.dumps(server))) == settings.keys()
    assert settings[KEY_VARIABLE]["sensitive"] is True
    assert server["httpUrl"].endswith("?set=core")


@pytest.mark.parametrize(
    ("path", "client", "known"),
    [
        (f"{ROOT}/hooks/hooks.json", "claude-code", CLAUDE_EVENTS),
        (f"{ROOT}/hooks/codex.json", "codex", CLAUDE_EVENTS - {"PostToolUseFailure"}),
        (f"{GEMINI}/hooks/hooks.json", "gemini", GEMINI_EVENTS),
    ],
)
def test_hooks_are_those_of_the_client(path: str, client: str, known: frozenset[str]) -> None:
    written = read(path)

    assert written.keys() == {"hooks"}
    assert written["hooks"].keys() == known == {one.event for one in KNOWN[client].hooks}
    for group in (group for groups in written["hooks"].values() for group in groups):
        assert group.keys() <= {"matcher", "hooks"}
        for handler in group["hooks"]:
            assert handler["type"] == "command"
            assert handler["timeout"] >= 1000 if client == "gemini" else handler["timeout"] <= 60


@pytest.mark.parametrize("path", [path for path in MADE if path.endswith("SKILL.md")])
def test_a_skill_is_called_as_its_folder(path: str) -> None:
    assert f"\nname: {Path(path).parent.name}\n" in MADE[path]


def _events_with_secret(client: str, folder: Path) -> list[Json]:
    """Return a client's events with a secret in their texts."""
    base = {"session_id": "s", "cwd": str(folder)}
    if client == "gemini":
        prompt = {**base, "hook_event_name": "BeforeAgent", "prompt": f"Use {KEY}"}
        return [prompt, {**base, "hook_event_name": "AfterAgent", "prompt": f"Use {KEY}", "prompt_response": "Done."}]
    if client == "codex":
        edited = {"tool_name": "apply_patch", "tool_input": {"file_path": str(folder / "a.py"), "command": f"# {KEY}"}}
        return [{**base, "hook_event_name": "PostToolUse", **edited}]
    transcript = folder / "transcript.jsonl"
    transcript.write_text(line(1, f"Use {KEY}"))
    return [{**base, "hook_event_name": "Stop", "transcript_path": str(transcript)}]


@pytest.mark.enable_socket
@pytest.mark.parametrize("client", ["claude-code", "codex", "gemini"])
def test_its_hooks_reach_the_server_by_the_settings_and_send_no_secret(
    client: str, tmp_path: Path, repository: Path
) -> None:
    # An installed plugin is a copy in a folder of its own, with a space in its path on some machines.
    folder = shutil.copytree(repository / (GEMINI if client == "gemini" else ROOT), tmp_path / "the plugin")
    data, work, receiver = tmp_path / "data", tmp_path / "work", Receiver()
    work.mkdir()
    name = "codex.json" if client == "codex" else "hooks.json"
    hooks = json.loads((folder / "hooks" / name).read_text())["hooks"]
    before = {one for one in folder.rglob("*") if one.is_file()}

    with receiver.up():
        url = f"http://127.0.0.1:{receiver.port}/mcp?families=memory"
        variables = {
            "claude-code": {"CLAUDE_PLUGIN_OPTION_URL": url, "CLAUDE_PLUGIN_OPTION_API_KEY": "alm_x"},
            "codex": {"ALMANAC_URL": url, KEY_VARIABLE: "alm_x"},
            "gemini": {"ALMANAC_URL": url, KEY_VARIABLE: "alm_x"},
        }[client]
        if client != "gemini":
            variables |= {"CLAUDE_PLUGIN_ROOT": str(folder), "CLAUDE_PLUGIN_DATA": str(data)}

        def is_told() -> bool:
            for event in _events_with_secret(client, work):
                (group,) = hooks[event["hook_event_name"]]
                command = group["hooks"][0]["command"].replace("${extensionPath}", str(folder))
                given = {"PATH": "/usr/bin:/bin:/usr/local/bin", **variables}
                subprocess.run(["/bin/sh", "-c", command], input=json.dumps(event), text=True, check=True, env=given)
            return bool(receiver.bodies)

        # A hook that a busy machine makes too slow drops what it was to send.
        wait_until(is_told)

    assert KEY not in json.dumps(receiver.bodies)
    if client != "codex":
        assert "[REDACTED:" in json.dumps(receiver.bodies)
    if client != "gemini":
        assert {one for one in folder.rglob("*") if one.is_file()} == before, "the next version replaces that folder"
