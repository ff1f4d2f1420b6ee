"""The hook script where clients run it, with its settings, and the record of what was written into their files."""

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
    """`project` is the root of the working tree whose file it is, "" for the user's own. `wanted` is a digest of what
    the file was to hold. `is_made`: there was no such file; `folders` were made for it, the outermost first."""

    client: str
    project: str
    wanted: str
    owned: OwnedPieces
    is_made: bool = False
    folders: tuple[str, ...] = ()


class ConnectedClient(Struct, frozen=True, kw_only=True):
    """`key_id` is that of a key that was made for the client in a data folder; None where it was given one."""

    url: str
    key_id: str | None = None
    data: str = ""
    has_hooks: bool = False


class Record(Struct, frozen=True):
    """By the name of the client, and by the path of the file."""

    clients: dict[str, ConnectedClient] = {}
    files: dict[str, OwnedFile] = {}


class Settings(Struct, frozen=True):
    """Settings of the script: servers and their keys by client, patterns of tools and paths that are left out."""

    urls: dict[str, str] = {}
    keys: dict[str, str] = {}
    leave_out_tools: tuple[str, ...] = ()
    leave_out_paths: tuple[str, ...] = ()


class Installation:
    """The folder of the hooks. Only its owner can read it: it holds keys, and what waits to be sent."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def alone(self, waits: Callable[[], None]) -> AbstractContextManager[None]:
        """Keep other commands out of the records and the clients' files meanwhile; calls `waits` where one runs."""
        return alone(self.folder.with_name(f"{self.folder.name}.lock"), waits)

    @property
    def command(self) -> list[str]:
        """Return the command that runs the script. It uses the interpreter behind a virtual environment, which outlives
        the environment, and skips its packages, which take time to find."""
        interpreter = getattr(sys, "_base_executable", "") or sys.executable
        return [interpreter, "-I", "-S", str(self.folder / MARKER)]

    def install(self) -> None:
        """Write the script and the patterns of secrets, those of this version."""
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
        """Leave these out beside those that are left out already."""
        known = self.settings()
        all_tools = dict.fromkeys([*known.leave_out_tools, *tools])
        all_paths = dict.fromkeys([*known.leave_out_paths, *paths])
        self._save(structs.replace(known, leave_out_tools=tuple(all_tools), leave_out_paths=tuple(all_paths)))

    def key_of(self, client: str) -> tuple[str, str]:
        """Return the address and the key that the client was connected with; empty where there are none."""
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

    def waiting(self) -> int:
        """Return how many lines wait for a server, of turns and prompts that it has not taken yet."""
        count = 0
        for file in sorted((self.folder / _QUEUE).glob("*.jsonl")):
            try:
                sent: Any = json.loads(file.with_suffix(".sent.json").read_bytes())
            except (OSError, ValueError):
                sent = {}
            count += file.read_bytes()[int(sent.get("sent", 0)) :].count(b"\n")
        return count

    def dropped(self) -> int:
        try:
            return int(json.loads((self.folder / "dropped.json").read_bytes())["lines"])
        except (OSError, ValueError, KeyError, TypeError):
            return 0

    def remove(self) -> None:
        """Delete the folder, but for what still waits for a server."""
        if not self.waiting():
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
        made = file.with_name(f".{name}.new")
        made.touch(mode=0o600)
        made.write_bytes(data)
        made.replace(file)
