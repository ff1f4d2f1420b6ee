"""HTTP/1.1 on one connection: strict about the end of messages, and patient with slow clients within time limits."""

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from almanac.local.http.asgi import BODY_IS_HERE
from almanac.local.http.connections import CountingConfig

HEADER_SECONDS = 20.0
STALLED_SECONDS = 15.0
MAX_HEAD_BYTES = 64 * 1024

_TURNED_AWAY = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 1\r\n"
    b"content-length: %d\r\nconnection: close\r\n\r\n%s"
)
_NO_ROOM = (
    b'{"jsonrpc":"2.0","id":null,"error":{"code":503,"message":"Too many connections are open. Try again in a second.",'
    b'"data":{"code":"unavailable","retryable":true}}}'
)


class PatientProtocol(HttpToolsProtocol):
    """uvicorn's protocol with time limits, without which it would wait for ever.

    The headers of a request must be complete within 20 s. A client that reads nothing of its answer for 15 s is
    disconnected, and so is an idle client when a new connection needs its place."""

    config: CountingConfig
    _deadline: asyncio.TimerHandle | None = None
    _stalled: asyncio.TimerHandle | None = None
    _unfinished = 0
    _in_head = False

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
        self._unfinished += len(data)
        super().data_received(data)
        if self.transport.get_protocol() is not self:
            return
        if self._unfinished > MAX_HEAD_BYTES and not self.transport.is_closing():
            self.send_400_response("The head of the request is too large.")
            return
        if self._is_answering():
            self._stop_waiting()
            if not self.cycle.more_body:
                # The cycle has not begun, so it will see this before it reads the body.
                self.cycle.scope[BODY_IS_HERE] = True  # type: ignore[typeddict-unknown-key] - ours
            self.config.connections_here.work(self)
        elif self._deadline is None:
            self._await_headers()

    def on_message_begin(self) -> None:
        self._unfinished = 0
        self._in_head = True
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        # Ignore trailers after a body, because the request was judged by its head.
        if self._in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._unfinished = 0
        self._in_head = False
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._unfinished = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._unfinished = 0
        super().on_message_complete()

    def on_response_complete(self) -> None:
        self.config.connections_here.rest(self)
        super().on_response_complete()
        if self._is_answering():  # by a request that came with the one before
            self.config.connections_here.work(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        self._stop_stalling()
        self.config.connections_here.close(self)
        super().connection_lost(exc)

    def handle_websocket_upgrade(self) -> None:
        # From here on the connection belongs to the WebSocket, and the awaited headers have arrived.
        self._stop_waiting()
        self.config.connections_here.close(self)
        super().handle_websocket_upgrade()

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._stalled is None:
            self._stalled = self.loop.call_later(STALLED_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stop_stalling()

    def hang_up(self) -> None:
        """Close this idle connection to make room for a new one."""
        self.transport.abort()

    def _is_answering(self) -> bool:
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
        if not self._is_answering() and not self.transport.is_closing():
            self.transport.close()
