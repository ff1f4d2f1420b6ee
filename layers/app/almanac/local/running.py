"""uvicorn around the HTTP server: a bound socket, patience with slow clients, a stop that lets running calls finish."""

import asyncio
import errno
import os
import signal
import socket
from collections.abc import Callable
from types import FrameType
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from almanac.kernel.errors import InvalidInput
from almanac.local.feed_socket import PatientSocket
from almanac.local.front import Front

MAX_SOCKET_FRAME = 64 * 1024
HEADER_SECONDS = 20.0
KEEP_ALIVE_SECONDS = 75

_MEANINGS = {
    errno.EADDRINUSE: ("is in use", "Stop the program that listens there, or choose another port with --port."),
    errno.EACCES: ("may not be used", "Choose a port from 1024 up with --port."),
    errno.EADDRNOTAVAIL: ("is not an address of this machine", "Choose another one with --host."),
}


def bind(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes a free one. Raises InvalidInput where that cannot be."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        return _listen(family, address)
    except socket.gaierror as unknown:
        raise InvalidInput(f"There is no host {host}.", "Choose another one with --host.") from unknown
    except OSError as problem:
        said, hint = _MEANINGS.get(problem.errno or 0, (f"cannot be used: {problem.strerror}", "Choose another port."))
        raise InvalidInput(f"Port {port} on {host} {said}.", hint) from problem


def _listen(family: socket.AddressFamily, address: Any) -> socket.socket:
    # The protocol is named because asyncio switches Nagle's algorithm off only where it is: otherwise each answer,
    # whose head and body are written one after the other, would wait 40 ms for the client's delayed acknowledgement.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(512)
    except OSError:
        listener.close()
        raise
    return listener


def run(server: Front, listener: socket.socket, ready: Callable[[], None], stop_seconds: int) -> bool:
    """Serve until SIGINT or SIGTERM, after `ready` was called. False where calls still run `stop_seconds` later."""
    config = uvicorn.Config(
        server,  # type: ignore[arg-type]
        http=PatientProtocol,
        ws=PatientSocket,
        ws_max_size=MAX_SOCKET_FRAME,
        ws_per_message_deflate=False,
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=stop_seconds,
    )
    _Serving(config, ready).run(sockets=[listener])
    return not server.is_busy


class _Serving(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002 - uvicorn's signature
        # uvicorn would raise the signal again at the end, and a stop that was asked for would look like a crash.
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit = True


class PatientProtocol(H11Protocol):
    """HTTP/1.1 whose requests must have their headers complete within 20 s; uvicorn alone would wait for ever."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._await_headers()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.transport.get_protocol() is not self:
            return
        if self._answering():
            self._stop_waiting()
        elif self._deadline is None:
            self._await_headers()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        # From here on the connection is the socket's: what was waited for has come.
        self._stop_waiting()
        super().handle_websocket_upgrade(event)

    def _answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete  # type: ignore[redundant-expr]

    def _await_headers(self) -> None:
        self._deadline = self.loop.call_later(HEADER_SECONDS, self._hang_up)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _hang_up(self) -> None:
        self._deadline = None
        if not self._answering() and not self.transport.is_closing():
            self.transport.close()
