"""Check of the Origin header: may this browser page talk to the server? Programs send no Origin; pages always do."""

import re
from typing import Final

# Written out, because importing urllib.parse would cost a tenth of the cold start.
_HOST: Final = r"(?:[a-z][a-z0-9+.-]*://)?(\[[0-9a-f:.]+\]|[^:/?#@\[\]]+)(?::[0-9]*)?/?"
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})


def is_allowed(origin: str | None, host: str, allowed: frozenset[str]) -> bool:
    """Return whether the server may answer a request with this Origin; `host` is its Host header.

    Pages on this machine may reach a server on this machine. Pages from elsewhere must be in `allowed`. An attacker who
    points a domain of his own at 127.0.0.1 controls both headers, so neither header is proof of the other.
    """
    if origin is None:
        return True
    return origin.lower().rstrip("/") in allowed or (_is_loopback(origin) and _is_loopback(host))


def _is_loopback(address: str) -> bool:
    found = re.fullmatch(_HOST, address.lower())
    return found is not None and found[1] in _LOOPBACK
