"""`almanac skills`, against a server of this machine."""

import json
import zipfile
from pathlib import Path
from random import Random
from typing import Any

from tests.integration.local.server_process import type_command

TEXT = "---\nname: desk\ndescription: Tidies the desk.\n---\n{0}\n"


def rows(*arguments: str | Path, status: int = 0) -> Any:
    done = type_command("skills", *arguments, "--json")
    assert done.returncode == status, done.stderr
    return json.loads(done.stdout)


def folder_of(folder: Path, body: str, large: bytes = b"") -> Path:
    (folder / "desk" / "assets").mkdir(parents=True, exist_ok=True)
    (folder / "desk" / "SKILL.md").write_text(TEXT.format(body))
    (folder / "desk" / "assets" / "large.bin").write_bytes(large)
    return folder / "desk"


def test_a_skill_over_what_a_call_bears_goes_there_and_back(at: list[str], tmp_path: Path):
    large = Random(1).randbytes(5_000_000)
    [first] = rows("install", folder_of(tmp_path, "One", large), *at)
    [again] = rows("install", folder_of(tmp_path, "One", large), *at)
    [second] = rows("install", folder_of(tmp_path, "Two"), *at)

    assert [(row["version"], row["changed"]) for row in (first, again, second)] == [(1, True), (1, False), (2, True)]
    [listed] = [row for row in rows("list", *at) if row["name"] == "desk"]
    assert (listed["version"], listed["valid"], listed["trusted"]) == (2, True, False)

    exported = rows("export", "desk", tmp_path / "out", "--version", "1", *at)
    assert (exported["version"], exported["files"], exported["untrusted"]) == (1, 2, True)
    assert (tmp_path / "out" / "desk" / "assets" / "large.bin").read_bytes() == large
    refused = type_command("skills", "export", "desk", str(tmp_path / "out"), *at)
    assert (refused.returncode, "already exists" in refused.stderr) == (2, True)


def test_several_are_installed_though_one_is_bad(at: list[str], tmp_path: Path):
    with zipfile.ZipFile(tmp_path / "drawer.zip", "w") as packed:
        packed.writestr("drawer/SKILL.md", TEXT.format("In a zip").replace("desk", "drawer"))
    (tmp_path / "bad.md").write_text("no front matter")
    done = type_command(
        "skills", "install", tmp_path / "bad.md", tmp_path / "drawer.zip", "--default", "go-project", *map(str, at)
    )

    assert done.returncode == 1
    bad, _, drawer, default = done.stdout.splitlines()
    assert bad.startswith(f"{tmp_path / 'bad.md'}: not installed. Nothing was installed.")
    assert "installed (drawer, version 1, 1 files" in drawer
    assert default.startswith("go-project: installed (go-project, version 1")
    [ours] = [row for row in rows("list", *at) if row["name"] == "go-project"]
    assert ours["trusted"]


def test_default_skills_are_listed_without_a_server():
    listed = rows("list", "--defaults")

    assert len(listed) == 13
    assert {"name", "tags", "recommended_for"} == set(listed[0])
    assert "almanac-toolkit" in type_command("skills", "list", "--defaults").stdout


def test_what_cannot_be_done_is_said(at: list[str], tmp_path: Path):
    assert type_command("skills", "install", *at).returncode == 2
    assert "There is no skill" in type_command("skills", "export", "nope", str(tmp_path), *at).stderr
    wrong = ["--url", at[1], "--key", f"alm_{'a' * 16}_{'b' * 52}"]
    done = type_command("skills", "install", folder_of(tmp_path, "Body"), folder_of(tmp_path, "Body"), *wrong)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Error: " in done.stderr
