"""The data folder of a laptop: the store, its large values, the search index and the first key."""

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from almanac.kernel.clock import Clock
from almanac.kernel.errors import AlmanacError, InvalidInput

# Code that only reads the stored key must not import the store.
if TYPE_CHECKING:
    from collections.abc import Callable

    from almanac.composition.laptop_search import LaptopSearch
    from almanac.platform.blobs.large_values import LargeValues
    from almanac.platform.bus.delivery import Report
    from almanac.platform.store.port import Store
    from almanac.platform.store.sqlite.store import SqliteStore

FIRST_TENANT = "default"
VARIABLE = "ALMANAC_API_KEY"
_STORE = "almanac.db"
_KEY = "api-key"
_BLOBS = "blobs"
_SEARCH = "search"
_SEALING_KEY = "credentials-key"
_VECTORS = Path("embedder", "static.table")
_IN_USE = "in-use"
_SAID = b"Almanac keeps its data in this folder. This file tells a store that was lost from a folder that is new.\n"


def default_cache_folder(environment: Mapping[str, str], platform: str, home: Path) -> Path:
    """Return the folder for files that can be made again, which all data folders of a user share.

    That is ALMANAC_CACHE if it is set, else the platform's cache folder. `platform` is `sys.platform`."""
    if chosen := environment.get("ALMANAC_CACHE", ""):
        return Path(chosen).expanduser().absolute()
    if platform == "darwin":
        return home / "Library" / "Caches" / "almanac"
    if platform == "win32":
        return Path(environment.get("LOCALAPPDATA") or home / "AppData" / "Local") / "almanac" / "Cache"
    return _in_shared(environment.get("XDG_CACHE_HOME", ""), home / ".cache")


def default_data_folder(environment: Mapping[str, str], platform: str, home: Path) -> Path:
    """Return the platform's folder for a user's data. `platform` is `sys.platform`."""
    if platform == "darwin":
        return home / "Library" / "Application Support" / "almanac"
    if platform == "win32":
        return Path(environment.get("LOCALAPPDATA") or home / "AppData" / "Local") / "almanac"
    return _in_shared(environment.get("XDG_DATA_HOME", ""), home / ".local" / "share")


def _in_shared(chosen: str, default: Path) -> Path:
    # The XDG specification says to ignore a relative path.
    return (Path(chosen) if os.path.isabs(chosen) else default) / "almanac"


class DataFolder:
    """A data folder that only its owner can read. Several processes may use it at once.

    `cache` is the folder that it shares with other data folders on this machine, None if it shares nothing.
    """

    def __init__(self, path: Path, cache: Path | None = None) -> None:
        self.path = path.expanduser().absolute()
        self.cache = cache

    @property
    def key_file(self) -> Path:
        return self.path / _KEY

    @property
    def store_file(self) -> Path:
        return self.path / _STORE

    @property
    def blobs_folder(self) -> Path:
        return self.path / _BLOBS

    @property
    def sealing_key_file(self) -> Path:
        return self.path / _SEALING_KEY

    @property
    def vectors_files(self) -> list[Path]:
        """Return the possible files of the word-vector table: in the cache, then in the folder itself, where earlier
        versions kept it. A deleted table is made again."""
        from almanac.platform.embedder.packaged_model import SHARED_TABLE  # noqa: PLC0415 - see the imports

        shared = [self.cache / SHARED_TABLE] if self.cache is not None else []
        return [*shared, self.path / _VECTORS]

    def open_search(self, note: "Callable[[str], None]", report: "Report") -> "LaptopSearch":
        """Return the folder's search, which opens its parts when they are first needed."""
        from almanac.composition.laptop_search import LaptopSearch  # noqa: PLC0415 - see the imports

        folder = self.path / _SEARCH
        # Files made in it later get the system's default permissions.
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return LaptopSearch(folder, self.vectors_files, note, report, self.cache)

    def open_store(self, clock: Clock) -> "SqliteStore":
        """Open the folder's store, and create folder and file if they are missing. Raises InvalidInput if it cannot."""
        import sqlite3  # noqa: PLC0415 - see the imports

        from almanac.composition.laptop import open_sqlite  # noqa: PLC0415
        from almanac.identity.records import tenant_key  # noqa: PLC0415

        file = self.path / _STORE
        self._refuse_lost(file)
        self._prepare()
        store = open_sqlite(file, clock)
        try:
            store.get(tenant_key(FIRST_TENANT))
        except (sqlite3.Error, ValueError, AlmanacError) as broken:
            raise InvalidInput(
                f"{file} cannot be used as a store: {broken}",
                "Move the file away, or choose another folder with --data.",
            ) from broken
        if not (self.path / _IN_USE).exists():
            self._keep(self.path / _IN_USE, _SAID)
        return store

    def open_whole_store(self, clock: Clock) -> "LargeValues":
        """Open the folder's store together with its large values, which are files beside it."""
        return self.with_large_values(self.open_store(clock))

    def with_large_values(self, store: "Store") -> "LargeValues":
        from almanac.composition.laptop import with_large_values  # noqa: PLC0415 - see the imports

        return with_large_values(store, self.blobs_folder)

    def stored_key(self) -> str | None:
        """Return the key that the first `almanac serve` made, or None if it made none."""
        try:
            return self.key_file.read_text("ascii").strip() or None
        except (OSError, UnicodeDecodeError):
            return None

    def keep_key(self, text: str) -> str:
        """Store the key unless another process has stored one meanwhile. Return the stored key."""
        return self._keep(self.key_file, text.encode()).decode("ascii").strip()

    def _refuse_lost(self, file: Path) -> None:
        """Raise InvalidInput if the store's file was lost, rather than silently begin an empty store."""
        try:
            if file.stat().st_size > 0:
                return
            problem = "is empty"
        except FileNotFoundError:
            problem = "is missing"
        except OSError:
            return  # opening the store reports it
        signs = [name for name in (_IN_USE, _KEY, _SEALING_KEY, _BLOBS) if (self.path / name).exists()]
        if signs:
            raise InvalidInput(
                f"{file} {problem}, but the folder was in use: its data is lost or was moved.",
                "Put the file back from a copy, or choose another folder with --data. "
                f"To begin anew in this one, remove {', '.join(signs)} from it first.",
            )

    def _prepare(self) -> None:
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            # SQLite gives its other files the permissions of this one.
            os.close(os.open(self.path / _STORE, os.O_CREAT | os.O_RDWR, 0o600))
        except OSError as problem:
            raise InvalidInput(
                f"The data folder {self.path} cannot be written: {problem.strerror}.",
                "Choose another one with --data.",
            ) from problem

    def _keep(self, file: Path, content: bytes) -> bytes:
        """Create `file` with `content` atomically, or leave an existing one. Return the content of the file."""
        handle, written = tempfile.mkstemp(dir=self.path)  # mkstemp makes files that only their owner reads
        try:
            with os.fdopen(handle, "wb") as open_file:
                open_file.write(content)
            # A link, unlike a rename, never replaces a file that another process made first.
            os.link(written, file)
        except FileExistsError:
            return file.read_bytes()
        finally:
            os.unlink(written)
        return content
