"""HTTP requests on their way into events, and requests that never become one."""

import asyncio
import base64
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from almanac.gateway.http.door import Handler
from almanac.identity.access.effective_settings import EffectiveSettings
from almanac.identity.access.gatekeeper import Gatekeeper
from almanac.identity.access.principal_fields import from_context
from almanac.identity.api_key import read_api_key
from almanac.identity.records import Grant, KeyRecord
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import Unavailable
from almanac.local.http.exchange import to_event, with_body
from almanac.local.http.fair_queue import Shares
from almanac.local.http.fair_threads import FairThreads
from almanac.local.http.request_body import BodyRoom
from almanac.local.http.server import HttpServer, TimeLimits
from tests.doubles.forgetful_store import ForgetfulStore
from tests.unit.gateway.recorded import RecordedTelemetry

Message = dict[str, Any]


KEY = "alm_" + "k" * 12 + "_" + "s" * 43


class OneKey:
    """A directory of tenants whose only key is KEY."""

    def key(self, key_id: str) -> KeyRecord | None:
        key = read_api_key(KEY)
        assert key is not None
        grant = Grant(tenant="acme", project="main", actor="ada")
        return KeyRecord(id=key.id, digest=key.digest, grant=grant, created_at=0) if key_id == key.id else None

    def settings(self, tenant: str, project: str) -> EffectiveSettings:
        return EffectiveSettings()


def scope(
    path: str = "/mcp", query: bytes = b"", headers: tuple[tuple[bytes, bytes], ...] = (), key: str = KEY
) -> Message:
    return {
        "type": "http",
        "method": "POST",
        "path": path,
        "query_string": query,
        "headers": [(b"host", b"here"), *headers, (b"x-api-key", key.encode())],
        "http_version": "1.1",
        "client": ("127.0.0.1", 5000),
    }


class Exchange:
    """Messages of the server, and the number of request parts that it had read before the first."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.read_before = 0
        self.left = 0

    @property
    def status(self) -> int:
        return self.messages[0]["status"]

    @property
    def headers(self) -> dict[bytes, bytes]:
        return dict(self.messages[0]["headers"])


@pytest.fixture(autouse=True)
def no_long_wait_for_bodies_that_nobody_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("almanac.local.http.exchange._DROPPING_SECONDS", 0.05)


def exchange_messages(
    clock: FixedClock,
    scope: Message,
    *incoming: Message,
    limits: TimeLimits | None = None,
    handler: Handler | None = None,
    room: BodyRoom | None = None,
    shares: Shares | None = None,
    on_answer: Callable[[], None] = lambda: None,
) -> Exchange:
    """Send a request's messages, then nothing more, and return the server's messages."""
    sent = Exchange()

    async def exchange() -> None:
        waiting = list(incoming)

        async def receive() -> Message:
            if waiting:
                return waiting.pop(0)
            return await asyncio.get_running_loop().create_future()

        async def send(message: Any) -> None:
            if not sent.messages:
                sent.read_before = len(incoming) - len(waiting)
            sent.messages.append(message)
            on_answer()

        shares_ = shares or Shares(threads=2, gates=1)
        with ThreadPoolExecutor(shares_.all_threads) as executor:
            server = HttpServer(
                handler or echo,
                Gatekeeper(OneKey(), ForgetfulStore(), clock),
                RecordedTelemetry(),
                FairThreads(executor, shares_),
                health={"status": "ok"},
                limits=limits,
                room=room,
            )
            await server(scope, receive, send)

    asyncio.run(exchange())
    return sent


def answers(clock: FixedClock, scope: Message, *incoming: Message, **more: Any) -> list[Message]:
    return exchange_messages(clock, scope, *incoming, **more).messages


def echo(event: Mapping[str, Any], context: object) -> dict[str, Any]:
    return {"statusCode": 200, "headers": {"x-length": str(len(event["body"]))}, "body": "é"}


def test_a_request_is_an_event_of_the_second_format() -> None:
    headers = ((b"accept", b"a"), (b"accept", b"b"))
    asked = scope("/mcp/time", b"families=a&families=b%2Cc&readonly", headers, key="k")
    event = with_body(to_event(asked), b'{"a":1}')
    assert event["version"] == "2.0"
    assert event["rawPath"] == "/mcp/time"
    assert event["headers"] == {"host": "here", "x-api-key": "k", "accept": "a,b"}
    assert event["queryStringParameters"] == {"families": "a,b,c", "readonly": ""}
    assert (event["body"], event["isBase64Encoded"]) == ('{"a":1}', False)
    assert event["requestContext"]["http"]["sourceIp"] == "127.0.0.1"


def test_a_body_that_is_no_text_travels_as_base64() -> None:
    event = with_body(to_event(scope()), b"\xff\x00")
    assert event["isBase64Encoded"]
    assert base64.b64decode(event["body"]) == b"\xff\x00"


def test_no_header_reaches_the_place_of_the_authorizers_context() -> None:
    event = to_event(scope("/mcp", b"", ((b"authorizer", b"x"), (b"tenant", b"acme"))))
    assert from_context(event["requestContext"].get("authorizer") or {}) is None


CHUNKED = ((b"transfer-encoding", b"chunked"),)


def part(body: bytes, *, more: bool = False) -> Message:
    return {"type": "http.request", "body": body, "more_body": more}


def headers_declaring(size: int, *headers: tuple[bytes, bytes]) -> tuple[tuple[bytes, bytes], ...]:
    return ((b"content-length", str(size).encode()), *headers)


def test_a_body_is_put_together_from_its_parts(clock: FixedClock) -> None:
    start, body = answers(clock, scope(headers=headers_declaring(5)), part(b"abc", more=True), part(b"de"))
    assert start["status"] == 200
    assert dict(start["headers"])[b"x-length"] == b"5"
    assert dict(start["headers"])[b"content-length"] == b"2"
    assert body["body"] == "é".encode()


def test_a_chunked_body_is_read_too(clock: FixedClock) -> None:
    sent = exchange_messages(clock, scope(headers=CHUNKED), part(b"abc", more=True), part(b"de"))
    assert (sent.status, sent.headers[b"x-length"]) == (200, b"5")


def test_a_body_that_does_not_arrive_in_time_is_a_408_and_the_end_of_the_connection(clock: FixedClock) -> None:
    limits = TimeLimits(soon=0.001, body=0.01)
    sent = exchange_messages(clock, scope(headers=headers_declaring(9)), part(b"{", more=True), limits=limits)
    assert sent.status == 408
    assert sent.headers[b"connection"] == b"close"


@pytest.mark.parametrize("headers", [headers_declaring(4_000_000), CHUNKED])
def test_a_bad_key_is_refused_before_its_body_is_read(
    clock: FixedClock, headers: tuple[tuple[bytes, bytes], ...]
) -> None:
    sent = exchange_messages(clock, scope(headers=headers, key="alm_wrong"), part(b"x" * 1000, more=True), part(b"x"))
    assert sent.status == 401
    assert sent.read_before == 0
    assert sent.headers[b"connection"] == b"close"


def test_a_small_body_that_drips_is_waited_for_only_after_its_key_was_judged(clock: FixedClock) -> None:
    sent = exchange_messages(
        clock,
        scope(headers=headers_declaring(9), key="alm_wrong"),
        part(b"{", more=True),
        limits=TimeLimits(soon=0.001),
    )
    assert sent.status == 401


def test_a_body_that_drips_is_whole_when_it_comes_after_all(clock: FixedClock) -> None:
    incoming = [part(b"abc", more=True), part(b"de")]

    async def exchange() -> list[Message]:
        sent: list[Message] = []

        async def receive() -> Message:
            if len(incoming) == 1:
                await asyncio.sleep(0.05)
            return incoming.pop(0)

        async def send(message: Any) -> None:
            sent.append(message)

        shares = Shares(threads=1, gates=1)
        with ThreadPoolExecutor(shares.all_threads) as executor:
            threads: FairThreads[Any] = FairThreads(executor, shares)
            server = HttpServer(
                echo,
                Gatekeeper(OneKey(), ForgetfulStore(), clock),
                RecordedTelemetry(),
                threads,
                health={},
                limits=TimeLimits(soon=0.01),
            )
            await server(scope(headers=headers_declaring(5)), receive, send)
        return sent

    start, _ = asyncio.run(exchange())
    assert dict(start["headers"])[b"x-length"] == b"5"


def test_a_body_that_is_declared_far_too_large_is_not_even_read(clock: FixedClock) -> None:
    sent = exchange_messages(clock, scope(headers=headers_declaring(99_999_999_999)))
    assert sent.status == 413
    assert sent.read_before == 0


def test_a_tenant_keeps_no_more_of_large_bodies_than_its_share(clock: FixedClock) -> None:
    room = BodyRoom(total=10_000_000, share=5_000_000)
    with room.reserve("acme", 4_000_000):
        assert (
            exchange_messages(clock, scope(headers=headers_declaring(2_000_000)), part(b"{}"), room=room).status == 429
        )
    with room.reserve("other", 5_000_000), room.reserve("third", 4_000_000):
        assert (
            exchange_messages(clock, scope(headers=headers_declaring(2_000_000)), part(b"{}"), room=room).status == 503
        )
    assert exchange_messages(clock, scope(headers=headers_declaring(2_000_000)), part(b"{}"), room=room).status == 200


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_two_ends_of_a_body_are_refused(clock: FixedClock, version: str) -> None:
    headers = CHUNKED if version == "1.0" else headers_declaring(5, *CHUNKED)
    sent = exchange_messages(clock, scope("/health", headers=headers) | {"http_version": version}, part(b"abcde"))
    assert sent.status == 400
    assert sent.headers[b"connection"] == b"close"


@pytest.mark.parametrize(
    "odd",
    [
        {"http_version": "2.0"},
        {"headers": [(b"x-api-key", KEY.encode())]},
        {"headers": [(b"host", b"here"), (b"host", b"there"), (b"x-api-key", KEY.encode())]},
        {"headers": [(b"host", b"here"), (b"transfer-encoding", b"gzip, chunked")]},
    ],
)
def test_what_servers_on_the_way_may_have_read_otherwise_is_refused(clock: FixedClock, odd: Message) -> None:
    sent = exchange_messages(clock, scope("/health") | odd)
    assert sent.status == 400
    assert sent.headers[b"connection"] == b"close"


def test_a_call_that_takes_too_long_is_answered_without_it_and_still_counts(clock: FixedClock) -> None:
    stuck = threading.Event()

    def handler(event: Mapping[str, Any], context: object) -> dict[str, Any]:
        assert stuck.wait(30)
        return echo(event, context)

    limits = TimeLimits(turn=1, call=1.1)
    sent = exchange_messages(clock, scope(), part(b""), limits=limits, handler=handler, on_answer=stuck.set)
    assert sent.status == 504
    assert b"Whether it takes effect is not known" in sent.messages[1]["body"]


def test_a_store_that_is_down_is_said_in_json(clock: FixedClock, monkeypatch: pytest.MonkeyPatch) -> None:
    def down(*_: object) -> KeyRecord | None:
        raise Unavailable("The store does not answer.", "Try again.")

    monkeypatch.setattr(OneKey, "key", down)
    for size in (2, 1_000_000):
        sent = exchange_messages(clock, scope(headers=headers_declaring(size)), part(b"{}"))
        assert sent.status == 503
        assert b"The store does not answer." in sent.messages[1]["body"]


def test_a_client_that_hangs_up_is_not_answered(clock: FixedClock) -> None:
    assert answers(clock, scope(), {"type": "http.disconnect"}) == []


@pytest.mark.parametrize("path", ["/mcp", "/mcp/time"])
def test_nothing_under_mcp_is_reached_without_a_key(clock: FixedClock, path: str) -> None:
    start, *_ = answers(clock, scope(path, key=""), part(b"{}"))
    assert start["status"] == 401
