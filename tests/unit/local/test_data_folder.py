"""Test the place and the contents of the data folder."""

import os
from pathlib import Path

import pytest

from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import InvalidInput
from almanac.local.data_folder import DataFolder, default_cache_folder, default_data_folder
from almanac.local.start.first_key import FirstKeys

HOME = Path("/home/ann")


@pytest.mark.parametrize(
    ("environment", "platform", "expected"),
    [
        ({}, "linux", "/home/ann/.local/share/almanac"),
        ({"XDG_DATA_HOME": "/data"}, "linux", "/data/almanac"),
        ({"XDG_DATA_HOME": "relative"}, "linux", "/home/ann/.local/share/almanac"),
        ({"XDG_DATA_HOME": ""}, "freebsd14", "/home/ann/.local/share/almanac"),
        ({"XDG_DATA_HOME": "/data"}, "darwin", "/home/ann/Library/Application Support/almanac"),
        ({"LOCALAPPDATA": "/local"}, "win32", "/local/almanac"),
        ({}, "win32", "/home/ann/AppData/Local/almanac"),
    ],
)
def test_the_default_folder_is_the_platforms(environment: dict[str, str], platform: str, expected: str) -> None:
    assert default_data_folder(environment, platform, HOME) == Path(expected)


@pytest.mark.parametrize(
    ("environment", "platform", "expected"),
    [
        ({}, "linux", "/home/ann/.cache/almanac"),
        ({"XDG_CACHE_HOME": "/caches", "XDG_DATA_HOME": "/data"}, "linux", "/caches/almanac"),
        ({"XDG_CACHE_HOME": "relative"}, "linux", "/home/ann/.cache/almanac"),
        ({"XDG_CACHE_HOME": "/caches"}, "darwin", "/home/ann/Library/Caches/almanac"),
        ({"LOCALAPPDATA": "/local"}, "win32", "/local/almanac/Cache"),
        ({}, "win32", "/home/ann/AppData/Local/almanac/Cache"),
        ({"ALMANAC_CACHE": "/chosen", "XDG_CACHE_HOME": "/caches"}, "linux", "/chosen"),
        ({"ALMANAC_CACHE": "/chosen"}, "darwin", "/chosen"),
    ],
)
def test_the_cache_is_the_platforms_unless_one_is_chosen(
    environment: dict[str, str], platform: str, expected: str
) -> None:
    assert default_cache_folder(environment, platform, HOME) == Path(expected)


def test_a_folder_is_made_with_all_its_parents_for_its_owner_only(tmp_path: Path, clock: FixedClock) -> None:
    folder = DataFolder(tmp_path / "a" / "b")
    folder.open_store(clock)
    assert folder.path.stat().st_mode & 0o777 == 0o700


def test_the_first_key_that_is_kept_stays(tmp_path: Path, clock: FixedClock) -> None:
    folder = DataFolder(tmp_path)
    assert folder.stored_key() is None
    assert folder.keep_key("one") == "one"
    assert folder.keep_key("two") == "one"
    assert folder.stored_key() == "one"
    assert folder.key_file.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["api-key"]


def test_a_server_that_starts_between_a_look_for_the_key_and_one_for_tenants_shares_its_key(
    tmp_path: Path, clock: FixedClock
) -> None:
    folder = DataFolder(tmp_path)
    store = folder.open_store(clock)
    other = FirstKeys(folder, store, clock, os.urandom)

    class _ReadTooEarly(DataFolder):
        """A folder that another server uses for the first time just after the key was looked for."""

        others_key: str | None = None

        def stored_key(self) -> str | None:
            key = super().stored_key()
            self.others_key = self.others_key or other.ensure(None).text
            return key

    early = _ReadTooEarly(tmp_path)
    assert FirstKeys(early, store, clock, os.urandom).ensure(None).text == early.others_key is not None


def test_a_file_in_the_way_is_refused_with_what_to_do(tmp_path: Path, clock: FixedClock) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInput, match="cannot be written") as refused:
        DataFolder(tmp_path / "file").open_store(clock)
    assert "--data" in refused.value.hint


@pytest.mark.parametrize("damage", ["cut", "deleted"])
@pytest.mark.parametrize("sign", ["", "api-key", "credentials-key", "blobs"])
def test_a_store_that_was_lost_is_not_begun_anew_in_silence(
    tmp_path: Path, clock: FixedClock, damage: str, sign: str
) -> None:
    folder = DataFolder(tmp_path)
    folder.open_store(clock).close()
    if sign:  # a folder of before the mark was kept
        (tmp_path / "in-use").unlink()
        (tmp_path / sign).write_text("x")
    for file in tmp_path.glob("almanac.db*"):
        file.unlink()
    if damage == "cut":
        folder.store_file.touch()

    with pytest.raises(InvalidInput, match="the folder was in use") as refused:
        folder.open_store(clock)

    assert "Put the file back from a copy" in refused.value.hint
    assert (sign or "in-use") in refused.value.hint
    assert not folder.store_file.exists() or folder.store_file.stat().st_size == 0


def test_what_is_said_to_begin_anew_works(tmp_path: Path, clock: FixedClock) -> None:
    folder = DataFolder(tmp_path)
    folder.open_store(clock).close()
    folder.store_file.write_bytes(b"")
    (tmp_path / "in-use").unlink()
    folder.open_store(clock)
    assert folder.store_file.stat().st_size > 0


def test_a_folder_with_files_of_others_is_taken(tmp_path: Path, clock: FixedClock) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    DataFolder(tmp_path).open_store(clock)
