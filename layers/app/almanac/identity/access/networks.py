"""Networks by which refused keys are counted: an IPv4 address, or the /64 network of an IPv6 subscriber."""

import ipaddress

_SUBSCRIBER_BITS = 64


def network_of(address: str) -> str:
    """Return the network of an address: an IPv4 address itself, or an IPv6 network such as `2001:db8:1:2::/64`.

    All texts that are not addresses share the network "unknown".
    """
    try:
        known = ipaddress.ip_address(address.strip().partition("%")[0])
    except ValueError:
        return "unknown"
    if isinstance(known, ipaddress.IPv4Address):
        return str(known)
    if known.ipv4_mapped is not None:
        return str(known.ipv4_mapped)
    return str(ipaddress.ip_network((known, _SUBSCRIBER_BITS), strict=False))
