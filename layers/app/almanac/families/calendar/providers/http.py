"""A small HTTP client for the servers of providers, over the standard library.

TLS is verified, and plain HTTP is only for this machine. Nothing that a caller sends in headers shows in an error.
"""

import http.client
import socket
import ssl
import time
import weakref
from collections.abc import Callable, Mapping
from contextlib import suppress
from threading import Lock
from typing import Protocol
from urllib.parse import urljoin, urlsplit

from msgspec import Struct

from almanac.families.calendar.providers.addresses import AddressBook, is_loopback
from almanac.kernel.errors import InvalidInput, Unavailable

MAX_BODY = 32 * 1024 * 1024
_REDIRECTS = {301, 302, 307, 308}
_READS = frozenset({"GET", "PROPFIND", "REPORT", "OPTIONS"})
_MAX_HOPS = 4
_MAX_IDLE = 4
_CHUNK = 64 * 1024

_Origin = tuple[str, str, int]
_Idle = tuple[_Origin, http.client.HTTPConnection]


class Response(Struct, frozen=True):
    """Header names are in lower case; `url` is where the answer came from, after redirects."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    url: str


class Http(Protocol):
    def send(self, method: str, url: str, *, headers: Mapping[str, str] | None = None, body: bytes = b"") -> Response:
        """The answer, whatever its status. Raises Unavailable, naming the provider, where there is none in time."""
        ...


class HttpClient:
    """`provider` is what errors call the server. `seconds` bounds connecting, and each wait for more of an answer;
    twice as long bounds the whole answer. Connections are kept for a while; threads may share a client."""

    def __init__(
        self,
        provider: str,
        addresses: AddressBook,
        *,
        seconds: float = 10.0,
        max_body: int = MAX_BODY,
        tls: Callable[[], ssl.SSLContext] = ssl.create_default_context,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._provider = provider
        self._addresses = addresses
        self._seconds = seconds
        self._max_body = max_body
        self._make_tls = tls
        self._monotonic = monotonic
        self._tls: ssl.SSLContext | None = None
        self._idle: list[_Idle] = []
        self._lock = Lock()
        # Who drops a client, e.g. because its account changed, need not know that it keeps connections.
        weakref.finalize(self, _close_all, self._idle)

    def send(self, method: str, url: str, *, headers: Mapping[str, str] | None = None, body: bytes = b"") -> Response:
        """Follows redirects of reading methods within the same server. Raises InvalidInput for a URL that is not
        https, Forbidden for an address out of reach, Unavailable for everything else that prevents an answer."""
        for _ in range(_MAX_HOPS):
            answer = self._once(method, url, headers or {}, body)
            location = answer.headers.get("location")
            if answer.status not in _REDIRECTS or location is None or method not in _READS:
                return answer
            target = urljoin(url, location)
            if origin_of(target) != origin_of(url):
                raise Unavailable(
                    f"{self._provider} sends to another server, {urlsplit(target).hostname}; that is not followed.",
                    "Connect the account with the address of that server.",
                )
            url = target
        raise Unavailable(f"{self._provider} redirects in a circle.", "Check the URL of the account.")

    def _once(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> Response:
        origin = origin_of(url)
        # A server may close a connection that is kept just as it is used again. To read is then repeated on a new one;
        # a write, which may have arrived, is not, and always gets a new one.
        kept = self._taken(origin) if method in _READS else None
        try:
            if kept is not None:
                with suppress(ConnectionError, http.client.HTTPException):
                    return self._exchanged(kept, origin, method, url, headers, body)
            return self._exchanged(self._opened(origin), origin, method, url, headers, body)
        except (OSError, http.client.HTTPException) as problem:
            raise self._unavailable(problem) from problem

    def _exchanged(
        self,
        connection: http.client.HTTPConnection,
        origin: _Origin,
        method: str,
        url: str,
        headers: Mapping[str, str],
        body: bytes,
    ) -> Response:
        parts = urlsplit(url)
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        deadline = self._monotonic() + 2 * self._seconds
        try:
            connection.request(method, path, body or None, dict(headers))
            answer = connection.getresponse()
            content = self._read(answer, deadline)
        except BaseException:
            connection.close()
            raise
        if answer.will_close:
            connection.close()
        else:
            self._keep(origin, connection)
        return Response(answer.status, {name.lower(): value for name, value in answer.getheaders()}, content, url)

    def _read(self, answer: http.client.HTTPResponse, deadline: float) -> bytes:
        content = bytearray()
        while piece := answer.read1(_CHUNK):
            content += piece
            if len(content) > self._max_body:
                raise Unavailable(
                    f"{self._provider} answered with more than {self._max_body // (1024 * 1024)} MB.",
                    "Nothing was read. Split the calendar, or remove very large entries.",
                )
            if self._monotonic() > deadline:
                raise TimeoutError
        if answer.length:
            raise http.client.IncompleteRead(bytes(content), answer.length)
        answer.close()  # the connection is free for the next request
        return bytes(content)

    def _opened(self, origin: _Origin) -> http.client.HTTPConnection:
        scheme, host, port = origin
        addresses = self._addresses.addresses(host, port)
        connection = http.client.HTTPConnection(host, port, timeout=self._seconds)
        # What the Host header leaves out.
        connection.default_port = 443 if scheme == "https" else 80
        try:
            connection.sock = self._socket(addresses, port)
            if scheme == "https":
                if self._tls is None:
                    self._tls = self._make_tls()
                connection.sock = self._tls.wrap_socket(connection.sock, server_hostname=host)
        except OSError as problem:
            connection.close()
            raise self._unavailable(problem) from problem
        return connection

    def _socket(self, addresses: list[str], port: int) -> socket.socket:
        failed: OSError = OSError()
        for address in addresses[:4]:
            try:
                return socket.create_connection((address, port), timeout=self._seconds)
            except OSError as problem:
                failed = problem
        raise failed

    def _taken(self, origin: _Origin) -> http.client.HTTPConnection | None:
        with self._lock:
            place = next((at for at, (known, _) in enumerate(self._idle) if known == origin), None)
            if place is None:
                return None
            _, connection = self._idle.pop(place)
        # A connection that can be read from while nothing was asked has been closed at the other end.
        if connection.sock is not None and not _readable(connection.sock):
            return connection
        connection.close()
        return None

    def _keep(self, origin: _Origin, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            self._idle.append((origin, connection))
            dropped = self._idle.pop(0)[1] if len(self._idle) > _MAX_IDLE else None
        if dropped is not None:
            dropped.close()

    def close(self) -> None:
        """Closes the connections that are kept."""
        with self._lock:
            _close_all(self._idle)

    def _unavailable(self, problem: Exception) -> Unavailable:
        if isinstance(problem, ssl.SSLError):
            return Unavailable(
                f"{self._provider} has no certificate that this machine trusts.",
                "Check the URL; a server of your own needs a certificate of a known authority.",
            )
        said = "did not answer in time" if isinstance(problem, TimeoutError) else "cannot be reached"
        return Unavailable(f"{self._provider} {said}.", "Try again in a moment.")


def _close_all(idle: list[_Idle]) -> None:
    while idle:
        idle.pop()[1].close()


def origin_of(url: str) -> _Origin:
    """Scheme, host and port of a URL. Raises InvalidInput for what is not https, or http to this machine."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise InvalidInput(f'"{url[:100]}" is no URL.', "Write it like https://calendar.example.com/.") from None
    host = parts.hostname or ""
    if parts.username is not None or parts.password is not None:
        raise InvalidInput("A URL must not carry a password.", "Give user and password separately.")
    if not host or (parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(host))):
        raise InvalidInput(
            f"{parts.scheme or 'no scheme'}://{host[:100]} is not reached safely.",
            "Use an https URL; plain http is for servers on this machine only.",
            path="url",
        )
    return parts.scheme, host, port or (443 if parts.scheme == "https" else 80)


def _readable(sock: socket.socket) -> bool:
    previous = sock.gettimeout()
    try:
        sock.settimeout(0)
        if isinstance(sock, ssl.SSLSocket):
            return sock.pending() > 0 or _has_data(sock)
        return _has_data(sock)
    finally:
        sock.settimeout(previous)


def _has_data(sock: socket.socket) -> bool:
    import select  # noqa: PLC0415 - only for connections that were kept

    return bool(select.select([sock], [], [], 0)[0])
