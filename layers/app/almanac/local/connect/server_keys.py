"""Issue keys for clients, and check with real calls that a server accepts them."""

import http.client
import ipaddress
import json
import os
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, cast
from urllib.parse import urlsplit

from msgspec import Struct, structs

from almanac.composition.settings import read_settings
from almanac.identity.api_key import parse_api_key
from almanac.identity.keys import ApiKeys
from almanac.kernel.clock import Clock
from almanac.kernel.errors import InvalidInput, NotFound
from almanac.kernel.instants import now_ms
from almanac.local.client.connection import Connection
from almanac.local.client.tool_calls import Failed, call_tool
from almanac.local.connect.clients import KNOWN
from almanac.local.data_folder import VARIABLE, DataFolder
from almanac.local.start.first_key import FirstKeys
from almanac.local.start.zone_notes import zones_here
from almanac.local.tenants.edit_options import clerk

Json = dict[str, Any]
_SECONDS = 10.0
_TOOL = "get_temporal_context"


class ServerKeys:
    """Keys in the data folder of this machine's server. New keys get the permissions of the server's first key."""

    def __init__(self, folder: DataFolder, clock: Clock) -> None:
        self.folder = folder
        self._clock = clock
        self._store = folder.open_store(clock)
        self._keys = ApiKeys(self._store, clock, os.urandom, clerk(self._store, clock))

    def close(self) -> None:
        self._store.close()

    def works(self, text: str) -> bool:
        try:
            key = parse_api_key(text)
        except InvalidInput:
            return False
        record = self._keys.find(key.id)
        return record is not None and key.opens(record.digest) and record.works_at(now_ms(self._clock))

    def issue(self, client: str) -> tuple[str, str]:
        """Issue a key for the client, and return the key and its id. Raises InvalidInput if no first key is known."""
        settings = read_settings()
        zone = zones_here(settings).of_first_tenant
        first = FirstKeys(self.folder, self._store, self._clock, os.urandom, zone).ensure(settings.api_key)
        record = None if first.text is None else self._keys.find(parse_api_key(first.text).id)
        if record is None:
            raise InvalidInput(f"No key is known here: {first.note}.", f"Give one with --key, or set {VARIABLE}.")
        issued = self._keys.issue(structs.replace(record.grant, label=f"{KNOWN[client].title}, by almanac connect"))
        return issued.key.text, issued.record.id

    def revoke(self, key_id: str) -> None:
        with suppress(NotFound):
            # The key was deleted together with its tenant.
            self._keys.revoke(key_id)


def is_here(url: str) -> bool:
    """Tell whether a URL points to this machine."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class KeyCheck(Struct, frozen=True):
    """Result of a check. `wrong` describes the problem, or is "". `is_silent` means that the server did not answer, or
    that the same call may work later."""

    wrong: str = ""
    is_silent: bool = False


def check(url: str, key: str, hook: Sequence[str]) -> KeyCheck:
    """Check a key by calling a tool with it. If `hook` is a command, also check that the hook script reaches the
    server."""
    try:
        answer = call_tool(url, key, _TOOL, {}, _SECONDS)
    except Failed as failed:
        return KeyCheck(str(failed), is_silent=failed.passing)
    if answer.is_error:
        return KeyCheck(answer.text)
    return KeyCheck(_check_hook(hook) if hook else "")


def _check_hook(hook: Sequence[str]) -> str:
    try:
        completed = subprocess.run(  # noqa: S603 - our own script
            [*hook, "--check"], capture_output=True, timeout=30, check=False, stdin=subprocess.DEVNULL
        )
        result: Any = json.loads(completed.stdout)
    except (OSError, ValueError, subprocess.SubprocessError):
        return f"The hook script did not run: {hook[0]}"
    if result.get("status") == 404:
        return "The server has no endpoint for hooks: it is older than they are."
    return "" if result.get("status") == 200 else f"The hook script cannot reach the server: {result}"


def hook_usage(url: str, key: str) -> Json | None:
    """Return how many sessions of the key used hooks recently and how much text they got. Return None if the server
    does not report it."""
    connection = None
    try:
        connection = Connection(f"{hooks_url(url)}/status", _SECONDS)
        reply = connection.post(b"{}", {"x-api-key": key, "content-type": "application/json"})
        read: Any = json.loads(reply.body) if reply.status == 200 else None
    except (OSError, ValueError, http.client.HTTPException):
        return None
    finally:
        if connection is not None:
            connection.close()
    return cast("Json", read) if isinstance(read, dict) else None


def hooks_url(url: str) -> str:
    return f"{url.partition('?')[0].rstrip('/').removesuffix('/mcp')}/hooks"
