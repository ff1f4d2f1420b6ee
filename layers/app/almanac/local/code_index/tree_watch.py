"""Following of a working tree, which sends each edit to the index as soon as it is seen.

It polls the tree. Change notifications would be another dependency for each operating system, limit the number of
watched folders, and miss files on other machines. A poll takes milliseconds.
"""

import time
from collections.abc import Callable
from typing import NamedTuple

from almanac.local.code_index.file_reader import Text, read_file
from almanac.local.code_index.git import checkout_of
from almanac.local.code_index.tree_walk import Stamp, Tree
from almanac.local.code_index.upload import TreeUpload

SHORTEST_PAUSE = 0.3
_SHARE = 5
"""Pauses last at least this multiple of a poll, so polling takes at most one sixth of the time."""
_YOUNG_NANOSECONDS = 2_000_000_000
"""Age below which a file is read at every poll, as it may change again within one tick of the file system's clock."""


class Change(NamedTuple):
    sent: int
    removed: int
    commit: str | None


class TreeFollower:
    """Follows one tree. `hashes` are the indexed ones by path, and `stamps` those of the files at their last read."""

    def __init__(
        self,
        tree: Tree,
        sending: TreeUpload,
        hashes: dict[str, str],
        stamps: dict[str, Stamp],
        now: Callable[[], int] = time.time_ns,
    ) -> None:
        self._tree = tree
        self._sending = sending
        self._hashes = hashes
        self._now = now
        self._stamps = {path: stamp for path, stamp in stamps.items() if not self._is_young(stamp)}
        self._missing: set[str] = set()

    def look(self) -> Change | None:
        """Send the changes since the last call, or return None without any. Raises the server's refusals."""
        found = self._tree.walk()
        looked_at = {path: stamp for path, stamp in found.files.items() if self._stamps.get(path) != stamp}
        changed: list[str] = []
        removed: list[str] = []
        for path in looked_at:
            text = read_file(self._tree.root, path)
            if isinstance(text, Text) and self._hashes.get(path) != text.digest:
                changed.append(path)
            elif isinstance(text, str) and text != "unreadable" and path in self._hashes:
                removed.append(path)
        missing = {path for path in self._hashes if path not in found.files and not found.is_hidden(path)}
        # Editors replace a file by another, so a file that is missing only once is not deleted.
        removed += sorted(missing & self._missing)
        change = self._send(changed, removed)
        self._stamps = {path: stamp for path, stamp in found.files.items() if not self._is_young(stamp)}
        self._missing = missing - set(removed)
        return change

    def _send(self, changed: list[str], removed: list[str]) -> Change | None:
        report = self._sending.report
        checkout = checkout_of(self._tree.root)
        commit = checkout.commit if checkout else None
        if not changed and not removed and commit == report.commit:
            return None
        report.commit = commit
        self._hashes |= self._sending.send(changed, removed)
        for path in removed:
            del self._hashes[path]
        return Change(len(changed), len(removed), commit)

    def _is_young(self, stamp: Stamp) -> bool:
        return self._now() - stamp[0] < _YOUNG_NANOSECONDS


def follow(
    following: TreeFollower,
    tell: Callable[[Change], None],
    pause: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Follow the tree until interrupted, or until the server refuses permanently."""
    while True:
        started = clock()
        if change := following.look():
            tell(change)
            continue
        pause(max(SHORTEST_PAUSE, _SHARE * (clock() - started)))
