"""Where data is kept, and what is kept there."""

from pathlib import Path

import pytest

from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import InvalidInput
from almanac.local.data_folder import DataFolder, default_data_folder

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


def test_a_folder_is_made_with_all_its_parents_for_its_owner_only(tmp_path: Path, clock: FixedClock) -> None:
    folder = DataFolder(tmp_path / "a" / "b")
    folder.open_store(clock)
    assert folder.path.stat().st_mode & 0o777 == 0o700


def test_the_first_key_that_is_kept_stays(tmp_path: Path, clock: FixedClock) -> None:
    folder = DataFolder(tmp_path)
    assert folder.kept_key() is None
    assert folder.keep_key("one") == "one"
    assert folder.keep_key("two") == "one"
    assert folder.kept_key() == "one"
    assert folder.key_file.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["api-key"]


def test_a_file_in_the_way_is_refused_with_what_to_do(tmp_path: Path, clock: FixedClock) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInput, match="cannot be written") as refused:
        DataFolder(tmp_path / "file").open_store(clock)
    assert "--data" in refused.value.hint
