"""Limit on open connections, below the number of file descriptors. Idle connections make room for new ones."""

import sys
from collections import OrderedDict
from typing import Protocol

import uvicorn

RESERVED = 256
"""Descriptors for all other purposes: three for each thread for the store, and some for providers and the program."""

MOST = 4096


class Connection(Protocol):
    def hang_up(self) -> None:
        """Close the connection at once."""
        ...


class Connections:
    """At most `most` open connections.

    A new connection takes the place of the one that has been idle longest. Connections without any answered request go
    first. If all are at work, the new connection is turned away."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._new: OrderedDict[Connection, None] = OrderedDict()
        self._idle: OrderedDict[Connection, None] = OrderedDict()
        self._working: set[Connection] = set()

    def __len__(self) -> int:
        return len(self._new) + len(self._idle) + len(self._working)

    def open(self, connection: Connection) -> bool:
        """Count a new connection. Return False if there is no room for it."""
        if len(self) >= self.most:
            waiting = self._new or self._idle
            if not waiting:
                return False
            oldest, _ = waiting.popitem(last=False)
            oldest.hang_up()
        self._new[connection] = None
        return True

    def work(self, connection: Connection) -> None:
        """Note that the connection has a request, or is a listener, and must stay open."""
        self.close(connection)
        self._working.add(connection)

    def rest(self, connection: Connection) -> None:
        """Note that the connection's request was answered."""
        if connection in self._working:
            self._working.discard(connection)
            self._idle[connection] = None

    def close(self, connection: Connection) -> None:
        self._new.pop(connection, None)
        self._idle.pop(connection, None)
        self._working.discard(connection)


class CountingConfig(uvicorn.Config):
    """Configuration that uvicorn hands to the protocol of each connection."""

    connections_here: Connections


def most_connections() -> int:
    """Return the process's limit of open files less the reserved ones, at most 4096."""
    if sys.platform == "win32":
        return MOST
    import resource  # noqa: PLC0415 - POSIX has it

    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return MOST
    return min(MOST, max(files - RESERVED, files // 4))
