"""Test that the entries of `almanac connect` work with a real server, and that undoing removes them."""

import json
import os
import socket
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from almanac.local.connect import server_keys
from tests.integration.local.server_process import ALMANAC, Server, call_message, environment, run_server, type_command
from tests.ports import reserve_port

Json = dict[str, Any]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for name in (".claude", ".cursor", ".codex", ".gemini", ".copilot", ".codeium/windsurf"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("opencode", "Claude", "Code/User"):
        (tmp_path / ".config" / name).mkdir(parents=True)
    (tmp_path / ".codex/config.toml").write_text('# mine\nmodel = "x"\n')
    (tmp_path / ".claude/settings.json").write_text('{\n  // mine\n  "theme": "dark",\n}\n')
    return tmp_path


def files(home: Path) -> dict[str, str]:
    return {str(one): one.read_text() for one in home.rglob("*") if one.is_file() and ".local" not in one.parts}


def test_nine_clients_are_connected_work_and_are_undone(full: Server, folder: Path, home: Path) -> None:
    def connect(*words: str) -> str:
        done = type_command("connect", *words, "--url", full.url, "--data", folder, HOME=str(home), PATH="/nowhere")
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    before = files(home)
    shown = connect("--dry-run")
    assert "+[mcp_servers.almanac]" in shown
    assert files(home) == before

    said = connect()
    assert said.count("connected; a call with its key works.") == 9
    assert said.count("Still to do: ") == 9
    assert "Run /hooks in Codex and trust the hooks of almanac" in said
    assert "Secrets are masked" in said.replace("\n", " ")
    settings = json.loads((home / ".cursor/mcp.json").read_text())["mcpServers"]["almanac"]
    assert settings["url"] == f"{full.url}?set=core"
    desktop = json.loads((home / ".config/Claude/claude_desktop_config.json").read_text())["mcpServers"]["almanac"]
    assert desktop["args"][-2:] == ["--set", "core"]
    keys = {text.split('"alm_')[1].split('"')[0] for text in files(home).values() if '"alm_' in text}
    assert len(keys) == 9
    assert full.post(call_message("list_recent_turns"), x_api_key=settings["headers"]["x-api-key"]).status == 200

    line = json.loads((home / ".cursor/hooks.json").read_text())["hooks"]["beforeSubmitPrompt"][0]["command"]
    event = {"hook_event_name": "beforeSubmitPrompt", "conversation_id": "c1", "workspace_roots": [str(home)]}
    event["prompt"] = "Deploys are on Tuesdays, DB_PASSWORD=hunter2secret9"
    # A prompt that the server is slow to take waits, and goes with the answer: each is there once.
    for more in ({}, {"hook_event_name": "afterAgentResponse", "prompt": "", "text": "Noted."}):
        given = json.dumps(event | more)
        subprocess.run(["/bin/sh", "-c", line], input=given, text=True, check=True, env={"HOME": str(home)})
    turns = full.post(call_message("list_recent_turns", session_id="c1")).json["result"]["structuredContent"]["turns"]
    assert sorted(turn["content"] for turn in turns) == [
        "Deploys are on Tuesdays, DB_PASSWORD=[REDACTED:secret]",
        "Noted.",
    ]

    rows = {row["client"]: row for row in json.loads(connect("--status", "--json"))}
    assert {row["state"] for row in rows.values()} == {"connected"}
    assert rows["cursor"]["sessions"] == 1
    assert rows["cursor"]["injected_tokens"] >= 0
    assert rows["cursor"]["last_seen"]
    assert "Waiting to be sent: 0, dropped because the queue was full: 0" in connect("--status")
    # Clients that sign in send their token where others send the key.
    asked = json.dumps(event | {"hook_event_name": "sessionStart", "conversation_id": "c2"})
    bearer = f"Bearer {settings['headers']['x-api-key']}"
    assert full.request("POST", "/hooks/cursor", asked, authorization=bearer).status == 200
    assert full.request("POST", "/hooks/cursor", asked).status == 401
    after = files(home)
    assert connect().count("nothing to change") == 9
    assert files(home) == after

    connect("--undo")
    assert files(home) == before
    assert not (home / ".local/share/almanac/hooks").exists()
    assert full.post(call_message("list_recent_turns"), x_api_key=settings["headers"]["x-api-key"]).status == 401


def test_clients_that_are_connected_at_once_are_all_recorded_and_undone(full: Server, folder: Path, home: Path) -> None:
    before = files(home)
    names = ["cursor", "gemini", "windsurf"]
    command = [ALMANAC, "connect", "--url", full.url, "--data", folder]
    started = [
        subprocess.Popen(
            [*map(str, command), name], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(HOME=str(home))
        )
        for name in names
    ]
    for one in started:
        said = one.communicate(timeout=120)
        assert one.returncode == 0, said
    told = json.loads(type_command("connect", "--status", "--json", HOME=str(home)).stdout)
    assert {row["client"]: row["state"] for row in told} == dict.fromkeys(names, "connected")
    assert type_command("connect", "--undo", HOME=str(home)).returncode == 0
    assert files(home) == before


@pytest.mark.parametrize("words", [["--pause"], ["--undo"], ["cursor", "--url", "http://127.0.0.1:9/mcp"]])
def test_a_home_that_cannot_be_written_is_named(words: list[str], tmp_path: Path) -> None:
    (tmp_path / ".local").write_text("no folder")
    done = type_command("connect", *words, HOME=str(tmp_path))
    assert done.returncode == 2
    assert f"{tmp_path}/.local" in done.stderr
    assert "cannot be written" in done.stderr


def test_a_reader_that_has_read_enough_is_no_failure(full: Server, folder: Path, home: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [str(ALMANAC), "connect", "--dry-run", "--url", full.url, "--data", str(folder)]
    done = subprocess.run(
        command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False, env=environment(HOME=str(home))
    )
    os.close(writing)
    assert done.stderr == ""


@pytest.mark.enable_socket
def test_a_server_that_hangs_is_waited_for_once(home: Path, full: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_keys, "_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.setblocking(False)
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/mcp"

        def count_waiting() -> int:
            count = 0
            with suppress(BlockingIOError):
                while True:
                    silent.accept()[0].close()
                    count += 1
            return count

        done = type_command("connect", "--url", url, "--key", full.key or "", HOME=str(home), PATH="/nowhere")
        assert (done.returncode, done.stderr.count("did not answer")) == (1, 9)
        assert count_waiting() == 1
        told = json.loads(type_command("connect", "--status", "--json", HOME=str(home)).stdout)
        assert [row["state"] for row in told if row["hooks"]] == ["connected, no answer"] * 7
        assert count_waiting() == 1
    assert type_command("connect", "--undo", HOME=str(home)).returncode == 0


def test_a_server_elsewhere_is_connected_with_its_key(full: Server, tmp_path: Path) -> None:
    # Its data folder is not here: no key can be made.
    words = ["connect", "codex", "--url", full.url, "--key", full.key or ""]
    done = type_command(*words, HOME=str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    assert (full.key or "-") in (tmp_path / ".codex/config.toml").read_text()
    assert not (tmp_path / ".local/share/almanac/almanac.db").exists()
    assert type_command("connect", "--undo", HOME=str(tmp_path)).returncode == 0
    assert not (tmp_path / ".codex").exists()
    refused = type_command("connect", "codex", "--url", "https://almanac.example/mcp", HOME=str(tmp_path))
    assert "A key of https://almanac.example/mcp is needed." in refused.stderr
    assert not (tmp_path / ".codex").exists()


def test_a_project_gets_no_second_hooks(
    full: Server, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "shop"
    project.mkdir()
    monkeypatch.chdir(project)
    words = ["connect", "cursor", "--url", full.url, "--data", folder]
    assert type_command(*words, "--project", HOME=str(tmp_path)).returncode == 0
    assert (project / ".cursor/hooks.json").exists()
    assert type_command(*words, HOME=str(tmp_path)).returncode == 0
    assert type_command(*words, "--project", HOME=str(tmp_path)).returncode == 0
    assert sorted(one.name for one in project.rglob("*.json")) == ["mcp.json"]
    assert (tmp_path / ".cursor/hooks.json").exists()
    assert type_command("connect", "--undo", HOME=str(tmp_path)).returncode == 0
    assert [one for one in tmp_path.rglob("*.json") if ".local" not in one.parts] == []


def test_what_cannot_be_connected_is_said(full: Server, tmp_path: Path) -> None:
    assert "No client was found here." in type_command("connect", HOME=str(tmp_path), PATH="/nowhere").stderr
    (tmp_path / ".gemini").mkdir()
    (tmp_path / ".gemini/settings.json").write_text("{")
    done = type_command("connect", "gemini", "--url", full.url, "--key", full.key or "", HOME=str(tmp_path))
    assert done.returncode == 1
    assert "left as it is" in done.stderr
    wrong = type_command(
        "connect", "cursor", "--url", full.url, "--key", "alm_" + "a" * 16 + "_" + "b" * 52, HOME=str(tmp_path)
    )
    assert wrong.returncode == 1
    assert "a call with its key failed" in wrong.stderr


def test_hooks_are_paused_and_resumed(tmp_path: Path) -> None:
    assert type_command("connect", "--pause", HOME=str(tmp_path)).stdout == "The hooks are paused.\n"
    assert (tmp_path / ".local/share/almanac/hooks/paused").exists()
    assert type_command("connect", "--resume", HOME=str(tmp_path)).stdout == "The hooks are resumed.\n"
    assert not (tmp_path / ".local/share/almanac/hooks/paused").exists()


@pytest.mark.soak
def test_a_thousand_turns_arrive_once_and_in_order_whoever_is_killed(tmp_path: Path) -> None:
    port, data = str(reserve_port()), tmp_path / ".local/share/almanac"
    serve = [ALMANAC, "serve", "--port", port, "--data", data]
    (tmp_path / ".claude").mkdir()
    transcript, rounds = tmp_path / "s.jsonl", 10
    event = {"session_id": "k", "transcript_path": str(transcript), "cwd": str(tmp_path), "hook_event_name": "Stop"}
    with run_server(serve) as server:
        assert type_command("connect", "claude-code", "--url", server.url, HOME=str(tmp_path)).returncode == 0
    hooks = json.loads((tmp_path / ".claude/settings.json").read_text())["hooks"]
    line = ["/bin/sh", "-c", f"exec {hooks['Stop'][0]['hooks'][0]['command'].removesuffix(' || true')}"]

    def stop(*, kill_after: float | None = None) -> None:
        with subprocess.Popen(line, stdin=subprocess.PIPE, text=True, env={"HOME": str(tmp_path)}) as hook:
            with suppress(subprocess.TimeoutExpired):
                hook.communicate(json.dumps(event), timeout=kill_after)
            hook.kill()

    for each in range(rounds):
        with transcript.open("a") as target:
            for number in range(each * 100, each * 100 + 100):
                message = {"role": "user", "content": f"turn {number} of this trial"}
                target.write(json.dumps({"type": "user", "uuid": f"u{number}", "message": message}) + "\n")
        match each % 3:
            case 0:
                stop()
            case 1:
                stop(kill_after=0.1 * each)
            case _:
                # Leaving kills the server, often while it still writes.
                with run_server(serve):
                    stop(kill_after=0.2 * each if each % 2 else None)
    with run_server(serve) as server:
        stop()
        found: list[str] = []
        cursor: Json | None = {}
        while cursor is not None:
            asked = call_message("list_recent_turns", session_id="k", limit=100, **cursor)
            page = server.post(asked).json["result"]["structuredContent"]
            found += [turn["content"] for turn in page["turns"]]
            cursor = {"cursor": page["next_cursor"]} if page["next_cursor"] else None
    assert found[::-1] == [f"turn {number} of this trial" for number in range(rounds * 100)]
