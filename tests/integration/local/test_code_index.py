"""`almanac code`, against a server of this machine."""

import json
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.integration.local.server_process import ALMANAC, environment, type_command
from tests.unit.local.code_index.trees import COMMIT, checkout, files


def index_code(*arguments: str | Path, status: int = 0) -> dict[str, Any]:
    done = type_command("code", "index", *arguments, "--json")
    assert done.returncode == status, done.stderr
    return json.loads(done.stdout)


def list_files(at: list[str], repo: str) -> dict[str, str]:
    done = type_command("call", "list_files", f"repo_id={repo}", *at, "--json")
    return {row["path"]: row["sha256"] for row in json.loads(done.stdout)["files"]}


def test_a_tree_is_indexed_and_then_kept_up_to_date(at: list[str], tmp_path: Path) -> None:
    root = checkout(files(tmp_path, {"a.py": "def a(): ...\n", "src/b.ts": "export const b = 1\n", ".gitignore": "o/"}))
    files(root, {"o/x.py": "x = 1\n", "logo.png": b"\x89PNG"})
    tried = index_code(root, *at, "--dry-run")
    assert (tried["changed"], list_files(at, "acme/web")) == (3, {})
    first = index_code(root, *at)
    assert (first["repo_id"], first["commit"], first["sent"], first["complete"]) == ("acme/web", COMMIT, 3, True)
    assert first["left_out"] == {"ignored": 1, "binary": 1}
    assert sorted(list_files(at, "acme/web")) == [".gitignore", "a.py", "src/b.ts"]
    (root / "a.py").rename(root / "c.py")
    second = index_code(root, *at)
    assert (second["sent"], second["removed"], second["unchanged"]) == (1, 1, 2)
    assert sorted(list_files(at, "acme/web")) == [".gitignore", "c.py", "src/b.ts"]
    (state,) = json.loads(type_command("code", "status", "--repo", "acme/web", *at, "--json").stdout)
    assert (state["files"], state["commit"], state["behind"]) == (3, COMMIT, None)


def test_a_repository_is_removed(at: list[str], tmp_path: Path) -> None:
    index_code(files(tmp_path, {"a.py": "a = 1\n"}), "--repo", "acme/gone", *at)
    done = type_command("code", "remove", "acme/gone", *at, "--json")
    assert json.loads(done.stdout) == {"repo_id": "acme/gone", "removed": 1}
    again = type_command("code", "remove", "acme/gone", *at)
    assert again.returncode == 2
    assert "is not indexed" in again.stderr


def test_what_it_says_is_for_people_too(at: list[str], tmp_path: Path) -> None:
    done = type_command("code", "index", files(tmp_path, {"a.py": "a = 1\n", "x.png": "x"}), "--repo", "acme/read", *at)
    said = dict(line.split(maxsplit=1) for line in done.stdout.splitlines())
    assert (said["sent"], said["left_out"], said["complete"]) == ("1", "binary 1", "yes")
    assert "acme/read" in type_command("code", "status", *at).stdout


def test_an_edit_and_a_deletion_are_followed_until_it_is_interrupted(at: list[str], tmp_path: Path) -> None:
    root = files(tmp_path, {"a.py": "a = 1\n", "b.py": "b = 1\n"})
    command = [str(ALMANAC), "code", "index", str(root), "--repo", "acme/live", "--watch", *at]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
    ) as watch:
        assert watch.stdout is not None
        assert watch.stderr is not None
        try:
            assert any("Following" in line for line in watch.stderr)
            files(root, {"a.py": "a = 2\n"})
            assert "sent 1\n" in watch.stdout
            (root / "b.py").unlink()
            assert "removed 1\n" in watch.stdout
            assert list(list_files(at, "acme/live")) == ["a.py"]
        finally:
            watch.send_signal(signal.SIGINT)
        assert watch.wait(timeout=30) == 0
        assert "Stopped." in watch.stderr.read()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--url", "http://127.0.0.1:9/mcp"], "No server answers"),
        (["--url", "nonsense"], "is not the address of a server"),
        (["--key", "hünter2"], "This is not an Almanac API key"),
        (["--key", "alm_nobody_" + "x" * 40], "The API key is not valid"),
        (["--repo", "a b"], "cannot be the name of a repository"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(
    at: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    monkeypatch.setattr("almanac.local.client.patient_calls._PAUSES", ())
    root = files(tmp_path / "web", {"a.py": "a = 1\n"})
    done = type_command("code", "index", root, *at, *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_folder_that_is_none_is_a_wrong_usage(tmp_path: Path) -> None:
    assert type_command("code", "index", tmp_path / "none").returncode == 2
    assert type_command("code", "index", files(tmp_path, {"a.py": ""}) / "a.py").returncode == 2
