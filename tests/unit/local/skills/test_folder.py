"""A folder as a skill: its regular files, and nothing beyond it."""

import os
from pathlib import Path

import pytest

from almanac.composition.commands.skills import MAX_FILE_BYTES, Archive
from almanac.kernel.errors import InvalidInput
from almanac.local.skills.folder import read_folder, read_regular

TEXT = "---\nname: desk\ndescription: Tidies.\n---\nBody\n"


@pytest.fixture
def tidy(tmp_path: Path) -> Path:
    folder = tmp_path / "desk"
    folder.mkdir()
    (folder / "SKILL.md").write_text(TEXT)
    return folder


def put(folder: Path, path: str, data: bytes = b"x") -> Path:
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    return file


def test_all_files_are_read_by_their_paths(tidy: Path):
    for path in ("scripts/run.py", "references/deep/a.md", ".hidden", "templates/SKILL.md"):
        put(tidy, path, path.encode())

    archive = read_folder(tidy)

    assert archive.files == {
        path: path.encode() for path in ("scripts/run.py", "references/deep/a.md", ".hidden", "templates/SKILL.md")
    }
    assert (archive.skill_md, archive.folder, archive.left_out) == (TEXT, "desk", ())


def test_what_systems_and_version_control_leave_behind_is_left_out(tidy: Path):
    for path in (".git/config", "a/.DS_Store", "__pycache__/x.pyc", "._x"):
        put(tidy, path)

    assert read_folder(tidy) == Archive(TEXT, {}, "desk", ("._x", ".git", "__pycache__", "a/.DS_Store"))


def test_links_are_never_followed(tidy: Path, tmp_path: Path):
    put(tmp_path, "secret/file")
    (tidy / "file").symlink_to(tmp_path / "secret/file")
    (tidy / "folder").symlink_to(tmp_path / "secret")
    (tidy / "loop").symlink_to(tidy)
    (tidy / "gone").symlink_to(tmp_path / "nothing")

    assert read_folder(tidy) == Archive(TEXT, {}, "desk", ("file", "folder", "gone", "loop"))


def test_a_pipe_is_not_waited_for(tidy: Path):
    os.mkfifo(tidy / "pipe")

    assert read_folder(tidy).left_out == ("pipe",)


def test_a_link_or_pipe_that_came_meanwhile_is_not_read(tidy: Path, tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(put(tmp_path, "secret"))

    with pytest.raises(InvalidInput):
        read_regular(tmp_path / "pipe", "pipe")
    with pytest.raises(OSError, match="symbolic links"):
        read_regular(tmp_path / "link", "link")


def test_a_skill_is_found_through_a_link_to_its_folder(tidy: Path, tmp_path: Path):
    (tmp_path / "other").symlink_to(tidy)

    assert read_folder(tmp_path / "other").folder == "other"


def test_a_skill_md_that_is_a_link_is_none(tmp_path: Path):
    (tmp_path / "SKILL.md").symlink_to(put(tmp_path, "a"))

    with pytest.raises(InvalidInput, match=r"no SKILL\.md"):
        read_folder(tmp_path)


def test_a_small_skill_md_is_read_where_there_is_no_other(tmp_path: Path):
    put(tmp_path, "skill.md", TEXT.encode())

    assert read_folder(tmp_path).skill_md == TEXT


@pytest.mark.parametrize("name", ["nul", "a\\b", "x:y", "a\u202eb", "end. "])
def test_a_file_that_other_systems_read_otherwise_is_refused(tidy: Path, name: str):
    put(tidy, name)

    with pytest.raises(InvalidInput):
        read_folder(tidy)


def test_a_name_that_is_no_text_is_refused(tidy: Path):
    with open(os.path.join(os.fsencode(tidy), b"\xff"), "wb"):
        pass

    with pytest.raises(InvalidInput):
        read_folder(tidy)


def test_the_limits_hold_while_files_are_read(tidy: Path):
    large = put(tidy, "large")
    os.truncate(large, MAX_FILE_BYTES + 1)

    with pytest.raises(InvalidInput, match="large has 8388609 bytes"):
        read_folder(tidy)

    os.truncate(large, MAX_FILE_BYTES)
    assert len(read_folder(tidy).files["large"]) == MAX_FILE_BYTES
    for number in range(2):
        os.truncate(put(tidy, f"large{number}"), MAX_FILE_BYTES)
    with pytest.raises(InvalidInput, match="in all"):
        read_folder(tidy)


def test_too_many_files_and_entries_are_refused(tidy: Path):
    for number in range(512):
        put(tidy, f"f{number}")

    with pytest.raises(InvalidInput, match="over 512 files"):
        read_folder(tidy)


def test_a_large_tree_is_not_walked_to_its_end(tidy: Path):
    for number in range(5):
        put(tidy, f".git/{number}")
        (tidy / f"d{number}").mkdir()

    with pytest.raises(InvalidInput, match="over 5 entries"):
        read_folder(tidy, max_visited=5)
