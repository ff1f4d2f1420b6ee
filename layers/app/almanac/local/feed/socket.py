"""uvicorn's WebSocket protocol with a time limit. A listener that reads nothing for 15 s is disconnected."""

import asyncio

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from almanac.local.http.connections import CountingConfig

STALLED_SECONDS = 15.0


class PatientSocket(WebSocketsSansIOProtocol):
    """WebSocket protocol that ends stalled connections. uvicorn alone would keep their unsent data until the operating
    system notices that the other machine is gone."""

    config: CountingConfig
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.config.connections_here.work(self)

    def hang_up(self) -> None:
        self.transport.abort()

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._deadline is None:
            self._deadline = self.loop.call_later(STALLED_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        self.config.connections_here.close(self)
        super().connection_lost(exc)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
