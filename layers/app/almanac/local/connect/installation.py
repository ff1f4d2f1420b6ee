"""Installation of the hook script and its settings, with the record of what was written into clients' files."""

import json
import shutil
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, structs

from almanac.content.redaction.exported_patterns import masking_patterns
from almanac.local.connect.config_entries import MARKER, OwnedPieces
from almanac.local.file_lock import alone

_SCRIPT = Path(__file__).with_name(MARKER)
_PATTERNS, _CONFIG, _RECORD, _PAUSED, _QUEUE = "patterns.json", "config.json", "connected.json", "paused", "queue"


class OwnedFile(Struct, frozen=True, kw_only=True):
    """A client's file that Almanac wrote to. `project` is the root of the file's working tree, or "" for the user's own
    files. `wanted` is a digest of the desired contents. `is_made` means that the file did not exist before. `folders`
    were created for it, the outermost first."""

    client: str
    project: str
    wanted: str
    owned: OwnedPieces
    is_made: bool = False
    folders: tuple[str, ...] = ()


class ConnectedClient(Struct, frozen=True, kw_only=True):
    """Connection of a client. `key_id` identifies a key that was issued for it in a data folder, and is None if the
    user gave the key."""

    url: str
    key_id: str | None = None
    data: str = ""
    has_hooks: bool = False


class Record(Struct, frozen=True):
    """Record of everything that was written: clients by their name, and files by their path."""

    clients: dict[str, ConnectedClient] = {}
    files: dict[str, OwnedFile] = {}


class Settings(Struct, frozen=True):
    """Settings of the hook script: the server's URL and key for each client, and patterns of excluded tools and
    paths."""

    urls: dict[str, str] = {}
    keys: dict[str, str] = {}
    leave_out_tools: tuple[str, ...] = ()
    leave_out_paths: tuple[str, ...] = ()


class Installation:
    """Folder of the hook script. It holds keys and unsent data, so only its owner can read it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def alone(self, waits: Callable[[], None]) -> AbstractContextManager[None]:
        """Return a lock that keeps other commands away from the record and the clients' files. Calls `waits` if another
        command holds it."""
        return alone(self.folder.with_name(f"{self.folder.name}.lock"), waits)

    @property
    def command(self) -> list[str]:
        """Return the command that runs the script. It uses the base interpreter, because a virtual environment may be
        deleted. It skips the installed packages, because searching them takes time."""
        interpreter = getattr(sys, "_base_executable", "") or sys.executable
        return [interpreter, "-I", "-S", str(self.folder / MARKER)]

    def install(self) -> None:
        """Write this version's script and its patterns of secrets."""
        self._write(MARKER, _SCRIPT.read_bytes())
        self._write(_PATTERNS, json.dumps(masking_patterns()).encode())

    def settings(self) -> Settings:
        try:
            return msgspec.json.decode((self.folder / _CONFIG).read_bytes(), type=Settings)
        except (OSError, ValueError):
            return Settings()

    def set_server(self, client: str, url: str, key: str) -> None:
        known = self.settings()
        self._save(structs.replace(known, urls={**known.urls, client: url}, keys={**known.keys, client: key}))

    def forget_server(self, client: str) -> None:
        known = self.settings()
        urls = {name: url for name, url in known.urls.items() if name != client}
        keys = {name: key for name, key in known.keys.items() if name != client}
        self._save(structs.replace(known, urls=urls, keys=keys))

    def leave_out(self, tools: tuple[str, ...], paths: tuple[str, ...]) -> None:
        """Exclude these tools and paths, in addition to those that are excluded already."""
        known = self.settings()
        all_tools = dict.fromkeys([*known.leave_out_tools, *tools])
        all_paths = dict.fromkeys([*known.leave_out_paths, *paths])
        self._save(structs.replace(known, leave_out_tools=tuple(all_tools), leave_out_paths=tuple(all_paths)))

    def key_of(self, client: str) -> tuple[str, str]:
        """Return the URL and key that the client was connected with, or empty texts if it is not connected."""
        known = self.settings()
        return known.urls.get(client, ""), known.keys.get(client, "")

    def record(self) -> Record:
        try:
            return msgspec.json.decode((self.folder / _RECORD).read_bytes(), type=Record)
        except (OSError, ValueError):
            return Record()

    def save(self, record: Record) -> None:
        self._write(_RECORD, msgspec.json.format(msgspec.json.encode(record)))

    @property
    def is_paused(self) -> bool:
        return (self.folder / _PAUSED).exists()

    def pause(self, *, paused: bool) -> None:
        if paused:
            self._write(_PAUSED, b"")
        else:
            (self.folder / _PAUSED).unlink(missing_ok=True)

    def waiting_count(self) -> int:
        """Return the number of queued turns and prompts that no server has accepted yet."""
        count = 0
        for file in sorted((self.folder / _QUEUE).glob("*.jsonl")):
            try:
                sent: Any = json.loads(file.with_suffix(".sent.json").read_bytes())
            except (OSError, ValueError):
                sent = {}
            count += file.read_bytes()[int(sent.get("sent", 0)) :].count(b"\n")
        return count

    def dropped_count(self) -> int:
        try:
            return int(json.loads((self.folder / "dropped.json").read_bytes())["lines"])
        except (OSError, ValueError, KeyError, TypeError):
            return 0

    def remove(self) -> None:
        """Delete the folder. If data waits for a server, keep the queue."""
        if not self.waiting_count():
            shutil.rmtree(self.folder, ignore_errors=True)
            return
        for one in self.folder.iterdir():
            if one.name == _QUEUE:
                continue
            if one.is_dir():
                shutil.rmtree(one, ignore_errors=True)
            else:
                one.unlink()

    def _save(self, settings: Settings) -> None:
        if settings != self.settings():
            self._write(_CONFIG, msgspec.json.format(msgspec.json.encode(settings)))

    def _write(self, name: str, data: bytes) -> None:
        file = self.folder / name
        if file.exists() and file.read_bytes() == data:
            return
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        temporary = file.with_name(f".{name}.new")
        temporary.touch(mode=0o600)
        temporary.write_bytes(data)
        temporary.replace(file)
