"""Runs the HTTP server by uvicorn, with a limit on connections and a stop that lets running calls finish."""

import errno
import logging
import os
import signal
import socket
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import uvicorn

from almanac.gateway.observability.log_bound import LogBound
from almanac.kernel.errors import InvalidInput
from almanac.local.feed.socket import PatientSocket
from almanac.local.http.connections import Connections, CountingConfig
from almanac.local.http.patient_protocol import PatientProtocol
from almanac.local.start.app import AsgiApp

MAX_SOCKET_FRAME = 64 * 1024
KEEP_ALIVE_SECONDS = 75
_BACKLOG = 512
_ACCEPTED_AT_ONCE = 32

_MEANINGS = {
    errno.EADDRINUSE: ("is in use", "Stop the program that listens there, or choose another port with --port."),
    errno.EACCES: ("may not be used", "Choose a port from 1024 up with --port."),
    errno.EADDRNOTAVAIL: ("is not an address of this machine", "Choose another one with --host."),
}


def bind(host: str, port: int) -> socket.socket:
    """Return a listening socket. Port 0 takes a free port. Raises InvalidInput if the address cannot be used."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        return _listen(family, address)
    except socket.gaierror as unknown:
        raise InvalidInput(f"There is no host {host}.", "Choose another one with --host.") from unknown
    except OSError as problem:
        other = (f"cannot be used: {problem.strerror}", "Choose another port.")
        what, hint = _MEANINGS.get(problem.errno or 0, other)
        raise InvalidInput(f"Port {port} on {host} {what}.", hint) from problem


def _listen(family: socket.AddressFamily, address: Any) -> socket.socket:
    # The protocol is named because asyncio switches Nagle's algorithm off only where it is: otherwise each answer,
    # whose head and body are written one after the other, would wait 40 ms for the client's delayed acknowledgement.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(_BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener


class ServerConfig(CountingConfig):
    """uvicorn's settings for `server`, whose connections are counted in `connections`."""

    def __init__(self, server: Any, connections: Connections, stop_seconds: int | None = None) -> None:
        super().__init__(
            server,
            http=PatientProtocol,
            ws=PatientSocket,
            ws_max_size=MAX_SOCKET_FRAME,
            ws_per_message_deflate=False,
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            # Any program on this machine could claim any address in X-Forwarded-For.
            proxy_headers=False,
            # uvicorn accepts this many before it handles any of them, which must not use up the reserved descriptors.
            backlog=_ACCEPTED_AT_ONCE,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=stop_seconds,
        )
        self.connections_here = connections


def run(
    server: AsgiApp, listener: socket.socket, ready: Callable[[], None], stop_seconds: int, connections: Connections
) -> bool:
    """Call `ready` and serve until SIGINT or SIGTERM. Return False if calls still run `stop_seconds` later."""
    with _quiet_logs():
        _Server(ServerConfig(server, connections, stop_seconds), ready, server.end_streams).run(sockets=[listener])
    return not server.is_busy


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ready: Callable[[], None], end_streams: Callable[[], None]) -> None:
        super().__init__(config)
        self._end_streams = end_streams
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(_BACKLOG)
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._end_streams()
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002 - uvicorn's signature
        # uvicorn would raise the signal again at the end, and a requested stop would look like a crash.
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit = True


_LOGGERS = ("asyncio", "uvicorn.error", "websockets")


class _BoundedRecords(logging.Filter):
    """Passes a limited number of records in each window of time, and adds how many it dropped."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._bound = LogBound(now)

    def filter(self, record: logging.LogRecord) -> bool:
        left_out = self._bound.take()
        if left_out is None:
            return False
        if left_out:
            record.msg = f"{record.getMessage()} ({left_out} others were left out before)"
            record.args = None
        return True


@contextmanager
def _quiet_logs() -> Generator[None]:
    """Limit uvicorn's log records until the end of the block."""
    filters = [(logging.getLogger(name), _BoundedRecords()) for name in _LOGGERS]
    for logger, bounded in filters:
        logger.addFilter(bounded)
    try:
        yield
    finally:
        for logger, bounded in filters:
            logger.removeFilter(bounded)
