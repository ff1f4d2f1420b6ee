"""Progress of imported files, kept in the data folder so that another import continues where the last one ended.

Correctness does not depend on it: ids identify turns that were already recorded. A file whose earlier part was altered
is read from its beginning.
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
    """`folder` is where they are kept; `into` says into which memory the files are imported."""

    def __init__(self, folder: Path, into: str) -> None:
        self._folder = folder
        self._into = into

    def reached(self, file: Path) -> int:
        """Return the offset in the file before which everything is recorded."""
        try:
            kept = msgspec.json.decode(self._place(file).read_bytes(), type=_Kept)
            return kept.position if kept.mark == _mark(file, kept.position) else 0
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
    """Keep other imports of this machine out of `into` meanwhile. Calls `waits` where another one runs.

    Cards, notes and calendars are found again by their names: two imports at once would both make what neither found.
    """
    return alone(folder / f"{_name(into)}.lock", waits)


def _name(text: str) -> str:
    return sha256(text.encode(errors="surrogateescape")).hexdigest()[:40]


def _mark(file: Path, position: int) -> str:
    """Tells a file that was added to from another one: of its beginning, and of what is before `position`."""
    with file.open("rb") as source:
        begin = source.read(min(_COMPARED, position))
        source.seek(max(0, position - _COMPARED))
        end = source.read(min(_COMPARED, position))
    return sha256(begin + end).hexdigest() if len(end) == min(_COMPARED, position) else ""
