"""Configuration of MCP clients for this server, shown as a snippet or written into the client's file."""

from datetime import datetime
from typing import Literal

from msgspec import Struct

from almanac.families.context.core.types import CliType
from almanac.kernel.errors import Conflict
from almanac.platform.clients.config_files import read, replace
from almanac.platform.clients.config_merge import CannotMerge, merge_entry
from almanac.platform.clients.entries import CLIENTS, Client
from almanac.platform.clients.places import configuration_file, display_path
from almanac.platform.clients.server import KEY_VARIABLE, UNKNOWN_KEY, UNKNOWN_URL, ClientMachine, Server

Target = Literal[CliType, "docker"]
NEVER_WRITTEN = ("docker", "generic")
_ALL = ("claude-code", "claude", "opencode", "kimi", "codex", "gemini", "cursor", "vscode")


class ConfigurationWrite(Struct, frozen=True, kw_only=True):
    """A written configuration. `file` is its path as people write it. `changed` is false if our server was in it
    already. `backup` is the path of the former file; None if there was none."""

    title: str
    file: str
    changed: bool
    backup: str | None = None


def snippet(cli: Target, server: Server) -> str:
    """Return the text to paste into the client's configuration. For docker, return the snippets of all clients, each
    after its name."""
    if cli == "docker":
        return "\n\n".join(f"{CLIENTS[name].title}:\n{CLIENTS[name].snippet(server)}" for name in _ALL)
    return CLIENTS[cli].snippet(server)


def write(cli: CliType, machine: ClientMachine, now: datetime) -> ConfigurationWrite:
    """Write the entry into the client's file, whole or not at all. Raises Conflict if it cannot be merged without loss,
    and InvalidInput if the file cannot be used. Both leave everything unchanged."""
    client = CLIENTS[cli]
    place = configuration_file(cli, machine)
    if place is None:
        raise Conflict(f"{client.title} has no file of its own.", snippet(cli, machine.server))
    file = read(place)
    name = display_path(place, machine.home)
    try:
        text = merge_entry(file.text, client, client.of(client.with_tool_set(machine.server)))
    except CannotMerge as problem:
        raise Conflict(
            f"{name} was left as it is: {problem}.", f"Add this by hand:\n{client.snippet(machine.server)}"
        ) from None
    if text is None:
        return ConfigurationWrite(title=client.title, file=name, changed=False)
    backup = replace(file, text, now)
    backup_path = None if backup is None else display_path(backup, machine.home)
    return ConfigurationWrite(title=client.title, file=name, changed=True, backup=backup_path)


def about_key(cli: Target, server: Server) -> str:
    """Return a sentence on where the client gets its key. The server cannot show the key, since it stores only a proof
    of it."""
    if cli == "docker":
        return f"Put an API key in the place of {UNKNOWN_KEY} or into the variable {KEY_VARIABLE}."
    client = CLIENTS[cli]
    if _starts(client, server):
        return f"{client.title} starts the server itself, with the key of the data folder."
    if client.reference is None:
        return f"Put your API key in the place of {UNKNOWN_KEY}."
    return f"{client.title} takes the API key from the environment variable {KEY_VARIABLE}: set it to yours."


def about_address(server: Server) -> str:
    return f" Put the address that you call in the place of {UNKNOWN_URL}." if server.url == UNKNOWN_URL else ""


def _starts(client: Client, server: Server) -> bool:
    return "command" in client.of(server)
