"""News from threads for an event loop: of all that ended since it last looked it is woken once."""

import asyncio
from collections import deque
from concurrent.futures import Future
from contextlib import suppress
from typing import Any


class News:
    """For one event loop."""

    def __init__(self) -> None:
        self._ended: deque[asyncio.Future[bool]] = deque()
        self._is_coming = False

    async def of(self, call: Future[Any], seconds: float) -> bool:
        """Whether it ends within so many seconds; waits until it does."""
        if call.done():
            return True
        loop = asyncio.get_running_loop()
        heard: asyncio.Future[bool] = loop.create_future()
        late = loop.call_later(seconds, _tell, heard, False)
        call.add_done_callback(lambda _: self._end(loop, heard))
        try:
            return await heard
        finally:
            late.cancel()

    def _end(self, loop: asyncio.AbstractEventLoop, heard: "asyncio.Future[bool]") -> None:
        """On any thread."""
        self._ended.append(heard)
        if not self._is_coming:
            self._is_coming = True
            # A loop that is closed waits for nothing.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(self._tell_all)

    def _tell_all(self) -> None:
        # First this: what ends from now on either is told here or comes again.
        self._is_coming = False
        while self._ended:
            _tell(self._ended.popleft(), True)


def _tell(heard: "asyncio.Future[bool]", ended: bool) -> None:
    if not heard.done():
        heard.set_result(ended)
