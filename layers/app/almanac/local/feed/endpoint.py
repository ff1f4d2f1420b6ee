"""WebSocket endpoint of the live feed on the laptop, at the path /feed of the same server.

A listener that reads too slowly is disconnected, with the cursor of the last event that it got. Its buffer is bounded,
and it does not delay other listeners.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, NoReturn

from almanac.gateway.feed.admission import (
    FEED,
    FeedLimits,
    NoPlace,
    admit,
    admit_by_frame,
    close_code,
    has_key,
    no_place_frame,
)
from almanac.identity.access.authorize import Directory
from almanac.identity.access.gatekeeper import Gatekeeper
from almanac.identity.access.refusals import Refusal
from almanac.kernel.caller import Caller
from almanac.kernel.clock import Clock
from almanac.kernel.errors import InvalidInput
from almanac.kernel.instants import now_ms
from almanac.local.feed.connection_slots import FeedSlots
from almanac.local.feed.watch import Watch, WatchEntry, Watches
from almanac.local.http.asgi import Receive, Scope, Send
from almanac.platform.feed.frames import (
    BAD_FRAME,
    CURSOR_EXPIRED,
    FELL_BEHIND,
    FORBIDDEN,
    TOO_SLOW,
    UNAUTHORIZED,
    Authenticate,
    ListenerFrame,
    Subscribe,
    error_frame,
    event_frames,
    read_frame,
    ready_frame,
    refusal_frame,
    subscribed_frame,
    subscription,
)
from almanac.platform.feed.port import Subscription
from almanac.protocol.message import origin

AUTHENTICATE_SECONDS = 10.0
CHECK_SECONDS = 30.0
_FULL = 1013


class _Closed(Exception):
    """Raised when the listener has disconnected."""


class _Refused(Exception):
    """Raised to send the listener an error frame and close the socket."""

    def __init__(self, close: int, frame: str) -> None:
        super().__init__(frame)
        self.close = close
        self.frame = frame


class FeedEndpoint:
    """ASGI application for WebSockets. `judging` checks keys off the event loop. Pages may listen only if they and the
    server are on this machine."""

    def __init__(
        self,
        watches: Watches,
        gatekeeper: Gatekeeper,
        directory: Directory,
        clock: Clock,
        *,
        judging: Callable[[Callable[[], Any]], Awaitable[Any]] = asyncio.to_thread,
        limits: FeedLimits | None = None,
    ) -> None:
        self._watches = watches
        self._gatekeeper = gatekeeper
        self._directory = directory
        self._clock = clock
        self._judging = judging
        self._places = FeedSlots(limits or FeedLimits())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        is_allowed = origin.is_allowed(headers.get("origin"), headers.get("host", ""), frozenset())
        if scope["path"] != FEED or not is_allowed:
            await send({"type": "websocket.close"})
            return
        await send({"type": "websocket.accept"})
        try:
            await self._serve(Socket(receive, send), headers, (scope.get("client") or ("unknown", 0))[0])
        except (_Closed, OSError):
            return

    async def _serve(self, socket: "Socket", headers: Mapping[str, str], address: str) -> None:
        try:
            caller = await self._caller(socket, headers, address)
            with self._places.of(caller):
                async with self._watches.of(caller.scope) as watch, asyncio.TaskGroup() as tasks:
                    checking = tasks.create_task(self._check(caller))
                    try:
                        await _Listening(socket, watch, tasks).run(caller)
                    finally:
                        checking.cancel()
        except* _Refused as refused:
            await socket.refuse(_first(refused))
        except* NoPlace as none:
            await socket.refuse(_Refused(_FULL, no_place_frame(none.exceptions[0])))
        except* (_Closed, OSError):
            pass

    async def _caller(self, socket: "Socket", headers: Mapping[str, str], address: str) -> Caller:
        try:
            async with self._places.unknown(AUTHENTICATE_SECONDS):
                if has_key(headers):
                    return await self._admit(partial(admit, self._gatekeeper, headers, address))
                frame = await socket.receive()
                if not isinstance(frame, Authenticate):
                    hint = 'Send {"type": "authenticate", "key": "..."} before anything else.'
                    raise _Refused(UNAUTHORIZED, error_frame("unauthorized", "No API key was sent.", hint))
                return await self._admit(partial(admit_by_frame, self._gatekeeper, frame, address))
        except TimeoutError:
            hint = 'Send {"type": "authenticate", "key": "..."} first.'
            raise _Refused(TOO_SLOW, error_frame("unauthorized", "No key came in time.", hint)) from None

    async def _admit(self, judge: Callable[[], Caller | Refusal]) -> Caller:
        """Return the caller. Raises _Refused if the key may not listen."""
        verdict: Caller | Refusal = await self._judging(judge)
        if isinstance(verdict, Refusal):
            raise _Refused(close_code(verdict), error_frame(verdict.code, verdict.message, verdict.hint))
        return verdict

    async def _check(self, caller: Caller) -> NoReturn:
        """Check the key every 30 seconds. Raises _Refused after it was revoked, has expired, or got other families."""
        while True:
            await asyncio.sleep(CHECK_SECONDS)
            record = await asyncio.to_thread(self._directory.key, caller.key_id)
            if record is None or not record.works_at(now_ms(self._clock)):
                raise _Refused(
                    FORBIDDEN, error_frame("unauthorized", "The API key works no longer.", "Use another key.")
                )
            families = record.grant.families
            if (None if families is None else frozenset(families)) != caller.families:
                changed = error_frame("forbidden", "The families of the API key have changed.", "Connect again.")
                raise _Refused(FORBIDDEN, changed)


class Socket:
    """A WebSocket that sends and receives frames."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive = receive
        self._send = send

    async def receive(self) -> ListenerFrame:
        message = await self._receive()
        if message["type"] != "websocket.receive":
            raise _Closed
        try:
            return read_frame(message.get("text") or "")
        except InvalidInput as invalid:
            raise _Refused(BAD_FRAME, refusal_frame(invalid)) from invalid

    async def send(self, frame: str) -> None:
        await self._send({"type": "websocket.send", "text": frame})

    async def refuse(self, refused: _Refused) -> None:
        await self.send(refused.frame)
        await self._send({"type": "websocket.close", "code": refused.close, "reason": "see the error frame"})


class _Listening:
    """Session of an admitted listener. It reads subscriptions and sends events."""

    def __init__(self, socket: Socket, watch: Watch, tasks: asyncio.TaskGroup) -> None:
        self._socket = socket
        self._watch = watch
        self._tasks = tasks
        self._sending: asyncio.Task[None] | None = None

    async def run(self, caller: Caller) -> NoReturn:
        """Serve the listener. Raises _Closed when it disconnects, and _Refused for a bad frame."""
        await self._socket.send(ready_frame(caller.scope))
        while True:
            frame = await self._socket.receive()
            if self._sending is not None:
                self._sending.cancel()
            if not isinstance(frame, Subscribe):
                again = error_frame("invalid_input", "This socket is authenticated already.", "Open another socket.")
                raise _Refused(BAD_FRAME, again)
            try:
                chosen = subscription(frame, caller.families)
                position = self._watch.head if frame.since is None else self._watch.places.open(frame.since)
            except InvalidInput as invalid:
                raise _Refused(BAD_FRAME, refusal_frame(invalid)) from invalid
            await self._socket.send(subscribed_frame(chosen, self._watch.places.seal(position)))
            self._sending = self._tasks.create_task(self._send_events(chosen, position))

    async def _send_events(self, chosen: Subscription, position: int) -> NoReturn:
        live = False
        while True:
            await self._watch.beyond(position)
            entries = self._watch.recent(position)
            if entries is None:
                if live:
                    raise _Refused(FELL_BEHIND, self._fell_behind(position))
                entries = await self._replay(position)
            else:
                live = True
            for frame in event_frames(each.text for each in entries if chosen.wants(each.event)):
                await self._socket.send(frame)
            position = entries[-1].sequence

    async def _replay(self, position: int) -> Sequence[WatchEntry]:
        entries, whole = await self._watch.replay(position)
        if not whole or not entries:
            hint = "Read the present state with the tools, then subscribe without since."
            raise _Refused(
                CURSOR_EXPIRED, error_frame("cursor_expired", "Events after this cursor are no longer kept.", hint)
            )
        return entries

    def _fell_behind(self, position: int) -> str:
        hint = f"Connect again and subscribe with since {self._watch.places.seal(position)}."
        return error_frame("fell_behind", "You fell behind: replay from the cursor.", hint)


def _first(group: BaseExceptionGroup[_Refused]) -> _Refused:
    first = group.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first
