"""The network that refused keys count for: an IPv4 address, or the /64 of an IPv6 address, one subscriber's."""

import ipaddress

_SUBSCRIBER_BITS = 64


def network_of(address: str) -> str:
    """`203.0.113.9` as it is, `2001:db8:1:2::/64` for what lies in it; what is no address is one network together."""
    try:
        known = ipaddress.ip_address(address.strip().partition("%")[0])
    except ValueError:
        return "unknown"
    if isinstance(known, ipaddress.IPv4Address):
        return str(known)
    if known.ipv4_mapped is not None:
        return str(known.ipv4_mapped)
    return str(ipaddress.ip_network((known, _SUBSCRIBER_BITS), strict=False))
