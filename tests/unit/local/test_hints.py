"""Commands in hints, spelt so that they work where they are read."""

import sys
from pathlib import Path

import pytest

from almanac.local.cli import cli
from almanac.local.hints import program, spell_commands

USED = {"--data": "/tmp/my data", "--tenant": "acme"}


@pytest.mark.parametrize(
    ("said", "spelt"),
    [
        ("`almanac tenants list` shows them.", "`X tenants list --data '/tmp/my data'` shows them."),
        ("almanac keys issue", "X keys issue --data '/tmp/my data' --tenant acme"),
        ("almanac keys issue --tenant birch", "X keys issue --data '/tmp/my data' --tenant birch"),
        ("almanac tenants create NAME", "X tenants create --data '/tmp/my data' NAME"),
        ("almanac calendar connect", "X calendar connect"),
        ("almanac calendar sync", "X calendar sync --data '/tmp/my data' --tenant acme"),
        ("Start one with `almanac serve`, or", "Start one with `X serve --data '/tmp/my data'`, or"),
        ("almanac nonsense", "almanac nonsense"),
        ("my-almanac keys list, /x/almanac keys list", "my-almanac keys list, /x/almanac keys list"),
    ],
)
def test_a_command_carries_the_program_and_the_options_in_use(said: str, spelt: str) -> None:
    assert spell_commands(said, USED, cli, "X") == spelt


def test_the_program_is_called_as_it_was_called(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script = tmp_path / "bin" / "almanac"
    script.parent.mkdir()
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(sys, "argv", [str(script)])
    assert program() == str(script)
    monkeypatch.setenv("PATH", str(script.parent))
    assert program() == "almanac"
    cached = tmp_path / "uv" / "archive-v0" / "x" / "bin" / "almanac"
    cached.parent.mkdir(parents=True)
    cached.write_text("#!/bin/sh\n")
    cached.chmod(0o755)
    monkeypatch.setenv("PATH", str(cached.parent))
    monkeypatch.setattr(sys, "argv", [str(cached)])
    assert program() == str(cached)
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "almanac" / "local" / "__main__.py")])
    assert program() == f"{sys.executable} -m almanac.local"
