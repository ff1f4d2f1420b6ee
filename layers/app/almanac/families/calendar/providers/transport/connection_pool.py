"""Pool of idle connections to servers."""

import http.client
import select
import socket
import ssl
import weakref
from threading import Lock

Origin = tuple[str, str, int]
"""Scheme, host and port."""
_Idle = tuple[Origin, http.client.HTTPConnection]
_MAX_IDLE = 4


class ConnectionPool:
    """At most four idle connections to any servers. Threads may share it; garbage collection closes its connections."""

    def __init__(self) -> None:
        self._idle: list[_Idle] = []
        self._lock = Lock()
        # A caller that drops a client, because its account changed for example, need not know that it has connections.
        weakref.finalize(self, _close_all, self._idle)

    def take(self, origin: Origin) -> http.client.HTTPConnection | None:
        """Remove and return a usable connection."""
        with self._lock:
            place = next((at for at, (known, _) in enumerate(self._idle) if known == origin), None)
            if place is None:
                return None
            _, connection = self._idle.pop(place)
        # A connection with data to read before any request was closed at the other end.
        if connection.sock is not None and not _readable(connection.sock):
            return connection
        connection.close()
        return None

    def keep(self, origin: Origin, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            self._idle.append((origin, connection))
            dropped = self._idle.pop(0)[1] if len(self._idle) > _MAX_IDLE else None
        if dropped is not None:
            dropped.close()

    def close(self) -> None:
        with self._lock:
            _close_all(self._idle)


def _close_all(idle: list[_Idle]) -> None:
    while idle:
        idle.pop()[1].close()


def _readable(sock: socket.socket) -> bool:
    if isinstance(sock, ssl.SSLSocket) and sock.pending() > 0:
        return True
    # select() supports only the first 1,024 file descriptors of a process.
    waiting = select.poll()
    waiting.register(sock, select.POLLIN)
    return bool(waiting.poll(0))
