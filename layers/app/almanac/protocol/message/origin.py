"""Whether a browser page may talk to this server. Programs send no Origin; a page always does."""

import re
from typing import Final

# Written out, because importing urllib.parse would cost a tenth of the cold start.
_HOST: Final = r"(?:[a-z][a-z0-9+.-]*://)?(\[[0-9a-f:.]+\]|[^:/?#@\[\]]+)(?::[0-9]*)?/?"
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})


def is_allowed(origin: str | None, host: str, allowed: frozenset[str]) -> bool:
    """`host` is the Host header. Pages on this machine may reach a server on this machine; others must be allowed.

    An attacker who points a name of his at 127.0.0.1 gets past the browser with his own name in both headers, so
    neither vouches for the other.
    """
    if origin is None:
        return True
    return origin.lower().rstrip("/") in allowed or (_is_loopback(origin) and _is_loopback(host))


def _is_loopback(address: str) -> bool:
    found = re.fullmatch(_HOST, address.lower())
    return found is not None and found[1] in _LOOPBACK
