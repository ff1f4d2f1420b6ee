"""Addresses to which the HTTP client may connect.

A user names the server of a CalDAV account. On AWS that name must not lead into our own network: to the metadata
service, to other functions, or to services that trust their neighbours. The name is resolved once, all of its addresses
must be allowed, and the connection goes to one of exactly these addresses.
"""

import socket
from collections.abc import Callable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from msgspec import Struct

from almanac.kernel.errors import Forbidden, Unavailable

Resolve = Callable[[str, int], list[str]]
"""Returns the addresses of a host as text, in the order in which to try them. Raises OSError if there are none."""

_Address = IPv4Address | IPv6Address
_Network = IPv4Network | IPv6Network
_NAT64 = IPv6Network("64:ff9b::/96")


class NetworkPolicy(Struct, frozen=True):
    """Addresses that users may name. `private` allows loopback and private networks, as on a laptop; `hosts` are names
    that may be private anyway."""

    private: bool = False
    hosts: frozenset[str] = frozenset()


class AddressBook:
    """Resolver of hosts that refuses forbidden addresses."""

    def __init__(self, policy: NetworkPolicy, resolve: Resolve | None = None) -> None:
        self._policy = policy
        self._resolve = resolve or resolve_host

    def addresses(self, host: str, port: int) -> list[str]:
        """Return the addresses of a host. Raises Unavailable for an unknown host, Forbidden for a forbidden address."""
        try:
            resolved = self._resolve(host, port)
        except (OSError, UnicodeError):
            resolved = []
        if not resolved:
            raise Unavailable(
                f"The host {host[:100]} does not exist, or its name cannot be resolved now.", "Check the URL."
            )
        allowed = self._policy.private or host.lower() in self._policy.hosts
        for address in resolved:
            if not may_connect(address, private=allowed):
                raise Forbidden(
                    f"{host[:100]} is an address of a private network: this server does not connect to it.",
                    "Use a calendar server with a public address, or let the operator allow this host.",
                    code="address_refused",
                )
        return resolved


def resolve_host(host: str, port: int) -> list[str]:
    """Resolve a host with the system's resolver."""
    addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for _, _, _, _, address in addresses))


def may_connect(address: str, *, private: bool) -> bool:
    """Return whether connections to the address are allowed.

    Public addresses are, and with `private` also loopback and private networks. Never allowed are link-local addresses,
    which metadata services use, and multicast, reserved, documentation and tunnelling ones. NAT64 and IPv4-mapped
    addresses are judged by the IPv4 address in them, which must be public.
    """
    ip = ip_address(address.partition("%")[0])
    if str(ip) in _METADATA:
        return False
    inside = _embedded_address(ip)
    if inside is not None:
        return _is_public(inside)
    return _is_public(ip) or (private and any(ip in network for network in _OWN))


def is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _embedded_address(address: _Address) -> IPv4Address | None:
    """Return the IPv4 address that an IPv6 address embeds and a connection may reach."""
    if isinstance(address, IPv6Address) and (address.ipv4_mapped is not None or address in _NAT64):
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return None


def _is_public(address: _Address) -> bool:
    # IANA's registries decide, because `is_global` differs between releases of Python.
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _NOT_PUBLIC_4)
    return address in _PUBLIC_6 and not any(address in network for network in _NOT_PUBLIC_6)


def _networks(*texts: str) -> tuple[_Network, ...]:
    return tuple(ip_network(text) for text in texts)


_OWN = _networks("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "::1/128", "fc00::/7")
_NOT_PUBLIC_4 = _networks(
    *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24"),
    *("192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"),
    *("224.0.0.0/4", "240.0.0.0/4"),
)
_PUBLIC_6 = IPv6Network("2000::/3")
"""Range of public addresses. IPv4-compatible, site-local and local NAT64 addresses lie outside."""
_NOT_PUBLIC_6 = _networks("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")
"""Protocols, Teredo among them; documentation; 6to4; documentation."""
_METADATA = frozenset({"fd00:ec2::254", "fd20:ce::254", "100.100.100.200"})
"""Metadata services that are not at link-local addresses."""
