"""The text that a ready server prints: its address, the key, and the commands to paste."""

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from msgspec import structs

import almanac
from almanac.composition.installation import VARIABLE as TIMEZONE
from almanac.composition.variables import texts
from almanac.local.cli import cli
from almanac.local.client.server_address import DEFAULT_URL, Address
from almanac.local.data_folder import VARIABLE, DataFolder, default_data_folder
from almanac.local.hints import is_in_uv_cache, program, spell_commands
from almanac.local.start.first_key import FirstKey
from almanac.platform.clients.server import Server
from almanac.platform.clients.snippets import client_configurations

_EXAMPLE = ("resolve_datetime", "expression=next Tuesday at 2pm")


@dataclass(frozen=True, slots=True)
class Announcement:
    """The text of a ready server. `zone` is the installation's time zone, and `notes` are lines about time zones."""

    address: Address
    first: FirstKey
    folder: DataFolder
    zone: str | None
    notes: Sequence[str]

    def write(self, out: TextIO) -> None:
        key, url = self.first.text, self.address.url
        lines = [f"Almanac {almanac.__version__} is ready at {url}"]
        lines.append(f"Key: {key} ({self.first.note})" if key else f"Key: {self._spell_commands(self.first.note)}")
        lines.append(f"Data: {self.folder.path}")
        lines += map(self._spell_commands, self.notes)
        if is_in_uv_cache(Path(sys.executable)):
            lines.append(
                "This copy lies in uv's cache. Before you connect clients, install it for good: uv tool install."
            )
        if self.address.is_public:
            lines.append("Other machines can reach this server: without TLS, keys and answers can be read on the way.")
        if key:
            lines += ["", "In a second terminal:", f"  {self.call_line(key)}"]
            lines += ["", "Connect the agents of this machine, or paste what follows:", f"  {self.connect_line()}"]
            for where, what in client_configurations(self._server(url, key)):
                lines += ["", f"{where}:", what]
        lines += ["", "Stop with Ctrl+C."]
        out.write("\n".join(lines) + "\n")
        out.flush()

    def call_line(self, key: str) -> str:
        """Return a command that calls this server. It names key, data folder and address if they differ from the
        defaults of `almanac call`."""
        words = [*_EXAMPLE, "timezone=America/New_York"]
        if self.address.url != DEFAULT_URL:
            words += ["--url", self.address.url]
        is_stored = self.folder.stored_key() == key
        if is_stored and not _is_default(self.folder):
            words += ["--data", str(self.folder.path)]
        prefix = "" if is_stored else f"{VARIABLE}={shlex.quote(key)} "
        return f"{prefix}{program()} call {shlex.join(words)}"

    def connect_line(self) -> str:
        words = ["connect"]
        if self.address.url != DEFAULT_URL:
            words += ["--url", self.address.url]
        if not _is_default(self.folder):
            words += ["--data", str(self.folder.path)]
        return f"{program()} {shlex.join(words)}"

    def _server(self, url: str, key: str) -> Server:
        return structs.replace(server_of(url, self.folder, self.zone), key=key)

    def _spell_commands(self, text: str) -> str:
        options = {} if _is_default(self.folder) else {"--data": str(self.folder.path)}
        return spell_commands(text, options, cli)


def server_of(url: str, folder: DataFolder, zone: str | None) -> Server:
    """Return the server as clients on this machine reach it. It includes the installation's time zone, which a server
    that a client starts itself would not know."""
    return Server(url=url, command=stdio_command(folder), environment={} if zone is None else {TIMEZONE: zone})


def stdio_command(folder: DataFolder) -> list[str]:
    """Return the command that starts the same families over stdio, on the same data."""
    return [sys.executable, "-m", "almanac.local", "stdio", "--data", str(folder.path)]


def _is_default(folder: DataFolder) -> bool:
    """Return whether commands without --data use this folder, even in another terminal."""
    return folder.path == DataFolder(default_data_folder(texts(), sys.platform, Path.home())).path
