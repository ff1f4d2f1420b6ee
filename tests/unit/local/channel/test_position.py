"""The kept place in the feed: one for each bridge at once, and found again."""

from pathlib import Path

import pytest

from almanac.local.channel.position import Position, position_of


def test_a_bridge_goes_on_from_its_place_and_another_at_once_has_its_own(tmp_path: Path) -> None:
    first = position_of(tmp_path / "channel", "url", "key")
    assert first.cursor is None
    first.keep("a")
    other = position_of(tmp_path / "channel", "url", "key")
    assert other.cursor is None
    other.keep("b")
    third = position_of(tmp_path / "channel", "url", "another key")
    assert third.cursor is None
    first.close()
    again = position_of(tmp_path / "channel", "url", "key")
    assert again.cursor == "a"
    for each in (other, third, again):
        each.close()


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"cursor": 7}', b"\xff"])
def test_a_damaged_file_is_as_none(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "p.json"
    file.write_bytes(content)
    assert Position(file).cursor is None
