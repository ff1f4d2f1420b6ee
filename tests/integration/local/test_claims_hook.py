"""`almanac claims`, as git runs it before a commit."""

import json
import subprocess
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.local.server_process import ALMANAC, Server, almanac, environment, run_server, type_command

MINE, THEIRS = "claude-code@ann#1", "codex@ben#2"


@pytest.fixture(scope="module")
def server(folder: Path) -> Generator[Server]:
    with run_server([ALMANAC, "serve", "--port", "0", "--data", folder]) as server:
        yield server


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository without a commit, and two files that are not staged yet."""
    tree = tmp_path / "web"
    (tree / "src").mkdir(parents=True)
    for name in ("src/auth.py", "src/für [alle].py"):
        (tree / name).write_text("")
    git(tree, "init", "-q")
    return tree


def git(tree: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run git as a user called Ann."""
    whose = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false"]
    given = environment(**more) | {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    return subprocess.run(["git", *whose, *arguments], cwd=tree, env=given, capture_output=True, text=True, check=False)


def ask(server: Server, folder: Path, tool: str, **arguments: object) -> dict[str, Any]:
    words = [f"{name}={value}" for name, value in arguments.items()]
    return json.loads(almanac("call", tool, *words, "--json", "--url", server.url, "--data", folder).stdout)


def test_git_refuses_a_commit_on_a_file_that_somebody_else_holds(server: Server, folder: Path, tree: Path) -> None:
    installed = subprocess.run(
        [ALMANAC, "claims", "install-hook", "--url", server.url, "--data", folder],
        cwd=tree, env=environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert installed.returncode == 0, installed.stderr
    claim = {"key": "src/auth.py", "ttl_ms": 600_000}
    ask(server, folder, "claim", **claim, holder=THEIRS)
    git(tree, "add", ".")

    refused = git(tree, "commit", "-m", "One", ALMANAC_HOLDER=MINE)
    assert refused.returncode == 1, refused.stderr
    assert "src/auth.py" in refused.stderr
    assert THEIRS in refused.stderr
    assert "für" not in refused.stderr

    ask(server, folder, "release", key="src/auth.py", holder=THEIRS)
    token = ask(server, folder, "claim", **claim, holder=MINE)["claim"]["token"]
    stale = git(tree, "commit", "-m", "One", ALMANAC_HOLDER=MINE, ALMANAC_TOKEN=str(token - 1))
    assert (stale.returncode, "stale_token" in stale.stderr) == (1, True)
    done = git(tree, "commit", "-m", "One", ALMANAC_HOLDER=MINE, ALMANAC_TOKEN=str(token))
    assert done.returncode == 0, done.stderr

    # A file that moves is gone from where somebody holds it; what is not staged does not count.
    git(tree, "mv", "src/auth.py", "src/login.py")
    assert git(tree, "commit", "-m", "Two").returncode == 1
    git(tree, "reset", "--hard", "-q")
    (tree / "src/auth.py").write_text("changed")
    assert git(tree, "commit", "--allow-empty", "-m", "Two").returncode == 0


def test_a_commit_without_a_server_is_refused_unless_the_user_chose_otherwise(
    server: Server, folder: Path, tree: Path
) -> None:
    where = ["--url", "http://127.0.0.1:9/mcp", "--data", str(folder)]
    refused = type_command("claims", "check", "src/auth.py", *where)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "ALMANAC_CLAIMS_OFFLINE=allow" in refused.stderr
    for chosen in ([*where, "--offline", "allow"], where):
        more = {} if "allow" in chosen else {"ALMANAC_CLAIMS_OFFLINE": "allow"}
        allowed = type_command("claims", "check", "src/auth.py", *chosen, **more)
        assert allowed.returncode == 0
        assert "No server answers" in allowed.stderr


def test_many_files_are_checked_and_paths_are_read_from_where_one_is(
    server: Server, folder: Path, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = ["--url", server.url, "--data", str(folder), "--json"]
    ask(server, folder, "claim", key="lib/", holder=THEIRS, ttl_ms=600_000)
    (tree / "lib").mkdir()
    names = [f"lib/{number}.py" for number in range(201)]
    for name in names:
        (tree / name).write_text("")
    git(tree, "add", "lib")
    monkeypatch.chdir(tree)
    staged = type_command("claims", "check", *where)
    assert staged.returncode == 1
    assert len(json.loads(staged.stdout)) == 50 + 50 + 1
    monkeypatch.chdir(tree / "lib")
    named = type_command("claims", "check", "0.py", "../src/login.py", *where)
    assert [one["path"] for one in json.loads(named.stdout)] == ["lib/0.py"]


def test_a_hook_that_is_there_stays(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree)
    hook = tree / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\n")
    refused = type_command("claims", "install-hook", "--holder", MINE)
    assert refused.returncode == 2
    assert f"claims check --holder '{MINE}'" in refused.stderr
    assert hook.read_text() == "#!/bin/sh\n"


def test_outside_of_a_repository_files_have_to_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    monkeypatch.chdir(tmp_path)
    refused = type_command("claims", "check")
    assert (refused.returncode, "almanac claims check PATHS" in refused.stderr) == (2, True)
