"""`almanac skills validate`, as typed."""

import io
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from almanac.composition.commands.skills import MAX_SKILL_MD
from almanac.local.cli import cli

TEXT = "---\nname: desk\ndescription: Tidies.\nmetadata:\n  version: 1.2\n---\nBody\n"


@pytest.fixture
def tidy(tmp_path: Path) -> Path:
    folder = tmp_path / "desk"
    folder.mkdir()
    (folder / "SKILL.md").write_text(TEXT)
    (folder / "a.py").write_text("print()")
    return folder


def run(*paths: object, status: int = 0) -> str:
    done = CliRunner().invoke(cli, ["skills", "validate", *map(os.fspath, map(str, paths))])
    assert done.exit_code == status, (done.output, done.exception)
    return done.stdout


def verdict(path: object, status: int = 0) -> dict[str, Any]:
    (row,) = json.loads(run(path, "--json", status=status))
    return row


def test_a_valid_folder_is_told(tidy: Path):
    assert run(tidy) == f"{tidy}: valid (desk, 2 files, {len(TEXT) + 7} bytes)\n"
    assert verdict(tidy) == {
        "path": str(tidy),
        "valid": True,
        "loads": True,
        "name": "desk",
        "version": "1.2",
        "errors": [],
        "warnings": [],
        "files": 2,
        "bytes": len(TEXT) + 7,
        "left_out": [],
    }


def test_a_file_alone_has_the_name_of_its_folder(tidy: Path):
    other = tidy.parent / "loose.md"
    other.write_text(TEXT)

    assert verdict(tidy / "SKILL.md")["files"] == 1
    assert verdict(other)["valid"]
    (tidy.parent / "elsewhere").mkdir()
    moved = (tidy / "SKILL.md").rename(tidy.parent / "elsewhere/SKILL.md")
    assert verdict(moved, status=1)["errors"][0]["rule"] == "name_not_folder"


def test_a_zip_file_is_known_by_its_bytes(tidy: Path):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("desk/SKILL.md", TEXT)
        archive.writestr("README", "x")
    file = tidy.parent / "packed.skill"
    file.write_bytes(target.getvalue())

    assert verdict(file)["left_out"] == ["README"]
    assert "  left out: README\n" in run(file)


def test_what_is_wrong_is_told_with_its_line_and_the_others_go_on(tidy: Path):
    bad = tidy.parent / "bad"
    bad.mkdir()
    (bad / "SKILL.md").write_text("---\nname: bad\ndescription: a: b\x1b[31m\n---\n")

    told = run(bad, tidy, status=1)

    assert f"{bad}: not valid, but loads (bad, 1 files" in told
    assert "  error: " in told
    assert "  warning: line 3: description:" in told
    assert f"{tidy}: valid" in told
    assert "\x1b" not in told


@pytest.mark.parametrize("spoil", ["link.txt", "nul", "huge.md", "gone"])
def test_what_is_no_skill_is_an_error_and_no_traceback(tidy: Path, spoil: str):
    path = tidy
    match spoil:
        case "nul":
            (tidy / "nul").write_text("")
        case "huge.md":
            path = tidy / "huge.md"
            path.write_bytes(b"x" * (MAX_SKILL_MD + 1))
        case "gone":
            path = tidy / "gone"
        case _:
            (tidy / "SKILL.md").unlink()

    row = verdict(path, status=1)

    assert (row["valid"], row["loads"], [each["rule"] for each in row["errors"]]) == (False, False, ["bundle"])
    assert "not valid (no skill)" in run(path, status=1)


def test_names_that_are_no_text_can_be_printed(tidy: Path):
    os.symlink("nowhere", os.path.join(os.fsencode(tidy), b"\xff"))

    assert verdict(tidy)["left_out"] == ["?"]
    (tidy / "\udcfe").mkdir()
    row = verdict(tidy / "\udcfe", status=1)
    assert (row["path"], "no SKILL.md" in row["errors"][0]["message"]) == (f"{tidy}/?", True)


def test_long_lists_of_what_was_left_out_are_cut_on_the_terminal(tidy: Path):
    for number in range(25):
        (tidy / f"l{number}").symlink_to("nowhere")

    assert run(tidy).endswith("  left out: 5 more\n")
    assert len(verdict(tidy)["left_out"]) == 25
