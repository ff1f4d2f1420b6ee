"""Sockets, and patience with slow clients."""

import asyncio
import socket

import pytest
from uvicorn.server import ServerState

from almanac.kernel.errors import InvalidInput
from almanac.local.http import patient_protocol
from almanac.local.http.connections import Connections
from almanac.local.http.patient_protocol import PatientProtocol
from almanac.local.start.runner import ServerConfig, bind


def test_port_0_is_any_free_port() -> None:
    with bind("127.0.0.1", 0) as one, bind("127.0.0.1", 0) as other:
        assert one.getsockname()[1] != other.getsockname()[1]


def test_answers_do_not_wait_for_delayed_acknowledgements() -> None:
    """asyncio sets TCP_NODELAY on accepted sockets only where the listener names its protocol."""
    with bind("127.0.0.1", 0) as listener:
        assert listener.proto == socket.IPPROTO_TCP


def test_a_taken_port_is_refused_with_what_to_do() -> None:
    with bind("127.0.0.1", 0) as taken, pytest.raises(InvalidInput, match="is in use") as refused:
        bind("127.0.0.1", taken.getsockname()[1])
    assert "--port" in refused.value.hint


def test_an_address_of_another_machine_is_refused() -> None:
    with pytest.raises(InvalidInput, match="is not an address of this machine"):
        bind("192.0.2.1", 0)


@pytest.mark.skipif(not socket.has_ipv6, reason="no IPv6 here")
def test_an_ipv6_address_is_taken() -> None:
    with bind("::1", 0) as listener:
        assert listener.family is socket.AF_INET6


async def _answer(scope: object, receive: object, send: object) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})  # type: ignore[operator]
    await send({"type": "http.response.body", "body": b""})  # type: ignore[operator]


async def _exchange(*pieces: bytes, app: object = _answer) -> bytes:
    """All that a patient server says to a client that sends these pieces, each after an answer, until it hangs up."""
    loop = asyncio.get_running_loop()
    config = ServerConfig(app, Connections(10))
    server = await loop.create_server(lambda: PatientProtocol(config, ServerState(), {}, loop), "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    said = b""
    for piece in pieces:
        writer.write(piece)
        if piece.endswith(b"\r\n\r\n"):
            said += await reader.readuntil(b"\r\n\r\n")
    said += await reader.read()
    writer.close()
    await writer.wait_closed()
    server.close()
    await server.wait_closed()
    return said


@pytest.mark.parametrize("sent", [b"", b"POST /mcp HTTP/1.1\r\nhost: x\r\n"])
def test_a_client_whose_headers_do_not_come_is_hung_up_on(sent: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patient_protocol, "HEADER_SECONDS", 0.05)
    assert asyncio.run(_exchange(sent)) == b""


def test_a_client_that_slows_down_after_a_good_request_is_hung_up_on_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patient_protocol, "HEADER_SECONDS", 0.5)
    said = asyncio.run(_exchange(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n", b"GET / HTTP/1.1\r\nho"))
    assert said.count(b"HTTP/1.1 200") == 1


@pytest.mark.parametrize(
    "sent",
    [
        b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\nabc",
        b"POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding:\r\n chunked\r\n\r\n0\r\n\r\n",
        b"POST / HTTP/1.1\r\nhost: x\r\nx-a: 1\r\n\tb: 2\r\n\r\n",
        b"POST / HTTP/1.1\r\nhost: x\r\nx-a: 1\n b: 2\r\n\r\n",
        b"POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding : chunked\r\n\r\n0\r\n\r\n",
        b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: +3\r\n\r\nabc",
        b"POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: xchunked\r\n\r\n0\r\n\r\n",
    ],
)
def test_where_a_message_ends_in_more_than_one_way_it_is_refused_and_the_connection_ends(sent: bytes) -> None:
    said = asyncio.run(_exchange(sent + b"GET /smuggled HTTP/1.1\r\nhost: x\r\n\r\n"))
    assert said.startswith(b"HTTP/1.1 400 ")
    assert said.count(b"HTTP/1.1 ") == 1


@pytest.mark.parametrize(
    "sent",
    [
        b"GET / HTTP/1.1\r\nhost: x\r\nx-a: ",
        b"POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n0\r\nx-a: ",
        b"POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n1;a=",
    ],
    ids=["head", "trailer", "chunk extension"],
)
def test_what_is_no_body_and_has_no_end_is_cut_off(sent: bytes) -> None:
    async def endless() -> None:
        loop, ended = asyncio.get_running_loop(), asyncio.Event()

        async def wait_until_ended(scope: object, receive: object, send: object) -> None:
            await ended.wait()

        config = ServerConfig(wait_until_ended, Connections(10))
        server = await loop.create_server(lambda: PatientProtocol(config, ServerState(), {}, loop), "127.0.0.1", 0)
        _, writer = await _connect(server)
        writer.write(sent)
        with pytest.raises(ConnectionError):
            await _write_forever(writer)
        ended.set()
        writer.close()
        server.close()

    asyncio.run(asyncio.wait_for(endless(), 30))


def test_a_body_larger_than_a_head_may_be_is_taken() -> None:
    async def read_whole_body(scope: object, receive: object, send: object) -> None:
        while (await receive())["more_body"]:  # type: ignore[operator]
            continue
        await _answer(scope, receive, send)

    body = b"x" * (patient_protocol.MAX_HEAD_BYTES * 3)
    head = b"POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: %d\r\n\r\n" % len(body)
    assert asyncio.run(_exchange(head + body, app=read_whole_body)).startswith(b"HTTP/1.1 200 ")


def test_what_trails_a_body_is_no_header() -> None:
    heard: list[tuple[bytes, bytes]] = []

    async def note_headers(scope: dict[str, object], receive: object, send: object) -> None:
        await receive()  # type: ignore[operator]
        heard.extend(scope["headers"])  # type: ignore[arg-type]
        await _answer(scope, receive, send)

    sent = b"POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n"
    said = asyncio.run(_exchange(sent + b"1\r\na\r\n0\r\nx-api-key: other\r\n\r\n", app=note_headers))
    assert said.startswith(b"HTTP/1.1 200 ")
    assert [name for name, _ in heard] == [b"host", b"connection", b"transfer-encoding"]


async def _write_forever(writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(b"y" * 1000)
        await writer.drain()
        await asyncio.sleep(0)


async def _connect(server: asyncio.Server) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection(*server.sockets[0].getsockname())


def test_who_idles_makes_room_for_newcomers_and_who_is_answered_does_not() -> None:
    async def exchange() -> None:
        answering, go_on = asyncio.Event(), asyncio.Event()

        async def slow(scope: object, receive: object, send: object) -> None:
            answering.set()
            await go_on.wait()
            await _answer(scope, receive, send)

        loop = asyncio.get_running_loop()
        config = ServerConfig(slow, Connections(2))
        server = await loop.create_server(lambda: PatientProtocol(config, ServerState(), {}, loop), "127.0.0.1", 0)
        working, ask = await _connect(server)
        ask.write(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
        await answering.wait()
        idle, first = await _connect(server)
        _, newcomer = await _connect(server)
        assert await idle.read() == b""
        answering.clear()
        newcomer.write(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
        await answering.wait()
        refused, last = await _connect(server)
        assert (await refused.read()).startswith(b"HTTP/1.1 503 ")
        go_on.set()
        assert (await working.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200 ")
        for writer in (ask, first, newcomer, last):
            writer.close()
            await writer.wait_closed()
        server.close()
        await server.wait_closed()

    asyncio.run(exchange())
