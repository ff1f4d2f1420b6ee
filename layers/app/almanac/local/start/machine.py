"""This machine as tools may know it: where clients keep their configuration, and whether that may be written."""

import sys
from pathlib import Path

from almanac.composition.variables import VARIABLES, texts
from almanac.local.client.server_address import Address
from almanac.local.http.addresses import Proxies
from almanac.platform.clients.server import ClientMachine, Server

_PLACES = ("xdg_config_home", "app_data", "codex_home", "claude_config_dir")


def this_machine(server: Server, address: Address, proxies: Proxies) -> ClientMachine:
    """Return the machine whose clients Almanac may configure. Nothing may be written if other machines can call, even
    through a proxy, because the caller's clients are then not on this machine."""
    return machine_of(server, may_write=not address.is_public and not proxies.are_some)


def machine_of(server: Server, *, may_write: bool) -> ClientMachine:
    names = {VARIABLES[place].name for place in _PLACES}
    return ClientMachine(
        server=server,
        home=Path.home(),
        platform=sys.platform,
        may_write=may_write,
        variables={name: text for name, text in texts().items() if name in names},
    )
