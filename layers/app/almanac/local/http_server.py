"""HTTP on the laptop: each request becomes API Gateway's event and goes through the authorizer and the very handler."""

import asyncio
import base64
import time
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any
from urllib.parse import parse_qsl

from almanac.gateway.authorizer import judge, refusal_report
from almanac.gateway.http_door import HUB, Handler
from almanac.gateway.http_event import answer_event
from almanac.gateway.responses import json_response, refused, too_large, too_slow, unavailable
from almanac.gateway.telemetry import Telemetry
from almanac.identity.context import to_context
from almanac.identity.gatekeeper import Gatekeeper
from almanac.identity.refusals import Refusal
from almanac.protocol.http import MAX_BODY_BYTES

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

HEALTH = "/health"
BODY_SECONDS = 30.0
# Of a body that is too large this much is read and dropped, so that its sender gets to read the answer.
_DRAINED_BYTES = 64 * 1024 * 1024


class _TooLarge(Exception):
    pass


class _Gone(Exception):
    """The client hung up before its request was complete."""


class HttpServer:
    """An ASGI application. `health` is what /health answers; calls run on the threads of `executor`."""

    def __init__(
        self,
        handler: Handler,
        gatekeeper: Gatekeeper,
        telemetry: Telemetry,
        executor: ThreadPoolExecutor,
        *,
        health: Mapping[str, Any],
        body_seconds: float = BODY_SECONDS,
    ) -> None:
        self._handler = handler
        self._gatekeeper = gatekeeper
        self._telemetry = telemetry
        self._executor = executor
        self._health = json_response(200, dict(health))
        self._body_seconds = body_seconds
        self._calls: set[Future[dict[str, Any]]] = set()

    @property
    def is_busy(self) -> bool:
        """Whether a call runs, be it one whose client has gone."""
        return bool(self._calls)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == HEALTH and scope["method"] in ("GET", "HEAD"):
            await _send(send, answer_event(self._health, is_rest=False), close=False)
            return
        try:
            body = await asyncio.wait_for(_read(scope, receive), self._body_seconds)
        except _TooLarge:
            await _send(send, answer_event(too_large(MAX_BODY_BYTES), is_rest=False), close=True)
        except TimeoutError:
            await _send(send, answer_event(too_slow(self._body_seconds), is_rest=False), close=True)
        except _Gone:
            return
        else:
            event = to_event(scope, body)
            call = self._executor.submit(self._answer, event)
            self._calls.add(call)
            call.add_done_callback(self._calls.discard)
            try:
                await _send(send, await asyncio.wrap_future(call), close=False)
            except asyncio.CancelledError:
                # The server stops and has waited long enough.
                stopping = unavailable("The server is stopping. Whether the call took effect is not known.")
                await _send(send, answer_event(stopping, is_rest=False), close=True)

    def _answer(self, event: dict[str, Any]) -> dict[str, Any]:
        started = time.perf_counter()
        path = event["rawPath"]
        if path == HUB or path.startswith(HUB + "/"):
            verdict = judge(event, self._gatekeeper)
            if isinstance(verdict, Refusal):
                elapsed = (time.perf_counter() - started) * 1000
                self._telemetry.answered(refusal_report(event, verdict, elapsed))
                return answer_event(refused(verdict), is_rest=False)
            event["requestContext"]["authorizer"] = {"lambda": to_context(verdict)}
        return self._handler(event, None)


def to_event(scope: Scope, body: bytes) -> dict[str, Any]:
    """The request as an HTTP API's event, payload format 2.0."""
    headers = _joined((name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"])
    query = scope["query_string"].decode("latin-1")
    method, path = scope["method"], scope["path"]
    client = scope.get("client") or ("unknown", 0)
    event: dict[str, Any] = {
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": path,
        "rawQueryString": query,
        "headers": headers,
        "queryStringParameters": _joined(parse_qsl(query, keep_blank_values=True)),
        "requestContext": {
            "stage": "$default",
            "http": {
                "method": method,
                "path": path,
                "protocol": f"HTTP/{scope['http_version']}",
                "sourceIp": client[0],
                "userAgent": headers.get("user-agent", ""),
            },
        },
    }
    try:
        return event | {"body": body.decode(), "isBase64Encoded": False}
    except UnicodeDecodeError:
        return event | {"body": base64.b64encode(body).decode("ascii"), "isBase64Encoded": True}


def _joined(pairs: Any) -> dict[str, str]:
    joined: dict[str, str] = {}
    for name, value in pairs:
        joined[name] = f"{joined[name]},{value}" if name in joined else value
    return joined


async def _read(scope: Scope, receive: Receive) -> bytes:
    body, size, limit = bytearray(), 0, MAX_BODY_BYTES
    declared = dict(scope["headers"]).get(b"content-length", b"0")
    if declared.isdigit() and int(declared) > _DRAINED_BYTES:
        raise _TooLarge
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise _Gone
        chunk: bytes = message.get("body", b"")
        size += len(chunk)
        if size <= limit:
            body += chunk
        elif size > _DRAINED_BYTES:
            raise _TooLarge
        if not message.get("more_body", False):
            if size > limit:
                raise _TooLarge
            return bytes(body)


async def _send(send: Send, answer: dict[str, Any], *, close: bool) -> None:
    body = answer["body"].encode()
    headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in answer["headers"].items()]
    headers.append((b"content-length", str(len(body)).encode()))
    if close:
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": answer["statusCode"], "headers": headers})
    await send({"type": "http.response.body", "body": body})
