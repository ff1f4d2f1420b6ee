"""The bound on open connections: fewer than there are file descriptors; idle ones make room for new ones."""

import sys
from collections import OrderedDict
from typing import Protocol

import uvicorn

RESERVED = 256
"""Descriptors for everything else: three a thread for the store, providers, the program itself."""

MOST = 4096


class Connection(Protocol):
    def hang_up(self) -> None:
        """Closes it at once."""
        ...


class Connections:
    """At most `most`. A newcomer takes the place of the one that has waited longest without a request, first of those
    that never had one answered. Where all are at work, it is turned away."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._new: OrderedDict[Connection, None] = OrderedDict()
        self._idle: OrderedDict[Connection, None] = OrderedDict()
        self._working: set[Connection] = set()

    def __len__(self) -> int:
        return len(self._new) + len(self._idle) + len(self._working)

    def open(self, connection: Connection) -> bool:
        """False where there is no room for it."""
        if len(self) >= self.most:
            waiting = self._new or self._idle
            if not waiting:
                return False
            oldest, _ = waiting.popitem(last=False)
            oldest.hang_up()
        self._new[connection] = None
        return True

    def work(self, connection: Connection) -> None:
        """It has a request, or is a listener: keep it open."""
        self.close(connection)
        self._working.add(connection)

    def rest(self, connection: Connection) -> None:
        """Its request was answered."""
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
    """As many as this process may have files open, less what it needs besides; 4096 at most."""
    if sys.platform == "win32":
        return MOST
    import resource  # noqa: PLC0415 - POSIX has it

    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return MOST
    return min(MOST, max(files - RESERVED, files // 4))
