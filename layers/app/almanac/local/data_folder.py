"""The folder that holds everything a laptop keeps: the store and the first key."""

import os
import sqlite3
import tempfile
from collections.abc import Mapping
from pathlib import Path

from almanac.identity.records import tenant_key
from almanac.kernel.clock import Clock
from almanac.kernel.errors import AlmanacError, InvalidInput
from almanac.platform.store.shared_secret import shared_secret
from almanac.platform.store.sqlite import SqliteStore

_STORE = "almanac.db"
_KEY = "api-key"
_BLOBS = "blobs"


def default_data_folder(environment: Mapping[str, str], platform: str, home: Path) -> Path:
    """The platform's folder for a user's data; `platform` is `sys.platform`."""
    if platform == "darwin":
        return home / "Library" / "Application Support" / "almanac"
    if platform == "win32":
        return Path(environment.get("LOCALAPPDATA") or home / "AppData" / "Local") / "almanac"
    shared = environment.get("XDG_DATA_HOME", "")
    # The XDG specification says to ignore a relative path.
    return (Path(shared) if os.path.isabs(shared) else home / ".local" / "share") / "almanac"


class DataFolder:
    """Readable by its owner only. Several processes may use one folder at once."""

    def __init__(self, path: Path) -> None:
        self.path = path.expanduser().absolute()

    @property
    def key_file(self) -> Path:
        return self.path / _KEY

    @property
    def store_file(self) -> Path:
        return self.path / _STORE

    @property
    def blobs_folder(self) -> Path:
        return self.path / _BLOBS

    def open_store(self, clock: Clock) -> SqliteStore:
        """The folder's store; folder and file are made where they are missing. InvalidInput where they cannot be."""
        self._prepare()
        file = self.path / _STORE
        store: SqliteStore = SqliteStore(
            file, clock=clock, cursor_secret=lambda: shared_secret(store, "cursors", os.urandom)
        )
        try:
            store.get(tenant_key("default"))
        except (sqlite3.Error, ValueError, AlmanacError) as broken:
            raise InvalidInput(
                f"{file} cannot be used as a store: {broken}",
                "Move the file away, or choose another folder with --data.",
            ) from broken
        return store

    def kept_key(self) -> str | None:
        """The key that the first `almanac serve` made, None where it made none."""
        try:
            return self.key_file.read_text("ascii").strip() or None
        except (OSError, UnicodeDecodeError):
            return None

    def keep_key(self, text: str) -> str:
        """Keeps the key unless another process has kept one meanwhile; returns the one that is kept."""
        return self._keep(self.key_file, text.encode()).decode("ascii").strip()

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
        """Makes `file` with `content`, whole and at once, or leaves the one that exists; returns what it holds."""
        handle, written = tempfile.mkstemp(dir=self.path)  # mkstemp makes files that only their owner reads
        try:
            with os.fdopen(handle, "wb") as open_file:
                open_file.write(content)
            # A link, unlike a rename, never replaces what another process made first.
            os.link(written, file)
        except FileExistsError:
            return file.read_bytes()
        finally:
            os.unlink(written)
        return content
