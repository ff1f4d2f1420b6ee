"""HTTP requests on their way into events, and requests that never become one."""

import asyncio
import base64
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from almanac.identity.context import from_context
from almanac.identity.gatekeeper import Gatekeeper
from almanac.identity.records import KeyRecord
from almanac.kernel.clock import FixedClock
from almanac.local.http_server import HttpServer, to_event
from tests.unit.gateway.recorded import Recorded

Message = dict[str, Any]


class NoKeys:
    def key(self, key_id: str) -> KeyRecord | None:
        return None

    def has_project(self, tenant: str, project: str) -> bool:
        return False


def scope(path: str = "/elsewhere", query: bytes = b"", headers: tuple[tuple[bytes, bytes], ...] = ()) -> Message:
    return {
        "type": "http",
        "method": "POST",
        "path": path,
        "query_string": query,
        "headers": list(headers),
        "http_version": "1.1",
        "client": ("127.0.0.1", 5000),
    }


def answers(clock: FixedClock, scope: Message, *incoming: Message, body_seconds: float = 30) -> list[Message]:
    """What the server sends for a request whose messages come in and then, if it asks for more, nothing."""
    sent: list[Message] = []

    async def exchange() -> None:
        waiting = list(incoming)

        async def receive() -> Message:
            if waiting:
                return waiting.pop(0)
            return await asyncio.get_running_loop().create_future()

        async def send(message: Any) -> None:
            sent.append(message)

        with ThreadPoolExecutor(1) as executor:
            server = HttpServer(
                echo,
                Gatekeeper(NoKeys(), clock),
                Recorded(),
                executor,
                health={"status": "ok"},
                body_seconds=body_seconds,
            )
            await server(scope, receive, send)

    asyncio.run(exchange())
    return sent


def echo(event: Mapping[str, Any], context: object) -> dict[str, Any]:
    return {"statusCode": 200, "headers": {"x-length": str(len(event["body"]))}, "body": "é"}


def test_a_request_is_an_event_of_the_second_format() -> None:
    headers = ((b"x-api-key", b"k"), (b"accept", b"a"), (b"accept", b"b"))
    event = to_event(scope("/mcp/time", b"families=a&families=b%2Cc&readonly", headers), b'{"a":1}')
    assert event["version"] == "2.0"
    assert event["rawPath"] == "/mcp/time"
    assert event["headers"] == {"x-api-key": "k", "accept": "a,b"}
    assert event["queryStringParameters"] == {"families": "a,b,c", "readonly": ""}
    assert (event["body"], event["isBase64Encoded"]) == ('{"a":1}', False)
    assert event["requestContext"]["http"]["sourceIp"] == "127.0.0.1"


def test_a_body_that_is_no_text_travels_as_base64() -> None:
    event = to_event(scope(), b"\xff\x00")
    assert event["isBase64Encoded"]
    assert base64.b64decode(event["body"]) == b"\xff\x00"


def test_no_header_reaches_the_place_of_the_authorizers_context() -> None:
    event = to_event(scope("/mcp", b"", ((b"authorizer", b"x"), (b"tenant", b"acme"))), b"")
    assert from_context(event["requestContext"].get("authorizer") or {}) is None


def test_a_body_is_put_together_from_its_parts(clock: FixedClock) -> None:
    parts = [{"type": "http.request", "body": b"abc", "more_body": True}, {"type": "http.request", "body": b"de"}]
    start, body = answers(clock, scope(), *parts)
    assert start["status"] == 200
    assert dict(start["headers"])[b"x-length"] == b"5"
    assert dict(start["headers"])[b"content-length"] == b"2"
    assert body["body"] == "é".encode()


def test_a_body_that_does_not_arrive_in_time_is_a_408_and_the_end_of_the_connection(clock: FixedClock) -> None:
    start, _ = answers(clock, scope(), {"type": "http.request", "body": b"{", "more_body": True}, body_seconds=0.01)
    assert start["status"] == 408
    assert dict(start["headers"])[b"connection"] == b"close"


def test_a_body_that_is_declared_far_too_large_is_not_even_read(clock: FixedClock) -> None:
    start, _ = answers(clock, scope(headers=((b"content-length", b"99999999999"),)))
    assert start["status"] == 413


def test_a_client_that_hangs_up_is_not_answered(clock: FixedClock) -> None:
    assert answers(clock, scope(), {"type": "http.disconnect"}) == []


@pytest.mark.parametrize("path", ["/mcp", "/mcp/time"])
def test_nothing_under_mcp_is_reached_without_a_key(clock: FixedClock, path: str) -> None:
    start, _ = answers(clock, scope(path), {"type": "http.request", "body": b"{}"})
    assert start["status"] == 401
