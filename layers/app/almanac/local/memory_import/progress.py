"""Positions reached in imported files, stored in the data folder so that the next import continues there.

A lost position costs time only, because ids identify turns that were already recorded. If an earlier part of a file has
changed, the import reads the file from its beginning.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec import Struct

from almanac.local.file_lock import alone

_COMPARED = 64 * 1024


class _Kept(Struct):
    position: int
    mark: str


class Positions:
    """Positions of files, stored in `folder`. `into` identifies the memory that the files are imported into."""

    def __init__(self, folder: Path, into: str) -> None:
        self._folder = folder
        self._into = into

    def position_of(self, file: Path) -> int:
        """Return the offset up to which the file was imported, or 0 if an earlier part has changed since."""
        try:
            stored = msgspec.json.decode(self._place(file).read_bytes(), type=_Kept)
            return stored.position if stored.mark == _mark(file, stored.position) else 0
        except (OSError, ValueError):
            return 0

    def keep(self, file: Path, position: int) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        place = self._place(file)
        written = place.with_suffix(".part")
        written.write_bytes(msgspec.json.encode(_Kept(position, _mark(file, position))))
        written.replace(place)

    def _place(self, file: Path) -> Path:
        name = _name(f"{self._into}\n{file.resolve()}")
        return self._folder / f"{name}.json"


def one_at_a_time(folder: Path, into: str, waits: Callable[[], None]) -> AbstractContextManager[None]:
    """Return a lock that keeps other imports on this machine out of `into`. Calls `waits` if another import runs.

    Imports find cards, notes and calendars by their names. Two imports at once would both create the missing ones.
    """
    return alone(folder / f"{_name(into)}.lock", waits)


def _name(text: str) -> str:
    return sha256(text.encode(errors="surrogateescape")).hexdigest()[:40]


def _mark(file: Path, position: int) -> str:
    """Return a digest that stays the same when text is appended to the file. It covers up to 64 KiB at the beginning
    and up to 64 KiB before `position`. Return "" if the file is shorter."""
    with file.open("rb") as source:
        begin = source.read(min(_COMPARED, position))
        source.seek(max(0, position - _COMPARED))
        end = source.read(min(_COMPARED, position))
    return sha256(begin + end).hexdigest() if len(end) == min(_COMPARED, position) else ""
