"""Rules for redirect URIs: which ones a client may register, and which of them a request may use.

Loopback addresses are compared without their port (RFC 8252), because clients take any free port. Some clients also
extend the path that they registered, so for loopback a longer path below it is accepted. Other URIs are compared
exactly.
"""

import re
from collections.abc import Iterable
from urllib.parse import SplitResult, urlsplit

from almanac.identity.oauth.resources import LOOPBACK

MOST_URI = 2000
_CUSTOM_SCHEME = re.compile(r"[a-z][a-z0-9+.-]{0,63}")
_DANGEROUS = frozenset(
    {"about", "blob", "data", "file", "filesystem", "ftp", "intent", "javascript", "mailto", "tel", "vbscript"}
    | {"view-source", "ws", "wss", "android-app", "chrome", "chrome-extension", "ms-msdt", "search-ms", "smb", "ssh"}
)
_HOST = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+", re.IGNORECASE)
_NUMERIC = re.compile(r"(?:0x[0-9a-f]+|[0-9]+)(?:\.(?:0x[0-9a-f]+|[0-9]+))*", re.IGNORECASE)
_SAFE = re.compile(r"[A-Za-z0-9._~:/?\[\]@!$&'()*+,;=%-]+")
_DOTS = re.compile(r"(?:^|/)(?:\.|%2e){1,2}(?:/|$)", re.IGNORECASE)

# The metadata document of this client names a different path from the one that its program sends.
_KNOWN_PATHS = {"opencode.ai": "/mcp/oauth/callback"}


def may_register(uri: str) -> bool:
    """Return whether a client may register `uri`: https anywhere, http on loopback, or the scheme of an application."""
    parts = _parts(uri)
    if parts is None:
        return False
    if parts.scheme == "https":
        return _is_public_host(parts)
    if parts.scheme == "http":
        return is_loopback(uri)
    return _CUSTOM_SCHEME.fullmatch(parts.scheme) is not None and parts.scheme not in _DANGEROUS


def is_loopback(uri: str) -> bool:
    parts = _parts(uri)
    return parts is not None and parts.scheme == "http" and _host(parts) in LOOPBACK


def may_redirect(uri: str, registered: Iterable[str], client_host: str = "") -> bool:
    """Return whether the server may redirect to `uri` for a client with these registered URIs.

    `client_host` is the host of the client's metadata document.
    """
    if not may_register(uri):
        return False
    known = tuple(registered)
    if uri in known:
        return True
    target = _parts(uri)
    if target is None or not is_loopback(uri):
        return False
    return any(is_loopback(one) and _same_but_port(target, one, client_host) for one in known)


def display_host(uri: str) -> str:
    """Return the target of a redirect as the consent page shows it: the host, or the scheme of an application."""
    parts = _parts(uri)
    if parts is None:
        return "?"
    return parts.netloc if parts.scheme in ("http", "https") else f"{parts.scheme}:"


def form_target(uri: str) -> str:
    """Return the CSP `form-action` source that lets the answer to a form redirect to `uri`."""
    parts = _parts(uri)
    if parts is None:
        return ""
    if parts.scheme not in ("http", "https") or "[" in parts.netloc:  # a source cannot name an IPv6 address
        return f"{parts.scheme}:"
    return f"{parts.scheme}://{parts.netloc}"


def _same_but_port(target: SplitResult, registered: str, client_host: str) -> bool:
    known = _parts(registered)
    if known is None or _host(known) != _host(target) or target.query != known.query:
        return False
    path, base = target.path or "/", known.path or "/"
    if path == base or path == _KNOWN_PATHS.get(client_host):
        return True
    return base != "/" and path.startswith(f"{base.rstrip('/')}/")


def _parts(uri: str) -> SplitResult | None:
    """Split a URI. Return None for texts that programs may read in different ways."""
    if not uri or len(uri) > MOST_URI or not _SAFE.fullmatch(uri):
        return None
    try:
        parts = urlsplit(uri)
        port = parts.port
    except ValueError:
        return None
    if not parts.scheme or parts.username is not None or parts.password is not None or _DOTS.search(parts.path):
        return None
    if parts.scheme in ("http", "https"):
        empty_port = parts.netloc.endswith(":") or port == 0
        return None if not parts.hostname or empty_port or not uri.startswith(f"{parts.scheme}://") else parts
    return parts


def _host(parts: SplitResult) -> str:
    # Not normalized, so that two spellings of a host never match each other.
    return parts.netloc.rpartition(":")[0] if re.search(r":[0-9]+$", parts.netloc) else parts.netloc


def _is_public_host(parts: SplitResult) -> bool:
    host = _host(parts)
    return _HOST.fullmatch(host) is not None and _NUMERIC.fullmatch(host) is None
