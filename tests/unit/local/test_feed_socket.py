"""WebSockets behind the patient server: they outlive its patience with headers, and listeners must read."""

import asyncio
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from uvicorn.server import ServerState
from websockets.asyncio.client import connect

from almanac.local.feed import socket as feed_socket
from almanac.local.http import patient_protocol
from almanac.local.http.connections import Connections
from almanac.local.http.patient_protocol import PatientProtocol
from almanac.local.start.runner import ServerConfig

App = Callable[[Any, Any, Any], Awaitable[None]]


@asynccontextmanager
async def _serve(app: App) -> AsyncGenerator[tuple[str, int]]:
    loop = asyncio.get_running_loop()
    config = ServerConfig(app, Connections(10))
    config.load()
    server = await loop.create_server(lambda: PatientProtocol(config, ServerState(), {}, loop), "127.0.0.1", 0)
    try:
        host, port = server.sockets[0].getsockname()
        yield host, port
    finally:
        server.close()
        await server.wait_closed()


async def _echo(scope: Any, receive: Any, send: Any) -> None:
    await receive()
    await send({"type": "websocket.accept"})
    while (message := await receive())["type"] == "websocket.receive":
        await send({"type": "websocket.send", "text": message["text"]})


def test_a_socket_lives_longer_than_headers_may_take(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patient_protocol, "HEADER_SECONDS", 0.5)

    async def talk() -> int:
        rounds, loop = 0, asyncio.get_running_loop()
        async with _serve(_echo) as (host, port), connect(f"ws://{host}:{port}/") as client:
            until = loop.time() + 1
            while loop.time() < until or rounds < 2:
                await client.send("again")
                assert await client.recv() == "again"
                rounds += 1
        return rounds

    assert asyncio.run(talk()) > 1


def test_a_listener_that_takes_nothing_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed_socket, "STALLED_SECONDS", 0.05)

    async def flood() -> None:
        cut = asyncio.Event()

        async def tell(scope: Any, receive: Any, send: Any) -> None:
            await receive()
            await send({"type": "websocket.accept"})
            try:
                while True:
                    await send({"type": "websocket.send", "text": "x" * 100_000})
            except OSError:
                cut.set()

        async with _serve(tell) as address:
            with socket.create_connection(address) as client:
                client.sendall(
                    b"GET / HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\n"
                    b"sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
                )
                await asyncio.wait_for(cut.wait(), 60)

    asyncio.run(flood())
