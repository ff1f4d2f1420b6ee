"""Reading of request bodies, with limits on size and time, and on the memory that all bodies take together."""

import asyncio
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any

from almanac.local.http.asgi import Receive
from almanac.protocol.wire.http import MAX_BODY_BYTES

SMALL_BYTES = 64 * 1024
"""Size of a body that the connection buffers anyway before anything reads it."""

DRAINED_BYTES = 64 * 1024 * 1024
"""Bytes of a too large body that are read and dropped, so that the client gets to read the answer."""


class TooLarge(Exception):
    pass


class Gone(Exception):
    """The client disconnected before its request was complete."""


class NoRoom(Exception):
    """Other bodies take too much memory already: those of the same tenant if `own`, else all."""

    def __init__(self, *, own: bool) -> None:
        super().__init__(own)
        self.own = own


class Body:
    """Body of a request. A cancelled read continues where it stopped. `is_here` says that the whole body has already
    arrived."""

    def __init__(self, headers: Mapping[bytes, bytes], receive: Receive, *, is_here: bool = False) -> None:
        declared = headers.get(b"content-length", b"")
        self._declared = int(declared[:20]) if declared.isdigit() else None
        self._is_chunked = b"transfer-encoding" in headers
        self._receive = receive
        self._is_here = is_here
        self._kept = bytearray()
        self._size = 0
        self._is_whole = False

    @property
    def most_bytes(self) -> int:
        """Return the most bytes that the body may have."""
        if self._is_chunked:
            return MAX_BODY_BYTES
        return min(self._declared or 0, MAX_BODY_BYTES)

    async def arrives_within(self, seconds: float) -> bool:
        """Return whether the whole body arrives within `seconds`. Raises TooLarge and Gone."""
        if self._is_here:
            return True
        try:
            async with asyncio.timeout(seconds):
                await self.read()
        except TimeoutError:
            return False
        return True

    async def read(self) -> bytes:
        """Return the whole body. Raises TooLarge and Gone."""
        if self._declared is not None and self._declared > DRAINED_BYTES:
            raise TooLarge
        while not self._is_whole:
            self._take(await self._next())
        if self._size > MAX_BODY_BYTES:
            raise TooLarge
        return bytes(self._kept)

    async def drop(self, most: int, seconds: float) -> None:
        """Read up to `most` bytes of it and keep nothing, so that a client still sending gets to read its answer."""
        try:
            async with asyncio.timeout(seconds):
                while not self._is_whole and self._size <= most:
                    message = await self._next()
                    self._size += len(message.get("body", b""))
                    self._is_whole = not message.get("more_body", False)
        except (TimeoutError, Gone):
            return

    async def _next(self) -> Mapping[str, Any]:
        message = await self._receive()
        if message["type"] != "http.request":
            raise Gone
        return message

    def _take(self, message: Mapping[str, Any]) -> None:
        chunk: bytes = message.get("body", b"")
        self._size += len(chunk)
        if self._size <= MAX_BODY_BYTES:
            self._kept += chunk
        elif self._size > DRAINED_BYTES:
            raise TooLarge
        else:
            self._kept.clear()
        self._is_whole = not message.get("more_body", False)


_MOST_BODIES = 64
"""Most large bodies of one tenant at a time."""


class BodyRoom:
    """Limits on large bodies held in memory at a time: bytes in all, bytes per tenant, and bodies per tenant."""

    def __init__(self, *, total: int = 64 * 1024 * 1024, share: int = 16 * 1024 * 1024) -> None:
        self._total = total
        self._share = share
        self._kept = 0
        self._of: dict[str, tuple[int, int]] = {}

    @contextmanager
    def reserve(self, tenant: str, size: int) -> Generator[None]:
        """Reserve room for a body of `size` bytes until the end of the block. Raises NoRoom."""
        bodies, used = self._of.get(tenant, (0, 0))
        if bodies >= _MOST_BODIES or used + size > self._share:
            raise NoRoom(own=True)
        if self._kept + size > self._total:
            raise NoRoom(own=False)
        self._kept += size
        self._of[tenant] = (bodies + 1, used + size)
        try:
            yield
        finally:
            self._kept -= size
            bodies, used = self._of.pop(tenant)
            if bodies > 1:
                self._of[tenant] = (bodies - 1, used - size)
