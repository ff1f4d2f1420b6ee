"""Adding an entry to the text of a configuration. Nothing else in it changes, neither order nor comments.

The entry is inserted into the text. Then the result is parsed again. Unless it has exactly the old values and the
entry, nothing is merged.
"""

import json
import tomllib
from collections.abc import Mapping
from typing import Any, cast

from almanac.platform.clients.entries import Client, as_toml
from almanac.platform.clients.json_text import JsonText, NotEditable
from almanac.platform.clients.server import NAME

Json = dict[str, Any]


class CannotMerge(Exception):
    """The text does not have its format, or the entry cannot be added without a loss. The message says why."""


def merge_entry(text: str, client: Client, entry: Mapping[str, Any]) -> str | None:
    """Return the text with the entry. None if it already has an entry for the same server.

    Raises CannotMerge, also if another server has our name.
    """
    try:
        return _merge_toml(text, client, entry) if client.format == "toml" else _merge_json(text, client, entry)
    except NotEditable as problem:
        raise CannotMerge(str(problem)) from None
    except RecursionError:
        raise CannotMerge("it is nested too deeply") from None


def _merge_toml(text: str, client: Client, entry: Mapping[str, Any]) -> str | None:
    before = _toml(text)
    servers = before.get(client.servers, {})
    if not isinstance(servers, dict):
        raise CannotMerge(f"{client.servers} is not a table")
    servers = cast("Json", servers)
    if _is_there(servers, entry):
        return None
    gap = "" if not text or text.endswith(("\n\n", "\n\r\n")) else "\n" if text.endswith("\n") else "\n\n"
    newline = "\r\n" if "\r\n" in text else "\n"
    after = text + f"{gap}{as_toml(client.servers, entry)}\n".replace("\n", newline)
    if _toml(after) != {**before, client.servers: {**servers, NAME: entry}}:
        raise CannotMerge("a table could not be added behind what is there")
    return after


def _toml(text: str) -> Json:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, ValueError) as broken:
        raise CannotMerge(f"it is not TOML to which a table can be added: {str(broken)[:100]}") from None


def _merge_json(text: str, client: Client, entry: Mapping[str, Any]) -> str | None:
    if not text.strip():
        return json.dumps({client.servers: {NAME: entry}}, indent=2, ensure_ascii=False) + "\n"
    read = JsonText(text)
    before = read.value
    servers = before.get(client.servers, {})
    if not isinstance(servers, dict):
        raise CannotMerge(f"{client.servers} is not an object")
    servers = cast("Json", servers)
    if _is_there(servers, entry):
        return None
    after = read.with_member((client.servers, NAME), entry).text
    if JsonText(after).value != {**before, client.servers: {**servers, NAME: entry}}:
        raise CannotMerge("the entry could not be put into it without changing something else")
    return after


def _is_there(servers: Mapping[str, Any], entry: Mapping[str, Any]) -> bool:
    if NAME not in servers:
        return False
    present: Any = servers[NAME]
    if isinstance(present, dict) and _place(cast("Json", present)) == _place(entry):
        return True
    raise CannotMerge(f"it has another server called {NAME} already, which is left as it is")


def _place(entry: Mapping[str, Any]) -> list[Any]:
    """Return the address or command of an entry's server, without the filter of tools."""
    address = next((entry[name] for name in ("url", "httpUrl", "serverUrl", "command") if name in entry), None)
    arguments: Any = entry.get("args")
    if isinstance(arguments, list) and "--set" in arguments:
        words = cast("list[Any]", arguments)
        arguments = words[: words.index("--set")]
    return [address.partition("?")[0] if isinstance(address, str) else address, arguments]
