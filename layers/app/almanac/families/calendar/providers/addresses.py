"""Which addresses an HTTP client may connect to.

A user names the server of a CalDAV account. On AWS that name must not lead into our own network: to the metadata
service, to other functions, to anything that trusts its neighbours. A name is resolved once, every address that it has
must be allowed, and the connection goes to one of those very addresses.
"""

import socket
from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

from msgspec import Struct

from almanac.kernel.errors import Forbidden, Unavailable

Resolve = Callable[[str, int], list[str]]
"""The addresses of a host, as text, in the order in which to try them. Raises OSError where there are none."""

_Address = IPv4Address | IPv6Address
_NAT64 = IPv6Network("64:ff9b::/96")


class Reach(Struct, frozen=True):
    """`private`: loopback and private networks too, as on a laptop. `hosts`: names that may be private all the same."""

    private: bool = False
    hosts: frozenset[str] = frozenset()


class AddressBook:
    """Finds the addresses of hosts, and refuses those out of reach."""

    def __init__(self, reach: Reach, resolve: Resolve | None = None) -> None:
        self._reach = reach
        self._resolve = resolve or resolved

    def addresses(self, host: str, port: int) -> list[str]:
        """Raises Unavailable where the host is not known, Forbidden where it may not be connected to."""
        try:
            found = self._resolve(host, port)
        except (OSError, UnicodeError):
            found = []
        if not found:
            raise Unavailable(f"There is no host {host[:100]}, or its name cannot be looked up now.", "Check the URL.")
        allowed = self._reach.private or host.lower() in self._reach.hosts
        for address in found:
            if not may_connect(address, private=allowed):
                raise Forbidden(
                    f"{host[:100]} is an address of a private network: this server does not connect to it.",
                    "Use a calendar server with a public address, or let the operator allow this host.",
                    code="address_refused",
                )
        return found


def resolved(host: str, port: int) -> list[str]:
    """As the system resolves it."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for _, _, _, _, address in found))


def may_connect(address: str, *, private: bool) -> bool:
    """Public addresses, and with `private` also loopback and private networks; never link-local ones, where the
    metadata services are, and never multicast, reserved or unspecified ones."""
    real = _meant(ip_address(address.partition("%")[0]))
    if real.is_link_local or real.is_multicast or real.is_unspecified or str(real) in _METADATA:
        return False
    if real.is_global:
        return True
    return private and (real.is_loopback or real.is_private)


def is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _meant(address: _Address) -> _Address:
    """The IPv4 address inside an IPv6 one that stands for it."""
    if isinstance(address, IPv4Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address


_METADATA = frozenset({"fd00:ec2::254", "fd20:ce::254", "100.100.100.200"})
"""Metadata services that are not at link-local addresses."""
