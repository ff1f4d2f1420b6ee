"""Address of a server, as clients on this machine reach it."""

import ipaddress
from dataclasses import dataclass

PATH = "/mcp"
DEFAULT_URL = f"http://127.0.0.1:8787{PATH}"

_ANY = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - what is bound is the user's choice


@dataclass(frozen=True, slots=True)
class Address:
    host: str
    port: int

    @property
    def url(self) -> str:
        """The URL of the hub for clients on this machine."""
        host = _ANY.get(self.host, self.host)
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}{PATH}"

    @property
    def is_public(self) -> bool:
        """Return whether other machines may reach the server."""
        try:
            return not ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host != "localhost"
