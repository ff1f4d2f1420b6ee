"""Notification of an event loop about calls that ended on threads, with one wake-up for all since the last."""

import asyncio
from collections import deque
from concurrent.futures import Future
from contextlib import suppress
from typing import Any


class Completions:
    """Completions for one event loop."""

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
        """Note that a call ended. Any thread may call this."""
        self._ended.append(waiter)
        if not self._is_scheduled:
            self._is_scheduled = True
            # A closed loop no longer waits for calls.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(self._resolve_all)

    def _resolve_all(self) -> None:
        # Reset this first: a call that ends from now on is either resolved below or schedules this function again.
        self._is_scheduled = False
        while self._ended:
            _resolve(self._ended.popleft(), True)


def _resolve(waiter: "asyncio.Future[bool]", ended: bool) -> None:
    if not waiter.done():
        waiter.set_result(ended)
