"""HTTP/1.1 on one connection: strict about where messages end, patient with slow clients, but not for ever."""

import asyncio
import re

import h11
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from almanac.local.http.asgi import BODY_IS_HERE
from almanac.local.http.connections import CountingConfig

HEADER_SECONDS = 20.0
STALLED_SECONDS = 15.0
MAX_HEAD_BYTES = 64 * 1024

_FOLDED = re.compile(rb"\n[ \t]")
_TURNED_AWAY = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 1\r\n"
    b"content-length: %d\r\nconnection: close\r\n\r\n%s"
)
_NO_ROOM = (
    b'{"jsonrpc":"2.0","id":null,"error":{"code":503,"message":"Too many connections are open. Try again in a second.",'
    b'"data":{"code":"unavailable","retryable":true}}}'
)


class StrictConnection(h11.Connection):
    """Refuses folded header lines, which h11 would join: others read them differently."""

    def next_event(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        if self.their_state is h11.IDLE:
            head = self.trailing_data[0].partition(b"\r\n\r\n")[0]
            if _FOLDED.search(head):
                raise h11.RemoteProtocolError("a folded header line", error_status_hint=400)
        return super().next_event()


class PatientProtocol(H11Protocol):
    """Requests must have their headers complete within 20 s; uvicorn alone would wait for ever. A client that reads
    nothing of its answer for 15 s is cut off, and one that idles when newcomers need its place."""

    config: CountingConfig
    _deadline: asyncio.TimerHandle | None = None
    _stalled: asyncio.TimerHandle | None = None

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, object],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self.conn = StrictConnection(h11.SERVER, MAX_HEAD_BYTES)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if not self.config.connections_here.open(self):
            transport.write(_TURNED_AWAY % (len(_NO_ROOM), _NO_ROOM))
            transport.close()
            return
        self._await_headers()

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self.transport.get_protocol() is not self:
            return
        if self._answering():
            self._stop_waiting()
            if not self.cycle.more_body:
                # The cycle has not begun: it is told before it asks.
                self.cycle.scope[BODY_IS_HERE] = True  # type: ignore[typeddict-unknown-key] - ours
            self.config.connections_here.work(self)
        elif self._deadline is None:
            self._await_headers()

    def on_response_complete(self) -> None:
        self.config.connections_here.rest(self)
        super().on_response_complete()
        if self._answering():  # by a request that came with the one before
            self.config.connections_here.work(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        self._stop_stalling()
        self.config.connections_here.close(self)
        super().connection_lost(exc)

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        # From here on the connection is the socket's: what was waited for has come.
        self._stop_waiting()
        self.config.connections_here.close(self)
        super().handle_websocket_upgrade(event)

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._stalled is None:
            self._stalled = self.loop.call_later(STALLED_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stop_stalling()

    def hang_up(self) -> None:
        """For a newcomer."""
        self.transport.abort()

    def _answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete  # type: ignore[redundant-expr]

    def _await_headers(self) -> None:
        self._deadline = self.loop.call_later(HEADER_SECONDS, self._give_up)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _stop_stalling(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def _give_up(self) -> None:
        self._deadline = None
        if not self._answering() and not self.transport.is_closing():
            self.transport.close()
