"""What a hook adds to an event of a coding agent, beside an empty command in the same rounds.

    python -m tests.bench.hook_speed [--rounds 40] [--script OTHER.py]

Each round runs every command once, so that whatever else the machine does delays all of them alike; only the ratios
mean anything. The hook talks to a laptop's server that knows a few hundred turns. `--script` measures another version.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median, quantiles

from almanac.content.redaction.exported_patterns import masking_patterns
from almanac.local.connect import almanac_hook
from tests.integration.local.server_process import ALMANAC, Server, call_message, run_server

_TURNS = 300
_BASE = {"session_id": "bench", "permission_mode": "default"}
_EDIT = {"tool_name": "Edit", "tool_input": {"file_path": "/w/src/auth.py", "old_string": "a", "new_string": "b"}}
_PROMPT = "Which port does the staging database listen on, and who may change it?"
_EVENTS: Mapping[str, Mapping[str, object]] = {
    "session start": {"hook_event_name": "SessionStart", "source": "startup"},
    "prompt": {"hook_event_name": "UserPromptSubmit", "prompt": _PROMPT},
    "before an edit": {"hook_event_name": "PreToolUse", **_EDIT},
    "after an edit": {"hook_event_name": "PostToolUse", "tool_response": {"success": True}, **_EDIT},
    "end of an answer": {"hook_event_name": "Stop"},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--script", type=Path, default=Path(almanac_hook.__file__))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        with run_server([ALMANAC, "serve", "--port", "0", "--data", folder / "data"]) as server:
            _fill(server)
            _show(_measure(_commands(folder, server, given.script), given.rounds))


def _fill(server: Server) -> None:
    turns = [
        {"role": "user", "content": f"Service {each} of staging listens on port {7000 + each}."}
        for each in range(_TURNS)
    ]
    for at in range(0, _TURNS, 50):
        server.post(call_message("record_turns", session_id=f"s{at}", turns=turns[at : at + 50]))


def _commands(folder: Path, server: Server, script: Path) -> Mapping[str, Callable[[int], float]]:
    home = folder / "hooks"
    home.mkdir()
    hook = shutil.copy(script, home / "almanac_hook.py")
    (home / "patterns.json").write_text(json.dumps(masking_patterns()))
    (home / "config.json").write_text(json.dumps({"url": server.url, "keys": {"claude-code": server.key}}))
    transcript = folder / "transcript.jsonl"
    python = Path(sys.executable).resolve()

    def hook_runner(event: Mapping[str, object]) -> Callable[[int], float]:
        def run(number: int) -> float:
            said = {"type": "user", "uuid": f"u{number}", "message": {"role": "user", "content": f"step {number}"}}
            with transcript.open("a") as target:
                target.write(json.dumps(said) + "\n")
            # A session is told each memory once: every round has one of its own.
            own = {"session_id": f"bench-{number}", "cwd": str(folder), "transcript_path": str(transcript)}
            return _seconds([str(python), "-I", "-S", str(hook), "claude-code"], json.dumps({**_BASE, **own, **event}))

        return run

    return {
        "empty shell command": lambda _: _seconds(["/bin/sh", "-c", ":"], ""),
        "empty interpreter": lambda _: _seconds([str(python), "-I", "-S", "-c", ""], ""),
        **{name: hook_runner(event) for name, event in _EVENTS.items()},
    }


def _seconds(command: list[str], given: str) -> float:
    began = time.perf_counter()
    subprocess.run(command, input=given.encode(), capture_output=True, check=True)
    return time.perf_counter() - began


def _measure(commands: Mapping[str, Callable[[int], float]], rounds: int) -> Mapping[str, list[float]]:
    taken: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(rounds + 2):
        for name, run in commands.items():
            seconds = run(number)
            # The first rounds warm the server and the disk.
            if number >= 2:
                taken[name].append(seconds)
    return taken


def _show(taken: Mapping[str, list[float]]) -> None:
    shell, python = taken["empty shell command"], taken["empty interpreter"]
    print(f"{'':22}{'p50':>8}{'p95':>8}   times the empty command   times the empty interpreter (p50, p95)")
    for name, seconds in taken.items():
        row = "".join(f"{1000 * each:5.0f} ms" for each in (median(seconds), _p95(seconds)))
        ratios = [f"{median(seconds) / median(base):6.1f}{_p95(seconds) / _p95(base):6.1f}" for base in (shell, python)]
        print(f"{name:22}{row}   {ratios[0]:24}   {ratios[1]}")


def _p95(seconds: list[float]) -> float:
    return quantiles(seconds, n=20)[-1]


if __name__ == "__main__":
    main()
