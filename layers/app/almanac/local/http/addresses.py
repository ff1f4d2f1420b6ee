"""The client's network address: that of the connection or, behind a trusted proxy, the one that the proxy reports."""

import ipaddress
from collections.abc import Iterable, MutableMapping
from typing import Any

from almanac.kernel.errors import InvalidInput

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
_HEADER = b"x-forwarded-for"


class Proxies:
    """Networks of the proxies whose header X-Forwarded-For is trusted. The header is ignored in all other requests."""

    def __init__(self, networks: Iterable[Network] = ()) -> None:
        self._networks = tuple(networks)

    @property
    def are_some(self) -> bool:
        return bool(self._networks)

    def client(self, peer: str, forwarded: str) -> str:
        """Return the last address in `forwarded` that does not belong to a trusted proxy. Return `peer` if `peer` is
        not a trusted proxy, or if the last entry of `forwarded` is not an address.

        Each proxy appends the address of its client. Addresses before an untrusted one may therefore be forged.
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
        """Return the ASGI scope with the client's address in place of the proxy's."""
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
    """Parse addresses and networks such as 10.0.0.7 and 10.0.0.0/8. Raises InvalidInput."""
    return Proxies(map(_network, texts))


def _network(text: str) -> Network:
    try:
        return ipaddress.ip_network(text.strip(), strict=False)
    except ValueError as wrong:
        hint = "Name the proxy's own address or network, such as 10.0.0.7 or 10.0.0.0/8."
        raise InvalidInput(f"{text[:60]} is not the address of a proxy.", hint, path="trusted_proxy") from wrong


def _address(text: str) -> str | None:
    """Return an address in the form that proxies write, which may have a port or brackets around IPv6. Return None for
    any other text."""
    bare = text.strip()
    if bare.startswith("["):
        bare = bare[1:].partition("]")[0]
    elif bare.count(":") == 1:
        bare = bare.partition(":")[0]
    try:
        return str(ipaddress.ip_address(bare))
    except ValueError:
        return None
