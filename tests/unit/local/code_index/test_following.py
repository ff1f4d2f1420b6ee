"""Changes of a tree, as a poll after the other sees them."""

import os
import time
from pathlib import Path
from typing import Any

import pytest

from almanac.local.code_index.server import IndexServer
from almanac.local.code_index.tree_walk import Tree
from almanac.local.code_index.tree_watch import Change, TreeFollower, follow
from almanac.local.code_index.upload import Report, TreeUpload
from tests.unit.local.code_index.trees import COMMIT, MemoryIndex, checkout, digest_of, files


class TrackedTree:
    """A tree in the index, and its watcher. With `late` its files look as if they were written long ago."""

    def __init__(self, root: Path, late: bool = True) -> None:
        self.root = checkout(root)
        self.index = MemoryIndex()
        tree = Tree(self.root)
        stamps = tree.walk().files
        self.index.texts = {path: (root / path).read_text() for path in stamps}
        hashes = {path: digest_of(text) for path, text in self.index.texts.items()}
        server = IndexServer(self.index, "acme/web", pause=lambda _: None)
        sending = TreeUpload(self.root, server, Report("acme/web", COMMIT))
        now = time.time_ns() + (3_600_000_000_000 if late else 0)
        self.following = TreeFollower(tree, sending, hashes, stamps, lambda: now)

    def look(self) -> tuple[int, int] | None:
        change = self.following.look()
        return change[:2] if change else None


@pytest.fixture
def tracked_tree(tmp_path: Path) -> TrackedTree:
    return TrackedTree(files(tmp_path, {"a.py": "a", "src/b.py": "b"}))


def test_nothing_is_sent_where_nothing_changed(tracked_tree: TrackedTree) -> None:
    assert tracked_tree.look() is None
    assert tracked_tree.index.calls == []


def test_an_edit_a_new_file_and_a_new_folder_are_sent_at_once(tracked_tree: TrackedTree) -> None:
    files(tracked_tree.root, {"a.py": "a2", "c.py": "c", "new/d.py": "d"})
    assert tracked_tree.look() == (3, 0)
    assert tracked_tree.index.texts == {"a.py": "a2", "src/b.py": "b", "c.py": "c", "new/d.py": "d"}
    assert (tracked_tree.index.complete, tracked_tree.look()) == (1, None)


def test_a_file_that_was_only_touched_is_not_sent(tracked_tree: TrackedTree) -> None:
    os.utime(tracked_tree.root / "a.py", (1, 1))
    assert tracked_tree.look() is None


def test_a_deleted_file_is_removed_once_it_stays_away(tracked_tree: TrackedTree) -> None:
    (tracked_tree.root / "a.py").unlink()
    assert tracked_tree.look() is None
    assert tracked_tree.look() == (0, 1)
    assert sorted(tracked_tree.index.texts) == ["src/b.py"]
    assert tracked_tree.look() is None


def test_an_editor_that_writes_a_new_file_in_its_place_removes_nothing(tracked_tree: TrackedTree) -> None:
    (tracked_tree.root / "a.py").rename(tracked_tree.root / "a.py~")
    assert tracked_tree.look() == (1, 0)
    (tracked_tree.root / "a.py~").unlink()
    files(tracked_tree.root, {".a.py.tmp": "a2"})
    (tracked_tree.root / ".a.py.tmp").rename(tracked_tree.root / "a.py")
    assert tracked_tree.look() == (1, 0)
    assert tracked_tree.index.texts["a.py"] == "a2"
    assert tracked_tree.look() == (0, 1)
    assert sorted(tracked_tree.index.texts) == ["a.py", "src/b.py"]


def test_a_file_that_is_ignored_from_now_on_is_removed(tracked_tree: TrackedTree) -> None:
    files(tracked_tree.root, {".gitignore": "b.py\n"})
    assert tracked_tree.look() == (1, 0)
    assert tracked_tree.look() == (0, 1)
    assert sorted(tracked_tree.index.texts) == [".gitignore", "a.py"]


def test_a_file_that_becomes_binary_is_removed(tracked_tree: TrackedTree) -> None:
    files(tracked_tree.root, {"a.py": b"\0\0\0"})
    assert tracked_tree.look() == (0, 1)
    assert sorted(tracked_tree.index.texts) == ["src/b.py"]


def test_an_edit_within_the_same_tick_of_the_file_system_is_seen(tmp_path: Path) -> None:
    tracked = TrackedTree(files(tmp_path, {"a.py": "one"}), late=False)
    about = (tmp_path / "a.py").stat()
    files(tmp_path, {"a.py": "two"})
    os.utime(tmp_path / "a.py", ns=(about.st_atime_ns, about.st_mtime_ns))
    assert tracked.look() == (1, 0)
    assert tracked.index.texts["a.py"] == "two"


def test_a_commit_alone_moves_the_commit_of_the_index(tracked_tree: TrackedTree) -> None:
    files(tracked_tree.root, {".git/refs/heads/main": "ab" * 20})
    assert tracked_tree.look() == (0, 0)
    assert (tracked_tree.index.commit, tracked_tree.look()) == ("ab" * 20, None)


def test_what_a_server_did_not_get_is_sent_when_it_is_back(tracked_tree: TrackedTree) -> None:
    def fail_to_connect(_tool: str, _said: Any) -> None:
        raise ConnectionError

    tracked_tree.index.before = fail_to_connect
    files(tracked_tree.root, {"a.py": "a2"})
    with pytest.raises(ConnectionError):
        tracked_tree.look()
    tracked_tree.index.before = lambda _tool, _said: None
    assert tracked_tree.look() == (1, 0)


def test_it_pauses_between_looks_and_tells_of_changes(tracked_tree: TrackedTree) -> None:
    told, paused = list[Change](), list[float]()

    def pause(seconds: float) -> None:
        paused.append(seconds)
        if len(paused) == 2:
            raise KeyboardInterrupt
        files(tracked_tree.root, {"a.py": "a2"})

    ticks = iter(range(100))
    with pytest.raises(KeyboardInterrupt):
        follow(tracked_tree.following, told.append, pause, lambda: next(ticks))
    assert told == [Change(1, 0, COMMIT)]
    assert paused == [5, 5]
