"""Sockets with one deadline for all of their waits, so that a server that sends a byte a second gains nothing.

A time-out of the standard library bounds each wait separately, so the status line, headers and trailers may take any
time.
"""

import socket
import ssl
from collections.abc import Callable
from ipaddress import ip_address
from queue import Empty, SimpleQueue
from threading import BoundedSemaphore, Thread
from typing import TYPE_CHECKING, TypeVar, cast

from almanac.families.calendar.providers.transport.deadlines import Deadline

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

_LOOKUPS = 32
_T = TypeVar("_T")


class Limit:
    """Deadline of all waits, and the longest single wait."""

    def __init__(self, deadline: Deadline, seconds: float) -> None:
        self._deadline = deadline
        self._seconds = seconds

    def wait(self) -> float:
        """Return the seconds for the next wait. Raises TimeoutError if no time is left."""
        return min(self._deadline.left(), self._seconds)


class TimedSocket(socket.socket):
    limit: Limit | None = None

    def recv_into(self, buffer: "WriteableBuffer", nbytes: int = 0, flags: int = 0) -> int:
        _apply(self, self.limit)
        return super().recv_into(buffer, nbytes, flags)

    def sendall(self, data: "ReadableBuffer", flags: int = 0) -> None:
        # The system's sendall applies its time-out to all of the data.
        _apply(self, self.limit)
        super().sendall(data, flags)


class TimedTls(ssl.SSLSocket):
    limit: Limit | None = None

    def recv_into(self, buffer: "WriteableBuffer", nbytes: int | None = None, flags: int = 0) -> int:
        _apply(self, self.limit)
        return super().recv_into(buffer, nbytes, flags)

    def send(self, data: "ReadableBuffer", flags: int = 0) -> int:
        _apply(self, self.limit)
        return super().send(data, flags)


def connect(address: str, port: int, limit: Limit) -> TimedSocket:
    """Connect to a numeric address. Raises OSError, including TimeoutError."""
    family = socket.AF_INET6 if ip_address(address).version == 6 else socket.AF_INET
    timed = TimedSocket(family, socket.SOCK_STREAM)
    try:
        timed.limit = limit
        timed.settimeout(limit.wait())
        timed.connect((address, port))
    except BaseException:
        timed.close()
        raise
    return timed


def encrypt(plain: TimedSocket, context: ssl.SSLContext, host: str, limit: Limit) -> TimedTls:
    """Return a TLS socket after the handshake, in which the socket's time-out bounds all waits."""
    context.sslsocket_class = TimedTls
    plain.settimeout(limit.wait())
    timed = cast(TimedTls, context.wrap_socket(plain, server_hostname=host))
    timed.limit = limit
    return timed


def in_time(look_up: Callable[[], _T], seconds: float) -> _T:
    """Return the result of a lookup. A lookup cannot be interrupted, so it runs in another thread and is abandoned if
    it takes longer.

    Raises TimeoutError then, and if too many other lookups are still running.
    """
    answers: SimpleQueue[tuple[_T | None, BaseException | None]] = SimpleQueue()

    def run() -> None:
        try:
            answers.put((look_up(), None))
        except BaseException as problem:  # noqa: BLE001 - raised again where it is waited for
            answers.put((None, problem))
        finally:
            _looking_up.release()

    if not _looking_up.acquire(blocking=False):
        raise TimeoutError
    Thread(target=run, daemon=True).start()
    try:
        found, problem = answers.get(timeout=seconds)
    except Empty:
        raise TimeoutError from None
    if problem is not None:
        raise problem
    return cast(_T, found)


def _apply(sock: socket.socket, limit: Limit | None) -> None:
    if limit is not None:
        sock.settimeout(limit.wait())


_looking_up = BoundedSemaphore(_LOOKUPS)
