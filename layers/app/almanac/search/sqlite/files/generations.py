"""The files of an index: the current one, the one that a rebuild makes beside it, and the replacement of lost ones.

    FOLDER/<format>-<made by>/current      {"answering": 3, "begun": 4}: replaced atomically, never changed
                              3.db 4.db

Every call reads the pointer, so replacing it switches all processes together. A process makes a file before it points
to it. It therefore leaves a whole index, whenever it ends. Files without a pointer are deleted. Programs of another
format, or with another embedder, have a folder of their own. A process deletes such a folder when it finishes a
rebuild, if it found the folder at its start.
"""

import os
import re
import shutil
import sqlite3
import threading
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from pathlib import Path
from zlib import crc32

import msgspec
from msgspec import Struct

from almanac.kernel.errors import Unavailable
from almanac.platform.store.sqlite.connections import BUSY_SECONDS
from almanac.search.sqlite.files.generation import Generation
from almanac.search.sqlite.files.schema import FORMAT, make

_FOLDER = re.compile(r"\d+-[0-9a-f]{8}")
_CURRENT = "current"
_AGAIN = "Rebuild it again."
_CHECK = "Check its folder and the disk."
_ENDINGS = (".db", ".db-wal", ".db-shm")


class Pointer(Struct, frozen=True, omit_defaults=True):
    answering: int
    begun: int | None = None

    def numbers(self) -> list[int]:
        return [self.answering] if self.begun is None else [self.answering, self.begun]


class Generations:
    """Generations of the index files, for one process. `lost` is called with the reason whenever the index starts anew,
    except for the first time."""

    def __init__(self, folder: Path, made_by: str, *, lost: Callable[[str], None]) -> None:
        self._folder = folder / f"{FORMAT}-{crc32(made_by.encode()):08x}"
        self._others = [each for each in _folders(folder) if each != self._folder]
        self._lost = lost
        self._lock = threading.RLock()
        self._transition = threading.Lock()
        self._content = b""
        self._pointer: Pointer | None = None
        self._open: dict[int, Generation] = {}
        self._mine: int | None = None

    def now(self) -> list[Generation]:
        """Return the current generation and, during a rebuild, the one that it makes."""
        pointer = self._read() or self._begun()
        with self._lock:
            return [self._open_generation(number) for number in pointer.numbers()]

    def renew(self, damaged: Generation, reason: str) -> None:
        """Replace a damaged generation, unless another process already did. A rebuild is abandoned if its generation is
        damaged."""
        with self._turn():
            pointer = self._read()
            if pointer is None or damaged.number not in pointer.numbers():
                return
            answering = self._make_empty_file() if damaged.number == pointer.answering else pointer.answering
            begun = None if damaged.number == pointer.begun else pointer.begun
            self._point(Pointer(answering, begun))
        self._lost(reason)

    def start(self) -> None:
        self.now()  # makes the first generation if there is none
        with self._turn():
            pointer = self._read()
            self._mine = self._make_empty_file()
            self._point(Pointer(pointer.answering if pointer else self._make_empty_file(), self._mine))

    def finish(self, prepare: Callable[[Generation, Generation], None]) -> None:
        """Switch to the generation that a rebuild made, after calling `prepare` with the old and the new one. Raises
        Unavailable if the new one is gone."""
        with self._turn():
            pointer = self._read()
            begun = pointer and pointer.begun
            if pointer is None or begun is None or self._mine not in {None, begun}:
                raise Unavailable("The index to be rebuilt is gone: none was begun, or another replaced it.", _AGAIN)
            former, answering = self.now()
            prepare(former, answering)
            self._point(Pointer(begun))
            self._mine = None
            for other in self._others:
                shutil.rmtree(other, ignore_errors=True)

    def bytes(self) -> int:
        return sum(path.stat().st_size for path in self._folder.glob("*.db*") if path.exists())

    def close(self) -> None:
        with self._lock:
            for generation in self._open.values():
                generation.close()

    def _begun(self) -> Pointer:
        with self._turn():
            pointer = self._read()  # another process may have been quicker
            if pointer is None and (self._folder / _CURRENT).exists():
                self._lost("The pointer to the index makes no sense.")
            return pointer or self._point(Pointer(self._make_empty_file()))

    @contextmanager
    def _turn(self) -> Generator[None]:
        """Hold the lock, shared by all processes, under which files are made, pointed to and deleted."""
        with self._transition:
            try:
                turn = _lock_file(self._folder / "turn")
            except (OSError, sqlite3.DatabaseError) as error:
                raise Unavailable("The search index cannot be written.", _CHECK) from error
            with closing(turn):
                yield

    def _open_generation(self, number: int) -> Generation:
        generation = self._open.get(number)
        if generation is None:
            generation = self._open[number] = Generation(number, self._path(number))
        return generation

    def _read(self) -> Pointer | None:
        """Return the current pointer, None if there is none or it makes no sense."""
        with self._lock:
            try:
                content = (self._folder / _CURRENT).read_bytes()
                if content != self._content:
                    self._pointer = msgspec.json.decode(content, type=Pointer)
                    self._content = content
                    self._forget(self._pointer)
            except (OSError, msgspec.MsgspecError):
                self._pointer, self._content = None, b""
            return self._pointer

    def _point(self, pointer: Pointer) -> Pointer:
        draft = self._folder / "draft"
        with draft.open("wb") as file:
            file.write(msgspec.json.encode(pointer))
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self._folder / _CURRENT)
        for number in set(self._numbers()) - set(pointer.numbers()):
            for ending in _ENDINGS:
                (self._folder / f"{number}{ending}").unlink(missing_ok=True)
        return pointer

    def _make_empty_file(self) -> int:
        """Make a new empty file, numbered higher than all others. Return its number."""
        number = max([0, *self._numbers()]) + 1
        try:
            make(self._path(number))
        except (OSError, sqlite3.DatabaseError) as error:
            raise Unavailable("The search index cannot be written.", _CHECK) from error
        return number

    def _forget(self, pointer: Pointer) -> None:
        """Close generations without a pointer. Connections still in use are given back and closed later."""
        for number in [each for each in self._open if each not in pointer.numbers()]:
            self._open.pop(number).close()

    def _numbers(self) -> list[int]:
        return [int(path.stem) for path in self._folder.glob("*.db") if path.stem.isdigit()]

    def _path(self, number: int) -> Path:
        return self._folder / f"{number}.db"


def _lock_file(path: Path) -> sqlite3.Connection:
    """Return a connection that locks an empty SQLite file. The lock ends with the process that holds it, however it
    ends."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    try:
        connection.execute("BEGIN IMMEDIATE")
    except BaseException:
        connection.close()
        raise
    return connection


def _folders(folder: Path) -> list[Path]:
    return [each for each in folder.glob("*") if _FOLDER.fullmatch(each.name)] if folder.is_dir() else []
