"""Check of the Origin header: only allowed browser pages may call the server. Programs send no Origin; pages
always do."""

import re
from typing import Final

# A regular expression, because importing urllib.parse would cost a tenth of the cold start.
_HOST: Final = r"(?:[a-z][a-z0-9+.-]*://)?(\[[0-9a-f:.]+\]|[^:/?#@\[\]]+)(?::[0-9]*)?/?"
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})


def is_allowed(origin: str | None, host: str, allowed: frozenset[str]) -> bool:
    """Return whether the server may answer a request with this Origin. `host` is the request's Host header.

    Pages on this machine may reach a server on this machine. Other pages must be in `allowed`. An attacker who points
    his own domain at 127.0.0.1 controls both headers, so neither header proves the other.
    """
    if origin is None:
        return True
    return origin.lower().rstrip("/") in allowed or (_is_loopback(origin) and _is_loopback(host))


def _is_loopback(address: str) -> bool:
    match = re.fullmatch(_HOST, address.lower())
    return match is not None and match[1] in _LOOPBACK
