"""Stream that notifies open pages of changes in their project: server-sent events at /ui/live, for signed-in browsers.

A message says only that something changed. The page then requests itself again, with its entity tag.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from almanac.gateway.dashboard.door import Answer, DashboardDoor, PageListener
from almanac.gateway.feed.admission import FeedLimits, NoPlace
from almanac.gateway.http.event import answer_event
from almanac.gateway.http.responses import bad_request, too_busy
from almanac.kernel.owners import visible_event_kinds
from almanac.local.feed.connection_slots import FeedSlots
from almanac.local.feed.watch import Watch, Watches
from almanac.local.http.asgi import Receive, Scope, Send
from almanac.local.http.exchange import doubtful, send_answer, send_last, to_event

CHECK_SECONDS = 5.0
"""Time in seconds within which a stream stops after its session has ended."""
PAUSE_SECONDS = 0.3
"""Shortest pause between two messages, in seconds. Changes within it share a message."""
OF_SESSION = 4
"""Maximum number of streams of one session. Browsers open six connections to a server, so two are left for other
requests."""
_HEARTBEATS_EVERY = 3
_HEADERS = ((b"content-type", b"text/event-stream"), (b"cache-control", b"no-store"), (b"x-accel-buffering", b"no"))


class LivePages:
    """ASGI application for the path of the stream. `judging` runs checks of sessions off the event loop."""

    def __init__(
        self,
        watches: Watches,
        door: DashboardDoor,
        *,
        judging: Callable[[Callable[[], Any]], Awaitable[Any]] = asyncio.to_thread,
        limits: FeedLimits | None = None,
    ) -> None:
        self._watches = watches
        self._door = door
        self._judging = judging
        self._places = FeedSlots(limits or FeedLimits())
        self._of_session: Counter[str] = Counter()
        self._listening: set[asyncio.Task[Any]] = set()

    def end(self) -> None:
        """End all streams, because the server stops."""
        for each in self._listening:
            each.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if doubt := doubtful(scope, dict(scope["headers"])):
            await send_last(send, bad_request(doubt))
            return
        event = to_event(scope)
        try:
            found: Answer | PageListener = await self._judging(lambda: self._door.admit_listener(event))
        except TimeoutError:
            await send_last(send, too_busy(own=False))
            return
        if not isinstance(found, PageListener):
            await send_answer(send, found)
            return
        try:
            with self._places.of(found.caller):
                await self._listen(found, event, receive, send)
        except NoPlace:
            await send_answer(send, answer_event(too_busy(own=True), is_rest=False))

    async def _listen(self, found: PageListener, event: Answer, receive: Receive, send: Send) -> None:
        """Serve one stream. Raises NoPlace if the session already has the maximum number of streams."""
        session = found.session
        if self._of_session[session] >= OF_SESSION:
            raise NoPlace("this session")
        self._of_session[session] += 1
        try:
            async with self._watches.of(found.caller.scope) as watch:
                telling = asyncio.create_task(self._tell(found, event, watch, send))
                leaving = asyncio.create_task(_wait_for_disconnect(receive))
                self._listening.add(telling)
                try:
                    await asyncio.wait((telling, leaving), return_when=asyncio.FIRST_COMPLETED)
                finally:
                    self._listening.discard(telling)
                    telling.cancel()
                    leaving.cancel()
                    with suppress(asyncio.CancelledError, OSError):
                        await telling
            await send({"type": "http.response.body", "body": b""})
        finally:
            self._of_session[session] -= 1
            if not self._of_session[session]:
                del self._of_session[session]

    async def _tell(self, found: PageListener, event: Answer, watch: Watch, send: Send) -> None:
        """Send messages until the session ends."""
        # Start with the next change, because a page requests itself as soon as its stream is open.
        position, quiet = watch.head, 0
        await send({"type": "http.response.start", "status": 200, "headers": list(_HEADERS)})
        await send({"type": "http.response.body", "body": b"retry: 2000\n\n", "more_body": True})
        heard = visible_event_kinds(found.caller.families)
        while True:
            text = b""
            try:
                async with asyncio.timeout(CHECK_SECONDS):
                    await watch.beyond(position)
                # Missed entries may be of any kind, so they count as a change.
                entries = watch.recent(position)
                position = watch.head
                if entries is None or any(entry.event.kind in heard for entry in entries):
                    text = b"data: changed\n\n"
            except TimeoutError:
                quiet = (quiet + 1) % _HEARTBEATS_EVERY
                text = b": still here\n\n" if not quiet else b""
            if not isinstance(await self._judging(lambda: self._door.admit_listener(event)), PageListener):
                return
            if text:
                await send({"type": "http.response.body", "body": text, "more_body": True})
            await asyncio.sleep(PAUSE_SECONDS)


async def _wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
