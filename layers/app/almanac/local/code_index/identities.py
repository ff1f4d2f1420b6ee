"""Choice of the indexed repository that a folder without a remote belongs to. Folders of one name stay separate.

A file of the user records each choice by server and key. A folder is recognised by its path and by its device and
inode, so it may be moved. Without a record, as after an earlier version or on another machine, the index decides. A
repository then belongs to the folder if many of its files are in the folder unchanged.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec import Struct

from almanac.kernel.errors import InvalidInput
from almanac.local.whole_files import write_file

MOST_KEPT = 2_000
MOST_COMPARED = 5
LEAST_SHARED = 0.3
"""Least share of the indexed files that the folder must have with the same content to own the repository."""
_MARK_BYTES = 3
_NAME = 100


class Folder(Struct, frozen=True):
    """A folder. `device` and `inode` stay the same when it is moved within its file system."""

    path: str
    device: int
    inode: int

    @staticmethod
    def of(root: Path) -> "Folder":
        status = root.stat()
        return Folder(str(root), status.st_dev, status.st_ino)

    def is_there(self) -> bool:
        """Return whether the folder is still at its path."""
        try:
            return Folder.of(Path(self.path)) == self
        except OSError:
            return False

    def is_same(self, other: "Folder") -> bool:
        return (self.device, self.inode) == (other.device, other.inode)


class IndexedFolder(Struct, frozen=True):
    """A recorded choice. `place` is a digest of server and key that reveals neither."""

    place: str
    repo_id: str
    folder: Folder


class Index(Struct, frozen=True):
    """Queries to a server: its repositories, each with its address or None, and the file hashes of one repository."""

    repositories: Callable[[], Mapping[str, str | None]]
    hashes: Callable[[str], Mapping[str, str]]


class Identities:
    """Recorded choices in `file`, which is created with the first one. `random_bytes` distinguish equal names."""

    def __init__(self, file: Path, url: str, key: str, random_bytes: Callable[[int], bytes]) -> None:
        self._file = file
        self._place = sha256(f"{url}\n{key}".encode()).hexdigest()[:24]
        self._random_bytes = random_bytes

    def repo_id(self, folder: Folder, name: str, hashes: Mapping[str, str], index: Index) -> str:
        """Return the id of a folder's repository. `hashes` are those of the folder's files.

        It is a recorded repository, an indexed one whose files the folder has, or a new one with this `name`."""
        known = self._here()
        for each in known:
            if each.folder == folder:
                return each.repo_id
        repositories = index.repositories()
        without_address = [each for each, address in repositories.items() if address is None]
        for candidate in self._candidates(known, folder, name, without_address):
            if _shares(index.hashes(candidate), hashes):
                return candidate
        used_ids = {*repositories, *(each.repo_id for each in known)}
        return name if name not in used_ids else f"{name[: _NAME - 2 * _MARK_BYTES - 1]}-{self._mark()}"

    def keep(self, folder: Folder, repo_id: str) -> None:
        """Record a choice. Raises InvalidInput if the file cannot be written."""
        kept = self._read()
        known = IndexedFolder(self._place, repo_id, folder)
        if known in kept:
            return
        others = [each for each in kept if each.place != self._place or not _is_of(each, folder, repo_id)]
        try:
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as problem:
            raise InvalidInput(
                f"{self._file.parent} cannot be created.", "Choose another folder with --data."
            ) from problem
        write_file(self._file, msgspec.json.format(msgspec.json.encode([*others, known][-MOST_KEPT:])), force=True)

    def _candidates(self, known: list[IndexedFolder], folder: Folder, name: str, names: list[str]) -> Iterator[str]:
        """Yield repositories that may be the folder's: first those recorded for the same folder elsewhere, then those
        recorded for its path, then those of its name. Repositories of other existing folders are skipped."""
        used_ids = {each.repo_id for each in known if each.folder.is_there()}
        moved = [each.repo_id for each in known if each.folder.is_same(folder)]
        replaced = [each.repo_id for each in known if each.folder.path == folder.path]
        called_so = [each for each in names if re.fullmatch(rf"{re.escape(name)}(?:-[0-9a-f]{{6}})?", each)]
        candidates = dict.fromkeys(
            each for each in (*moved, *replaced, *called_so) if each in names and each not in used_ids
        )
        yield from list(candidates)[:MOST_COMPARED]

    def _mark(self) -> str:
        return self._random_bytes(_MARK_BYTES).hex()

    def _here(self) -> list[IndexedFolder]:
        return [each for each in self._read() if each.place == self._place]

    def _read(self) -> list[IndexedFolder]:
        """Return the recorded folders, or none if the file is damaged, in which case the index decides."""
        try:
            return msgspec.json.decode(self._file.read_bytes(), type=list[IndexedFolder])
        except (OSError, ValueError):
            return []


def _is_of(known: IndexedFolder, folder: Folder, repo_id: str) -> bool:
    return known.repo_id == repo_id or known.folder.is_same(folder)


def _shares(indexed: Mapping[str, str], hashes: Mapping[str, str]) -> bool:
    """Return whether enough indexed files are in the folder. An empty index belongs to any folder."""
    same = sum(hashes.get(path) == digest for path, digest in indexed.items())
    return not indexed or same >= LEAST_SHARED * len(indexed)
