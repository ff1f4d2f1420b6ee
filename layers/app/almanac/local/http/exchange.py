"""Conversion of ASGI requests to API Gateway's events, and of the answers back."""

import base64
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

from almanac.gateway.http.event import answer_event
from almanac.local.http.asgi import Scope, Send
from almanac.local.http.request_body import Body
from almanac.protocol.wire.http import MAX_BODY_BYTES, Response

Answer = dict[str, Any]

_DROPPED_BYTES = 2 * MAX_BODY_BYTES
_DROPPING_SECONDS = 5.0


def doubtful(scope: Scope, headers: Mapping[bytes, bytes]) -> str | None:
    """Return what is wrong with a request whose host or end is ambiguous, or None. A proxy before this server may have
    read such a request differently."""
    coding, version = headers.get(b"transfer-encoding"), scope["http_version"]
    if version not in ("1.0", "1.1"):
        return "Speak HTTP/1.1."
    if coding is not None and (b"content-length" in headers or version == "1.0"):
        return "Send Content-Length or, with HTTP/1.1, Transfer-Encoding: never both."
    if coding is not None and coding.lower() != b"chunked":
        return "Send bodies as they are, or chunked: no other Transfer-Encoding is known here."
    hosts = sum(name == b"host" for name, _ in scope["headers"])
    if hosts > 1 or (hosts == 0 and version == "1.1"):
        return "Send one Host header."
    return None


def to_event(scope: Scope) -> dict[str, Any]:
    """Return the request without its body as an HTTP API's event in payload format 2.0. `with_body` adds the body."""
    headers = _join_repeated((name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"])
    query = scope["query_string"].decode("latin-1")
    method, path = scope["method"], scope["path"]
    event: dict[str, Any] = {
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": path,
        "rawQueryString": query,
        "headers": headers,
        "queryStringParameters": _join_repeated(parse_qsl(query, keep_blank_values=True)),
        "requestContext": {
            "stage": "$default",
            "http": {
                "method": method,
                "path": path,
                "protocol": f"HTTP/{scope['http_version']}",
                "sourceIp": client_of(scope),
                "userAgent": headers.get("user-agent", ""),
            },
        },
    }
    return with_body(event, b"")


def with_body(event: dict[str, Any], body: bytes) -> dict[str, Any]:
    """Return the event with this body."""
    try:
        return event | {"body": body.decode(), "isBase64Encoded": False}
    except UnicodeDecodeError:
        return event | {"body": base64.b64encode(body).decode("ascii"), "isBase64Encoded": True}


def _join_repeated(pairs: Any) -> dict[str, str]:
    joined: dict[str, str] = {}
    for name, value in pairs:
        joined[name] = f"{joined[name]},{value}" if name in joined else value
    return joined


def client_of(scope: Scope) -> str:
    client = scope.get("client")
    return client[0] if client else "unknown"


async def send_answer(send: Send, answer: Answer, *, close: bool = False, body: Body | None = None) -> None:
    """Send the answer. A client that is still sending `body` gets to read it before the connection is closed."""
    content = answer["body"].encode()
    headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in answer["headers"].items()]
    headers.append((b"content-length", str(len(content)).encode()))
    if close:
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": answer["statusCode"], "headers": headers})
    if body is not None:
        await send({"type": "http.response.body", "body": content, "more_body": True})
        await body.drop(_DROPPED_BYTES, _DROPPING_SECONDS)
        content = b""
    await send({"type": "http.response.body", "body": content})


async def send_last(send: Send, response: Response, body: Body | None = None) -> None:
    """Send the response and close the connection."""
    await send_answer(send, answer_event(response, is_rest=False), close=True, body=body)
