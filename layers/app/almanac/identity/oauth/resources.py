"""Origins and resources: the server's address in a request, and the part of the server that a grant is for."""

import re
from collections.abc import Mapping
from urllib.parse import SplitResult, parse_qsl, urlsplit

from almanac.kernel.errors import InvalidInput
from almanac.protocol.selection import FILTERS

HUB = "/mcp"
PROTECTED_RESOURCE = "/.well-known/oauth-protected-resource"
LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})
_PATH = re.compile(r"/mcp(?:/[a-z][a-z0-9_-]{0,63})?")
_HOST = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:[1-9][0-9]{0,4})?")
_NAME = re.compile(r"(?=.{1,253}\Z)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*")


class Origins:
    """Determines the origin of a request: the configured `public_url`, else the request's loopback host."""

    def __init__(self, public_url: str | None = None) -> None:
        self.public_url = None if public_url is None else check_public_url(public_url)

    def of(self, headers: Mapping[str, str]) -> str | None:
        """Return the origin that clients use, such as `https://mcp.example.com`. None if sign-in is not offered.

        Without a public URL only loopback hosts count. A foreign name that resolves to this machine (DNS rebinding)
        must not become an issuer.
        """
        host = headers.get("host", "").strip().lower()
        if self.public_url is not None:
            return self.public_url
        return f"http://{host}" if _HOST.fullmatch(host) else None

    def is_own_host(self, headers: Mapping[str, str]) -> bool:
        """Return whether the request names this server, by its public name or by loopback, as tunnels do."""
        host = headers.get("host", "").strip().lower()
        if _HOST.fullmatch(host):
            return True
        return self.public_url is not None and host.removesuffix(":443") == urlsplit(self.public_url).netloc


def check_public_url(url: str) -> str:
    """Return a URL as an https origin without path, such as `https://mcp.example.com`.

    Plain http is accepted for loopback only. Raises InvalidInput for any other URL.
    """
    parts = _split(url.strip().rstrip("/"))
    safe = parts is not None and (parts.scheme == "https" or (parts.scheme == "http" and _host(parts) in LOOPBACK))
    if parts is None or not safe or parts.path or parts.query or parts.fragment or not _is_plain_host(parts):
        raise InvalidInput(
            f'"{url[:100]}" cannot be the public URL.',
            "Give an https address without a path, such as https://mcp.example.com.",
            path="public_url",
        )
    return _origin(parts)


def canonical_resource(text: str, origin: str) -> str | None:
    """Normalize the resource that a client names to `<origin>/mcp` or `<origin>/mcp/<family>`, as grants store it.

    The bare origin means `/mcp`. A trailing slash and capitals in the host are accepted. So are the filters of tool
    lists (`?set=core`), because they do not change what the grant is for. Returns None for any other text.
    """
    parts = _split(text)
    if parts is None or parts.fragment or "#" in text or not parts.netloc:
        return None
    if "?" in text and not _only_filters(parts.query):
        return None
    if "@" in parts.netloc or _origin(parts) != origin:
        return None
    path = parts.path.removesuffix("/") or HUB
    return origin + path if _PATH.fullmatch(path) else None


def _only_filters(query: str) -> bool:
    names = {name for name, _ in parse_qsl(query, keep_blank_values=True)}
    return bool(names) and names <= FILTERS


def covers(resource: str, origin: str, path: str) -> bool:
    """Return whether a grant for `resource` is valid at `path` of this origin, which is its own
    path or one below it.
    """
    own = resource.removeprefix(origin)
    asked = path.rstrip("/")
    return resource.startswith(f"{origin}/") and (asked == own or asked.startswith(f"{own}/"))


def family_in(resource: str) -> str | None:
    """Return the family in a resource: `time` for `https://host/mcp/time`, None for `https://host/mcp`."""
    return resource.rpartition(f"{HUB}/")[2] if f"{HUB}/" in resource else None


def _split(text: str) -> SplitResult | None:
    if not text.isascii() or not text.isprintable() or any(character in text for character in " \\"):
        return None
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        return None
    return parts


def _host(parts: SplitResult) -> str:
    name = parts.hostname or ""
    return f"[{name}]" if ":" in name else name


def _is_plain_host(parts: SplitResult) -> bool:
    if parts.username is not None or parts.password is not None:
        return False
    return _host(parts) in LOOPBACK or _NAME.fullmatch(_host(parts)) is not None


def _origin(parts: SplitResult) -> str:
    port = parts.port
    usual = {"https": 443, "http": 80}.get(parts.scheme)
    return f"{parts.scheme}://{_host(parts)}" + ("" if port in (None, usual) else f":{port}")
