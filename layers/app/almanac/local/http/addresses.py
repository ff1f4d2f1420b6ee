"""The client's address: that of the connection, or, behind a trusted proxy, the one that the proxy names."""

import ipaddress
from collections.abc import Iterable, MutableMapping
from typing import Any

from almanac.kernel.errors import InvalidInput

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
_HEADER = b"x-forwarded-for"


class Proxies:
    """Networks of proxies whose X-Forwarded-For is trusted. No other is read."""

    def __init__(self, networks: Iterable[Network] = ()) -> None:
        self._networks = tuple(networks)

    @property
    def are_some(self) -> bool:
        return bool(self._networks)

    def client(self, peer: str, forwarded: str) -> str:
        """The last address in `forwarded` that is not of a trusted proxy; `peer` where it is no proxy or names none.

        Each proxy appends the address that it was called from, so what precedes an untrusted address may be forged.
        """
        known = peer
        for named in reversed(forwarded.split(",")):
            if not self._trusts(known):
                return known
            address = _address(named)
            if address is None:
                return known
            known = address
        return known

    def with_client(self, scope: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        """An ASGI scope with the client's address in place of the proxy's."""
        peer = scope.get("client")
        if not self._networks or not peer:
            return scope
        forwarded = b",".join(value for name, value in scope["headers"] if name.lower() == _HEADER).decode("latin-1")
        return {**scope, "client": (self.client(peer[0], forwarded), peer[1])}

    def _trusts(self, address: str) -> bool:
        try:
            known = ipaddress.ip_address(address)
        except ValueError:
            return False
        mapped = getattr(known, "ipv4_mapped", None) or known
        return any(mapped in network for network in self._networks)


NO_PROXIES = Proxies()


def read_proxies(texts: Iterable[str]) -> Proxies:
    """From addresses and networks such as 10.0.0.7 or 10.0.0.0/8. Raises InvalidInput."""
    return Proxies(map(_network, texts))


def _network(text: str) -> Network:
    try:
        return ipaddress.ip_network(text.strip(), strict=False)
    except ValueError as wrong:
        hint = "Name the proxy's own address or network, such as 10.0.0.7 or 10.0.0.0/8."
        raise InvalidInput(f"{text[:60]} is not the address of a proxy.", hint, path="trusted_proxy") from wrong


def _address(text: str) -> str | None:
    """As proxies write them: also with a port, IPv6 in brackets. None for anything else."""
    bare = text.strip()
    if bare.startswith("["):
        bare = bare[1:].partition("]")[0]
    elif bare.count(":") == 1:
        bare = bare.partition(":")[0]
    try:
        return str(ipaddress.ip_address(bare))
    except ValueError:
        return None
