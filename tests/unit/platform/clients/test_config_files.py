"""A configuration file is replaced whole, with a backup beside it, or is not touched."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from almanac.kernel.errors import Conflict, InvalidInput
from almanac.platform.clients.config_files import read, replace

AT = datetime(2026, 2, 18, 14, 30, tzinfo=UTC)


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_what_was_there_is_kept_beside_it_with_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_bytes(b"old")
    path.chmod(0o640)
    backup = replace(read(path), "new", AT)
    assert backup is not None
    assert backup == tmp_path / "mcp.json.backup-20260218T143000"
    assert (path.read_text(), backup.read_text()) == ("new", "old")
    assert {path.stat().st_mode & 0o777, backup.stat().st_mode & 0o777} == {0o640}
    assert replace(read(path), "newer", AT) == tmp_path / "mcp.json.backup-20260218T143000-1"
    assert backup.read_text() == "old"


def test_a_new_file_is_made_with_its_folders_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "mcp.json"
    assert replace(read(path), "new", AT) is None
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("new", 0o600)
    assert _names(path.parent) == ["mcp.json"]


def test_a_link_stays_a_link_and_its_target_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "dotfiles").mkdir()
    target, link = tmp_path / "dotfiles" / "mcp.json", tmp_path / "mcp.json"
    target.write_text("old")
    link.symlink_to(target)
    replace(read(link), "new", AT)
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert _names(tmp_path / "dotfiles") == ["mcp.json", "mcp.json.backup-20260218T143000"]


def test_a_byte_order_mark_stays(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_bytes(b"\xef\xbb\xbf{}")
    file = read(path)
    assert file.text == "{}"
    replace(file, "{1}", AT)
    assert path.read_bytes() == b"\xef\xbb\xbf{1}"


def _folder(path: Path) -> None:
    path.mkdir()


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _make_dangling_link(path: Path) -> None:
    path.symlink_to(path.parent / "nothing")


def _loop(path: Path) -> None:
    path.symlink_to(path)


def _large(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(50_000_000)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (_folder, "is not a file"),
        (_pipe, "is not a file"),
        (_make_dangling_link, "cannot be used"),
        (_loop, "cannot be used"),
        (_large, "over 5000000"),
    ],
)
def test_what_is_no_ordinary_file_is_refused(tmp_path: Path, make: object, words: str) -> None:
    path = tmp_path / "mcp.json"
    assert callable(make)
    make(path)
    with pytest.raises(InvalidInput, match=words):
        read(path)


def test_what_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_bytes(b"\xff\xfe{")
    with pytest.raises(InvalidInput, match="not UTF-8"):
        assert read(path).text


def test_a_file_where_a_folder_should_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".cursor").write_text("x")
    file = read(tmp_path / ".cursor" / "mcp.json")
    with pytest.raises(InvalidInput, match="cannot be used"):
        replace(file, "new", AT)
    assert (tmp_path / ".cursor").read_text() == "x"


def test_what_somebody_else_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_text("old")
    file = read(path)
    path.write_text("theirs")
    with pytest.raises(Conflict, match="changed at the same time"):
        replace(file, "new", AT)
    assert path.read_text() == "theirs"
    assert _names(tmp_path) == ["mcp.json"]


def test_a_write_that_fails_leaves_everything_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "mcp.json"
    path.write_text("old")
    file = read(path)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InvalidInput, match="No space left"):
        replace(file, "new", AT)
    assert path.read_text() == "old"
    assert _names(tmp_path) == ["mcp.json"]
