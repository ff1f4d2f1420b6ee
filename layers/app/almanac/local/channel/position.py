"""Position in the feed that a client has reached, stored on its machine."""

import hashlib
from pathlib import Path
from typing import BinaryIO

import msgspec

from almanac.local.file_lock import try_lock

_MOST_AT_ONCE = 64


class StoredPosition(msgspec.Struct, frozen=True):
    cursor: str | None = None


class Position:
    """Position of one client. `cursor` is the cursor of the last event that the client has read, or None before the
    first. Without a file the position is not stored."""

    def __init__(self, file: Path | None, held: BinaryIO | None = None) -> None:
        self._file = file
        self._held = held
        self.cursor = None if file is None else _read(file)

    def keep(self, cursor: str | None) -> None:
        self.cursor = cursor
        if self._file is not None:
            part = self._file.with_suffix(".part")
            part.write_bytes(msgspec.json.encode(StoredPosition(cursor)))
            part.replace(self._file)

    def close(self) -> None:
        """Release the position for the next bridge."""
        if self._held is not None:
            self._held.close()


def position_of(folder: Path, *names: str) -> Position:
    """Return the first position with these names that no other process holds, and hold it until this process ends.

    Each of several sessions in one folder has its own position. A session that is started again continues from it.
    Raises OSError if the folder is not writable.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    name = hashlib.sha256("\0".join(names).encode()).hexdigest()[:32]
    for number in range(_MOST_AT_ONCE):
        held = (folder / f"{name}-{number}.lock").open("ab")
        if try_lock(held):
            return Position(folder / f"{name}-{number}.json", held)
        held.close()
    return Position(None)


def _read(file: Path) -> str | None:
    try:
        return msgspec.json.decode(file.read_bytes(), type=StoredPosition).cursor
    except (FileNotFoundError, msgspec.MsgspecError, UnicodeError):
        return None
