"""Small HTTP client for providers' servers, on the standard library.

It verifies TLS, and uses plain HTTP only on this machine. Its errors show nothing from request headers.
"""

import http.client
import ssl
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from typing import Protocol
from urllib.parse import urljoin, urlsplit

from msgspec import Struct

from almanac.families.calendar.providers.transport.addresses import AddressBook, is_loopback
from almanac.families.calendar.providers.transport.connection_pool import ConnectionPool, Origin
from almanac.families.calendar.providers.transport.deadlines import Deadline, exchange
from almanac.families.calendar.providers.transport.gates import Gate, Gates
from almanac.families.calendar.providers.transport.timed_sockets import (
    Limit,
    TimedSocket,
    TimedTls,
    connect,
    encrypt,
    in_time,
)
from almanac.kernel.blocking_call import remote_call
from almanac.kernel.errors import InvalidInput, Unavailable

MAX_BODY = 32 * 1024 * 1024
_REDIRECTS = {301, 302, 307, 308}
_LISTS = frozenset({"www-authenticate"})
"""Headers that may occur several times."""
_READS = frozenset({"GET", "PROPFIND", "REPORT", "OPTIONS"})
_MAX_HOPS = 4
_CHUNK = 64 * 1024
_EXPIRED = 10
"""OpenSSL's code for an expired certificate."""
_AT_ONCE = 6
HOST_AT_ONCE = 12
"""Most concurrent exchanges of all accounts with one server."""


class NoAnswer(Unavailable):
    """The provider sent no answer, or an unintelligible one."""


class Response(Struct, frozen=True):
    """HTTP response. Header names are in lower case; `url` is the final address after redirects."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    url: str


class Http(Protocol):
    def send(self, method: str, url: str, *, headers: Mapping[str, str] | None = None, body: bytes = b"") -> Response:
        """Return the response with any status. Raises Unavailable, with the provider's name, if there is none
        in time."""
        ...


class HttpClient:
    """HTTP client of one provider. It keeps connections for a while, and threads may share it.

    `provider` is the server's name in errors. `seconds` bounds each wait. Twice that, or the remaining time of the call
    if it is shorter, bounds the whole exchange: name lookup, connecting, sending, every part of the response, and
    redirects. `hosts` are the gates of all servers. With `redirects` false it follows none.
    """

    def __init__(
        self,
        provider: str,
        addresses: AddressBook,
        *,
        seconds: float = 10.0,
        max_body: int = MAX_BODY,
        tls: Callable[[], ssl.SSLContext] = ssl.create_default_context,
        hosts: Gates | None = None,
        redirects: bool = True,
    ) -> None:
        self._provider = provider
        self._redirects = redirects
        self._addresses = addresses
        self._seconds = seconds
        self._max_body = max_body
        self._make_tls = tls
        self._gate = Gate(_AT_ONCE)
        self._hosts = hosts or Gates(HOST_AT_ONCE)
        self._tls: ssl.SSLContext | None = None
        self._kept = ConnectionPool()

    def send(self, method: str, url: str, *, headers: Mapping[str, str] | None = None, body: bytes = b"") -> Response:
        """Send a request. Redirects of reading methods are followed within the same server.

        Raises InvalidInput for a URL that is not https, Forbidden for a forbidden address, and Unavailable for anything
        else that prevents a response.
        """
        deadline = exchange(2 * self._seconds)
        for _ in range(_MAX_HOPS):
            answer = self._once(method, url, headers or {}, body, deadline)
            location = answer.headers.get("location")
            if answer.status not in _REDIRECTS or location is None or method not in _READS or not self._redirects:
                return answer
            target = urljoin(url, location)
            if origin_of(target) != origin_of(url):
                raise Unavailable(
                    f"{self._provider} redirects to another server, {urlsplit(target).hostname}: not followed.",
                    "Connect the account with the address of that server.",
                )
            url = target
        raise Unavailable(f"{self._provider} redirects in a loop.", "Check the URL of the account.")

    def _once(self, method: str, url: str, headers: Mapping[str, str], body: bytes, deadline: Deadline) -> Response:
        origin = origin_of(url)
        try:
            with ExitStack() as gates:
                gates.enter_context(remote_call())
                gates.enter_context(self._gate.admit(self._provider, deadline.left()))
                gates.enter_context(self._hosts.of(f"{origin[1]}:{origin[2]}").admit(self._provider, deadline.left()))
                try:
                    return self._request(method, url, headers, body, Limit(deadline, self._seconds))
                except http.client.HTTPException as garbled:
                    raise ConnectionError from garbled
        except OSError as problem:
            raise self._unavailable(problem) from problem

    def _request(self, method: str, url: str, headers: Mapping[str, str], body: bytes, limit: Limit) -> Response:
        origin = origin_of(url)
        # A server may close an idle connection at the moment of its reuse. A read is then repeated on a new connection.
        # A write may have arrived, so it is never repeated and always gets a new connection.
        connection = self._kept.take(origin) if method in _READS else None
        if connection is not None and isinstance(connection.sock, TimedSocket | TimedTls):
            connection.sock.limit = limit
            with suppress(ConnectionError, http.client.HTTPException):
                return self._exchange(connection, origin, method, url, headers, body)
        return self._exchange(self._open(origin, limit), origin, method, url, headers, body)

    def _exchange(
        self,
        connection: http.client.HTTPConnection,
        origin: Origin,
        method: str,
        url: str,
        headers: Mapping[str, str],
        body: bytes,
    ) -> Response:
        parts = urlsplit(url)
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        try:
            connection.request(method, path, body or None, dict(headers))
            # Closing the connection does not close a response that ends with it and owns the socket.
            with connection.getresponse() as answer:
                content = self._read(answer)
        except BaseException:
            connection.close()
            raise
        if answer.will_close:
            connection.close()
        else:
            self._kept.keep(origin, connection)
        names = {name.lower() for name, _ in answer.getheaders()}
        held = {name: ", ".join(answer.headers.get_all(name, ())) for name in names & _LISTS}
        held |= {name: str(answer.headers[name]) for name in names - _LISTS}
        return Response(answer.status, held, content, url)

    def _read(self, answer: http.client.HTTPResponse) -> bytes:
        content = bytearray()
        while piece := answer.read1(_CHUNK):
            content += piece
            if len(content) > self._max_body:
                raise Unavailable(
                    f"{self._provider} answered with more than {self._max_body // (1024 * 1024)} MB.",
                    "Nothing was read. Split the calendar, or remove very large entries.",
                )
        if answer.length:
            raise http.client.IncompleteRead(bytes(content), answer.length)
        return bytes(content)

    def _open(self, origin: Origin, limit: Limit) -> http.client.HTTPConnection:
        scheme, host, port = origin
        addresses = in_time(lambda: self._addresses.addresses(host, port), limit.wait())
        connection = http.client.HTTPConnection(host, port)
        # The Host header omits the default port.
        connection.default_port = 443 if scheme == "https" else 80
        try:
            plain = _connect_any(addresses, port, limit)
            connection.sock = plain
            if scheme == "https":
                if self._tls is None:
                    self._tls = self._make_tls()
                connection.sock = encrypt(plain, self._tls, host, limit)
        except OSError:
            connection.close()
            raise
        return connection

    def close(self) -> None:
        """Close the idle connections."""
        self._kept.close()

    def _unavailable(self, problem: Exception) -> NoAnswer:
        if isinstance(problem, ssl.SSLError):
            return NoAnswer(
                f"{self._provider} cannot be spoken to safely: {_tls_problem(problem)}.",
                "Check the URL. For a server with a certificate of its own, connect the account again with --ca-file "
                "and the file (PEM) of that certificate, or of the authority that signed it.",
            )
        problem_text = "did not answer in time" if isinstance(problem, TimeoutError) else "cannot be reached"
        return NoAnswer(f"{self._provider} {problem_text}.", "Try again in a moment.")


def _connect_any(addresses: list[str], port: int, limit: Limit) -> TimedSocket:
    failed: OSError = OSError()
    for address in addresses[:4]:
        try:
            return connect(address, port, limit)
        except OSError as problem:
            failed = problem
    raise failed


def _tls_problem(problem: ssl.SSLError) -> str:
    if isinstance(problem, ssl.SSLCertVerificationError):
        if "hostname" in problem.verify_message.lower() or "ip address" in problem.verify_message.lower():
            return "its certificate is for another name"
        if problem.verify_code == _EXPIRED:
            return "its certificate has expired"
        return "it has no certificate that this machine trusts"
    return "it does not agree on TLS with this machine"


def origin_of(url: str) -> Origin:
    """Return scheme, host and port of a URL. Raises InvalidInput for a URL that is not https, or http to this
    machine."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise InvalidInput(f'"{url[:100]}" is not a URL.', "Write it like https://calendar.example.com/.") from None
    host = parts.hostname or ""
    if parts.username is not None or parts.password is not None:
        raise InvalidInput("A URL must not carry a password.", "Give user and password separately.")
    if not host or (parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(host))):
        raise InvalidInput(
            f"{parts.scheme or 'no scheme'}://{host[:100]} is not a safe address.",
            "Use an https URL; plain http is for servers on this machine only.",
            path="url",
        )
    return parts.scheme, host, port or (443 if parts.scheme == "https" else 80)
