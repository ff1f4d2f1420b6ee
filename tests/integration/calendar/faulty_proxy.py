"""A proxy on loopback that fails on demand before, while and after it passes a request on."""

import socket
import threading
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct

WRITES = frozenset({"PUT", "POST", "PATCH", "DELETE"})
_HOP_BY_HOP = frozenset({"connection", "keep-alive", "transfer-encoding", "content-length"})
_SECONDS = 60


class Exchange:
    """One request on its way. A fault that does not answer it closes the connection."""

    def __init__(self, handler: "_Handler", body: bytes) -> None:
        self._handler = handler
        self._body = body
        self.is_whole = False

    def pass_on(self) -> bytes:
        """The whole answer of the server behind."""
        headers = {name: value for name, value in self._handler.headers.items() if name.lower() not in _HOP_BY_HOP}
        with closing(HTTPConnection(self._handler.behind, timeout=_SECONDS)) as connection:
            connection.request(self._handler.command, self._handler.path, self._body or None, headers)
            answer = connection.getresponse()
            content = answer.read()
        lines = [f"HTTP/1.1 {answer.status} {answer.reason}"]
        lines += [f"{name}: {value}" for name, value in answer.getheaders() if name.lower() not in _HOP_BY_HOP]
        return "\r\n".join([*lines, f"Content-Length: {len(content)}", "", ""]).encode() + content

    def answer(self, content: bytes, *, is_whole: bool = False) -> None:
        """Send an answer. If it is not `is_whole`, the connection is of no use afterwards."""
        self.is_whole = is_whole
        self._handler.wfile.write(content)

    def await_disconnect(self) -> None:
        """Wait until the client has closed the connection."""
        self._handler.connection.settimeout(_SECONDS)
        with suppress(OSError):
            self._handler.connection.recv(1)


Fault = Callable[[Exchange], None]


def cut_before(exchange: Exchange) -> None:
    """The request does not arrive."""


def cut_in_head(exchange: Exchange) -> None:
    """The request arrives, and the answer ends in its first line."""
    exchange.answer(exchange.pass_on()[:10])


def cut_in_headers(exchange: Exchange) -> None:
    """The request arrives, and the answer ends after its first line."""
    head, _, _ = exchange.pass_on().partition(b"\r\n")
    exchange.answer(head + b"\r\nServer: x\r\n")


def cut_half_way(exchange: Exchange) -> None:
    """The request arrives, and half of the answer comes."""
    whole = exchange.pass_on()
    exchange.answer(whole[: len(whole) // 2])


def silent(exchange: Exchange) -> None:
    """The request arrives, and no answer comes."""
    exchange.pass_on()
    exchange.await_disconnect()


def unheard(exchange: Exchange) -> None:
    """Neither the request arrives nor an answer comes."""
    exchange.await_disconnect()


def fail_afterwards(status: int) -> Fault:
    """The request is carried out, and answered as if it had failed."""

    def fault(exchange: Exchange) -> None:
        exchange.pass_on()
        exchange.answer(b"HTTP/1.1 %d Failed\r\nContent-Length: 0\r\n\r\n" % status)

    return fault


def refuse_with(status: int) -> Fault:
    """The request is not carried out, and says so."""
    return lambda exchange: exchange.answer(b"HTTP/1.1 %d Failed\r\nContent-Length: 0\r\n\r\n" % status)


def slow(before: Callable[[], None] | None = None, after: Callable[[], None] | None = None) -> Fault:
    """Things happen before the request arrives, or before its answer does."""

    def fault(exchange: Exchange) -> None:
        if before is not None:
            before()
        answer = exchange.pass_on()
        if after is not None:
            after()
        exchange.answer(answer, is_whole=True)

    return fault


class Late:
    """A request that has not arrived when its client gives up; it does when it is let through."""

    def __init__(self) -> None:
        self._held = threading.Event()
        self._open = threading.Event()
        self._through = threading.Event()

    def __call__(self, exchange: Exchange) -> None:
        self._held.set()
        assert self._open.wait(_SECONDS)
        exchange.pass_on()
        self._through.set()

    def await_held(self) -> None:
        assert self._held.wait(_SECONDS)

    def let_through(self) -> None:
        """Returns once it has arrived."""
        self._open.set()
        assert self._through.wait(_SECONDS)


class _PlannedFault(Struct):
    fault: Fault
    methods: frozenset[str] | None
    left: int


class FaultyProxy:
    """Passes requests on to `behind`, a host and port, except where a fault is planned for them."""

    def __init__(self, behind: str) -> None:
        self.behind = behind
        self.url = ""
        self._planned: list[_PlannedFault] = []
        self._lock = threading.Lock()

    def plan(self, fault: Fault, methods: frozenset[str] | None = WRITES, *, times: int = 1) -> None:
        """Plan a fault for the next requests of these methods, or of any for None. Planned faults happen in order."""
        with self._lock:
            self._planned.append(_PlannedFault(fault, methods, times))

    def heal(self) -> None:
        """Cancel all planned faults."""
        with self._lock:
            self._planned.clear()

    def fault_of(self, method: str) -> Fault:
        with self._lock:
            for planned in self._planned:
                if planned.left and (planned.methods is None or method in planned.methods):
                    planned.left -= 1
                    return planned.fault
        return slow()


@contextmanager
def faulty(url: str) -> Generator[FaultyProxy]:
    """A proxy before the server at `url`; the same paths at its own address."""
    proxy = FaultyProxy(urlsplit(url).netloc)

    class Handler(_Handler):
        planned = proxy
        behind = proxy.behind

    server = _Server(("127.0.0.1", 0), Handler)
    proxy.url = f"http://127.0.0.1:{server.server_port}{urlsplit(url).path}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield proxy
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients are killed, and their connections with them."""


class _Handler(BaseHTTPRequestHandler):
    planned: FaultyProxy
    behind: str
    protocol_version = "HTTP/1.1"
    timeout = _SECONDS
    disable_nagle_algorithm = True

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        exchange = Exchange(self, body)
        # Clients leave.
        with suppress(OSError, HTTPException):
            self.planned.fault_of(self.command)(exchange)
        if not exchange.is_whole:
            self.close_connection = True
            with suppress(OSError):
                self.connection.shutdown(socket.SHUT_RDWR)

    do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = do_PROPFIND = do_REPORT = do_OPTIONS = _serve  # noqa: N815

    def log_message(self, format: str, *args: Any) -> None:
        pass
