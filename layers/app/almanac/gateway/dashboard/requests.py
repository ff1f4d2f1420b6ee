"""A browser's request, and the check of its origin."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlsplit

from almanac.gateway.http.event import read_event
from almanac.gateway.http.facts import Event, read_address
from almanac.identity.browser_sessions import cookie_name

MAX_FORM_BYTES = 64 * 1024
_MAX_FIELDS = 400
HOME = "/ui/"
_OWN = frozenset({"same-origin", "none"})


@dataclass(frozen=True, slots=True)
class Origins:
    """The origins at which the pages are served. `hosts` are written as browsers send them in Host, with the port
    unless it is the scheme's own. `is_secure` means https; cookies are then bound to the host by their name."""

    hosts: frozenset[str]
    is_secure: bool

    @property
    def cookie(self) -> str:
        """Return the name of the session cookie."""
        port = next((host.rpartition(":")[2] for host in sorted(self.hosts) if host[-1:].isdigit()), "")
        return cookie_name(secure=self.is_secure, port=port)

    def knows(self, host: str) -> bool:
        named = host.lower()
        return (named.removesuffix(":443") if self.is_secure else named) in self.hosts

    def is_own(self, origin: str) -> bool:
        scheme = "https" if self.is_secure else "http"
        return origin.startswith(f"{scheme}://") and self.knows(origin.removeprefix(f"{scheme}://"))


def local_origins(host: str, port: int) -> Origins:
    """Return the origins at which a browser on this machine reaches a server that listens on this host and port."""
    names = {"127.0.0.1", "localhost", "[::1]", f"[{host}]" if ":" in host else host}
    return Origins(frozenset(f"{name}:{port}".lower() for name in names), is_secure=False)


def public_origins(url: str) -> Origins:
    """Return the origins at which a browser reaches a server with this public URL, which has no path."""
    parts = urlsplit(url)
    return Origins(frozenset({parts.netloc}), is_secure=parts.scheme == "https")


@dataclass(frozen=True)
class UiRequest:
    """A browser's request. `path` is without the stage, header names are in lower case, and `origins` are those at
    which the browser reached the server."""

    method: str
    path: str
    headers: Mapping[str, str]
    query: Mapping[str, str]
    body: bytes = b""
    address: str = "unknown"
    cookies: Mapping[str, str] = field(default_factory=dict[str, str])
    origins: Origins = Origins(frozenset(), is_secure=False)

    @property
    def origin(self) -> str:
        """Return the origin at which the browser reached the pages, such as `http://127.0.0.1:8787`."""
        return f"{'https' if self.origins.is_secure else 'http'}://{self.headers.get('host', '')}"

    @cached_property
    def form(self) -> dict[str, str]:
        """Return the form's fields, the last of repeated ones. Empty if the body is no form or too large."""
        if len(self.body) > MAX_FORM_BYTES:
            return {}
        try:
            pairs = parse_qsl(
                self.body.decode(), keep_blank_values=True, max_num_fields=_MAX_FIELDS, strict_parsing=False
            )
        except ValueError:
            return {}
        return {name: value.replace("\r\n", "\n") for name, value in pairs}

    def may_change(self, origins: Iterable[Origins]) -> bool:
        """Return whether a page at one of our origins sent the request.

        That may be the public origin although a proxy names this machine. Pages without referrers send the origin
        "null", in which case the browser's Sec-Fetch-Site header decides. A request with neither is refused."""
        site, origin = self.headers.get("sec-fetch-site"), self.headers.get("origin")
        if site is not None and site not in _OWN:
            return False
        if origin in (None, "null"):
            return site is not None
        return any(one.is_own(origin or "") for one in origins)


def read_request(event: Event) -> UiRequest:
    """Read an event of API Gateway. Raises InvalidInput if the body is marked as base64 and is not."""
    incoming = read_event(event)
    headers = dict(incoming.request.headers)
    return UiRequest(
        method=incoming.request.method,
        path=incoming.path,
        headers=headers,
        query=incoming.request.query,
        body=incoming.request.body,
        address=read_address(event),
        cookies=_cookies(headers.get("cookie", "")),
    )


def _cookies(header: str) -> dict[str, str]:
    # Another server on this machine may have set a malformed cookie, which must not hide ours.
    found: dict[str, str] = {}
    for part in header[:8192].split(";"):
        try:
            found |= {name: morsel.value for name, morsel in SimpleCookie(part.strip()).items()}
        except CookieError:
            continue
    return found


def own_path(text: str) -> str:
    """Return `text` if it is a path of the dashboard, else the path of the first page."""
    try:
        parts = urlsplit(text)
    except ValueError:
        return HOME
    plain = text.startswith(HOME) and text.isprintable() and "\\" not in text and ".." not in text and "//" not in text
    return text if plain and not parts.scheme and not parts.netloc and len(text) <= 2000 else HOME
