"""The server's address and key for clients, and the machine on which its local clients run."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

NAME = "almanac"
KEY_VARIABLE = "ALMANAC_API_KEY"
UNKNOWN_URL = "https://YOUR-ALMANAC-ADDRESS/mcp"
UNKNOWN_KEY = "YOUR-ALMANAC-API-KEY"


class Server(Struct, frozen=True, kw_only=True):
    """The server as clients reach it.

    `url` is the address of the hub. `key` is an API key, or None if it must stay secret. Clients then read it from the
    variable ALMANAC_API_KEY. `command` starts the same families over stdio on the same data, with `environment` added
    to its own. It is empty if that is impossible.
    """

    url: str = UNKNOWN_URL
    key: str | None = None
    command: Sequence[str] = ()
    environment: Mapping[str, str] = {}


class ClientMachine(Struct, frozen=True, kw_only=True):
    """The machine on which a laptop's server runs. Only that server's process has this part.

    `platform` is `sys.platform`, and `variables` are the environment variables. `may_write` is true if the caller is on
    the same machine, so that the server may write the configuration of its clients.
    """

    server: Server
    home: Path
    platform: str
    may_write: bool
    variables: Mapping[str, str] = {}
