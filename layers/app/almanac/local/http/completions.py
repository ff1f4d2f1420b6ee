"""Completions of calls on threads, for an event loop: one wake-up for all that ended since it last looked."""

import asyncio
from collections import deque
from concurrent.futures import Future
from contextlib import suppress
from typing import Any


class Completions:
    """For one event loop."""

    def __init__(self) -> None:
        self._ended: deque[asyncio.Future[bool]] = deque()
        self._is_scheduled = False

    async def ends_within(self, call: Future[Any], seconds: float) -> bool:
        """Wait for `call`, and return whether it ends within `seconds`."""
        if call.done():
            return True
        loop = asyncio.get_running_loop()
        waiter: asyncio.Future[bool] = loop.create_future()
        late = loop.call_later(seconds, _resolve, waiter, False)
        call.add_done_callback(lambda _: self._end(loop, waiter))
        try:
            return await waiter
        finally:
            late.cancel()

    def _end(self, loop: asyncio.AbstractEventLoop, waiter: "asyncio.Future[bool]") -> None:
        """On any thread."""
        self._ended.append(waiter)
        if not self._is_scheduled:
            self._is_scheduled = True
            # A loop that is closed waits for nothing.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(self._resolve_all)

    def _resolve_all(self) -> None:
        # First this: what ends from now on is either resolved here or schedules this again.
        self._is_scheduled = False
        while self._ended:
            _resolve(self._ended.popleft(), True)


def _resolve(waiter: "asyncio.Future[bool]", ended: bool) -> None:
    if not waiter.done():
        waiter.set_result(ended)
