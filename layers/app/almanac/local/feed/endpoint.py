"""The live feed on the laptop: the path /feed of the same server, as a WebSocket.

A listener that reads too slowly is told to come back with the cursor of the last event it got: what is kept for it is
bounded, and nobody else waits for it.
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
from almanac.local.feed.places import FeedPlaces
from almanac.local.feed.watch import Told, Watch, Watches
from almanac.local.http.asgi import Receive, Scope, Send
from almanac.platform.feed.frames import (
    BAD_FRAME,
    CURSOR_EXPIRED,
    FELL_BEHIND,
    FORBIDDEN,
    TOO_SLOW,
    UNAUTHORIZED,
    Authenticate,
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
    """The listener is gone."""


class _Refused(Exception):
    """The listener is told why, and the socket closed."""

    def __init__(self, close: int, frame: str) -> None:
        super().__init__(frame)
        self.close = close
        self.frame = frame


class FeedEndpoint:
    """An ASGI application for WebSockets. `judging` runs the judgement of a key off the event loop; pages of this
    machine and of `allowed_origins` may listen."""

    def __init__(
        self,
        watches: Watches,
        gatekeeper: Gatekeeper,
        directory: Directory,
        clock: Clock,
        *,
        judging: Callable[[Callable[[], Any]], Awaitable[Any]] = asyncio.to_thread,
        limits: FeedLimits | None = None,
        allowed_origins: frozenset[str] = frozenset(),
    ) -> None:
        self._watches = watches
        self._gatekeeper = gatekeeper
        self._directory = directory
        self._clock = clock
        self._judging = judging
        self._places = FeedPlaces(limits or FeedLimits())
        self._allowed_origins = allowed_origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        is_allowed = origin.is_allowed(headers.get("origin"), headers.get("host", ""), self._allowed_origins)
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
                    return await self._admitted(partial(admit, self._gatekeeper, headers, address))
                said = await socket.hear()
                if not isinstance(said, Authenticate):
                    hint = 'Send {"type": "authenticate", "key": "..."} before anything else.'
                    raise _Refused(UNAUTHORIZED, error_frame("unauthorized", "No API key was sent.", hint))
                return await self._admitted(partial(admit_by_frame, self._gatekeeper, said, address))
        except TimeoutError:
            hint = 'Send {"type": "authenticate", "key": "..."} first.'
            raise _Refused(TOO_SLOW, error_frame("unauthorized", "No key came in time.", hint)) from None

    async def _admitted(self, judge: Callable[[], Caller | Refusal]) -> Caller:
        """Raises _Refused for a key that may not listen."""
        verdict: Caller | Refusal = await self._judging(judge)
        if isinstance(verdict, Refusal):
            raise _Refused(close_code(verdict), error_frame(verdict.code, verdict.message, verdict.hint))
        return verdict

    async def _check(self, caller: Caller) -> NoReturn:
        """Raises _Refused soon after the key was revoked or has expired."""
        while True:
            await asyncio.sleep(CHECK_SECONDS)
            record = await asyncio.to_thread(self._directory.key, caller.key_id)
            if record is None or not record.works_at(now_ms(self._clock)):
                raise _Refused(
                    FORBIDDEN, error_frame("unauthorized", "The API key works no longer.", "Use another key.")
                )


class Socket:
    """Frames over ASGI's messages."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive = receive
        self._send = send

    async def hear(self) -> Authenticate | Subscribe:
        message = await self._receive()
        if message["type"] != "websocket.receive":
            raise _Closed
        try:
            return read_frame(message.get("text") or "")
        except InvalidInput as invalid:
            raise _Refused(BAD_FRAME, refusal_frame(invalid)) from invalid

    async def say(self, frame: str) -> None:
        await self._send({"type": "websocket.send", "text": frame})

    async def refuse(self, refused: _Refused) -> None:
        await self.say(refused.frame)
        await self._send({"type": "websocket.close", "code": refused.close, "reason": "see the error frame"})


class _Listening:
    """A listener that was let in: hears what it wants, tells it."""

    def __init__(self, socket: Socket, watch: Watch, tasks: asyncio.TaskGroup) -> None:
        self._socket = socket
        self._watch = watch
        self._tasks = tasks
        self._telling: asyncio.Task[None] | None = None

    async def run(self, caller: Caller) -> NoReturn:
        """Until the listener is gone, which raises _Closed, or refused, which raises _Refused."""
        await self._socket.say(ready_frame(caller.scope))
        while True:
            said = await self._socket.hear()
            if self._telling is not None:
                self._telling.cancel()
            if not isinstance(said, Subscribe):
                again = error_frame("invalid_input", "The key was taken already.", "Open another socket.")
                raise _Refused(BAD_FRAME, again)
            try:
                wanted = subscription(said)
                position = self._watch.head if said.since is None else self._watch.places.open(said.since)
            except InvalidInput as invalid:
                raise _Refused(BAD_FRAME, refusal_frame(invalid)) from invalid
            await self._socket.say(subscribed_frame(wanted, self._watch.places.seal(position)))
            self._telling = self._tasks.create_task(self._tell(wanted, position))

    async def _tell(self, wanted: Subscription, position: int) -> NoReturn:
        live = False
        while True:
            await self._watch.moved(position)
            told = self._watch.recent(position)
            if told is None:
                if live:
                    raise _Refused(FELL_BEHIND, self._fell_behind(position))
                told = await self._replayed(position)
            else:
                live = True
            for frame in event_frames(each.text for each in told if wanted.wants(each.event)):
                await self._socket.say(frame)
            position = told[-1].sequence

    async def _replayed(self, position: int) -> Sequence[Told]:
        told, whole = await self._watch.replay(position)
        if not whole or not told:
            hint = "Read the present state with the tools, then subscribe without since."
            raise _Refused(
                CURSOR_EXPIRED, error_frame("cursor_expired", "Events after this cursor are no longer kept.", hint)
            )
        return told

    def _fell_behind(self, position: int) -> str:
        hint = f"Connect again and subscribe with since {self._watch.places.seal(position)}."
        return error_frame("fell_behind", "You fell behind: replay from the cursor.", hint)


def _first(group: BaseExceptionGroup[_Refused]) -> _Refused:
    first = group.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first
