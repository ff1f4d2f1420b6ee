"""The server as clients reach it, and this machine, where its own clients are."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

NAME = "almanac"
KEY_VARIABLE = "ALMANAC_API_KEY"
UNKNOWN_URL = "https://YOUR-ALMANAC-ADDRESS/mcp"
UNKNOWN_KEY = "YOUR-ALMANAC-API-KEY"


class Server(Struct, frozen=True, kw_only=True):
    """`url` is the hub's. `key` is an API key, or None where nobody may know it: clients then take it from the variable
    ALMANAC_API_KEY. `command` starts the same families over stdio, on the same data, with `environment` beside its own;
    empty where that cannot be."""

    url: str = UNKNOWN_URL
    key: str | None = None
    command: Sequence[str] = ()
    environment: Mapping[str, str] = {}


class ClientMachine(Struct, frozen=True, kw_only=True):
    """The machine on which a laptop's server runs: a part of its process, and of no other.

    `platform` is `sys.platform`, `variables` those of the environment. `may_write`: whoever calls is on this machine
    too, so that the configuration of its clients may be written for him.
    """

    server: Server
    home: Path
    platform: str
    may_write: bool
    variables: Mapping[str, str] = {}
