"""The channel as an MCP server: the handshake, bounded input, and a client that answers no pings."""

import io
import json
import os
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, cast

import pytest

from almanac.local.channel.client import Client, Gone
from almanac.local.channel.notices import Notice
from almanac.local.channel.server import MAX_LINE, Channel
from almanac.local.channel.teller import ChannelServer

NOWHERE = ChannelServer("http://127.0.0.1:9/mcp", "http://127.0.0.1:9/mcp", "key")


@contextmanager
def pipes() -> Generator[tuple[BinaryIO, BinaryIO]]:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as received, os.fdopen(writing, "wb", 0) as sent:
        yield received, sent


def serve_lines(*lines: bytes, answers: int) -> tuple[list[dict[str, Any]], threading.Event]:
    told = threading.Event()
    with pipes() as (received, sent):
        Channel(NOWHERE, Client(sent), told.set).serve(io.BytesIO(b"".join(lines)))
        return [json.loads(received.readline()) for _ in range(answers)], told


def line(**message: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"


def test_it_offers_the_channel_and_begins_once_it_is_initialized() -> None:
    hello = line(id=1, method="initialize", params={"protocolVersion": "2025-06-18"})
    (answer,), told = serve_lines(hello, answers=1)
    assert answer["result"]["protocolVersion"] == "2025-06-18"
    assert answer["result"]["capabilities"] == {"tools": {}, "experimental": {"claude/channel": {}}}
    assert "data" in answer["result"]["instructions"]
    assert not told.is_set()
    _, told = serve_lines(line(method="notifications/initialized"), answers=0)
    assert told.wait(10)


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (b"{\n", -32700),
        (b"[" * 100_000 + b"\n", -32700),
        (b"[]\n", -32600),
        (b"x" * (MAX_LINE + 5) + b"\n", -32600),
        (line(id=1, method="resources/list"), -32601),
        (line(id=1, method="tools/call", params={"name": "other"}), -32602),
    ],
)
def test_what_it_does_not_understand_is_refused_and_the_next_message_answered(sent: bytes, code: int) -> None:
    answers, _ = serve_lines(sent, b"\n", line(id=2, method="ping"), answers=2)
    assert answers[0]["error"]["code"] == code
    assert answers[1] == {"jsonrpc": "2.0", "id": 2, "result": {}}


@pytest.mark.parametrize(
    "arguments", [None, [], {}, {"ids": []}, {"ids": ["a"] * 51}, {"ids": [7]}, {"ids": ["a" * 65]}]
)
def test_arguments_of_acknowledge_are_checked(arguments: object) -> None:
    params = {"name": "acknowledge", "arguments": arguments}
    (answer,), _ = serve_lines(line(id=1, method="tools/call", params=params), answers=1)
    assert answer["result"]["isError"]


def test_a_client_has_read_what_it_answers_the_following_ping_to(monkeypatch: pytest.MonkeyPatch) -> None:
    notice = Notice("n", "content", {"kind": "mail"})
    with pipes() as (received, sent):
        client = Client(sent)

        def answer() -> None:
            for _ in range(2):
                told, ping = json.loads(received.readline()), json.loads(received.readline())
                assert told["params"] == {"content": "content", "meta": {"kind": "mail"}}
                client.take_answer("almanac-9999")
                client.take_answer(ping["id"])

        answering = threading.Thread(target=answer)
        answering.start()
        assert client.tell([notice])
        assert client.tell([notice])
        answering.join()
        # It answers no more: it is waited for once, and then told without.
        monkeypatch.setattr("almanac.local.channel.client._ANSWER_SECONDS", 0.01)
        assert not client.tell([notice])
        monkeypatch.setattr("almanac.local.channel.client._ANSWER_SECONDS", 600)
        assert not client.tell([notice])
        client.take_answer("almanac-4")
        received.close()
        with pytest.raises(Gone):
            _tell_for_long(client)


class _BreakablePipe(io.RawIOBase):
    """A pipe that blocks every write, and breaks as soon as `breaks` is set."""

    def __init__(self) -> None:
        self.breaks = threading.Event()

    def write(self, _: object) -> int:
        self.breaks.wait(20)
        raise BrokenPipeError


def test_who_waits_for_room_is_let_go_when_the_client_is_gone() -> None:
    pipe, ended = _BreakablePipe(), threading.Event()
    client = Client(cast(BinaryIO, pipe))

    def send_without_end() -> None:
        with suppress(Gone):
            while True:
                client.send({"method": "ping"})
        ended.set()

    threading.Thread(target=send_without_end, daemon=True).start()
    assert not ended.wait(0.2), "the pipe takes nothing, so that its queue is full"
    pipe.breaks.set()
    assert ended.wait(10)


def _tell_for_long(client: Client) -> None:
    for number in range(5, 1000):
        client.take_answer(f"almanac-{number}")
        client.send({"method": "ping"})
