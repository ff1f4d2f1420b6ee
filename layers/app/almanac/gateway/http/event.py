"""Conversion of API Gateway's HTTP events to requests, and of responses to API Gateway's answers.

It covers REST proxy events (payload 1.0) and the events of HTTP APIs and function URLs (payload 2.0).
"""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from almanac.gateway.http.facts import Event, read_headers, read_hub_url, read_path
from almanac.kernel.errors import InvalidInput
from almanac.protocol.wire.http import Request, Response


@dataclass(frozen=True, slots=True)
class IncomingRequest:
    """A request as API Gateway delivered it. `path` is without the stage, `context` is the authorizer's context."""

    request: Request
    path: str
    context: Mapping[str, Any]


def read_event(event: Event) -> IncomingRequest:
    """Read an event in either payload format. Raises InvalidInput if the body is marked as base64 and is not."""
    is_rest = "httpMethod" in event
    facts: Mapping[str, Any] = event.get("requestContext") or {}
    http: Mapping[str, Any] = facts.get("http") or {}
    method = str(event["httpMethod"] if is_rest else http.get("method", ""))
    request = Request(method.upper(), read_headers(event), _body(event), _query(event), read_hub_url(event))
    return IncomingRequest(request, read_path(event), _context(facts, is_rest))


def answer_event(response: Response, *, is_rest: bool) -> dict[str, Any]:
    """Return the response in API Gateway's form. Bodies are text, so base64 is never needed."""
    answer: dict[str, Any] = {
        "statusCode": response.status,
        "headers": dict(response.headers),
        "body": response.body,
        "isBase64Encoded": False,
    }
    if is_rest:
        answer["multiValueHeaders"] = {}
    return answer


def _body(event: Event) -> bytes:
    body = event.get("body")
    if not body:
        return b""
    if not event.get("isBase64Encoded"):
        return str(body).encode()
    try:
        return base64.b64decode(str(body), validate=True)
    except (binascii.Error, ValueError):
        raise InvalidInput("The body is marked as base64 but cannot be decoded as such.") from None


def _query(event: Event) -> dict[str, str]:
    repeated: Mapping[str, Any] = event.get("multiValueQueryStringParameters") or {}
    single: Mapping[str, Any] = event.get("queryStringParameters") or {}
    joined = {name: ",".join(map(str, values or ())) for name, values in repeated.items()}
    return joined | {name: str(value or "") for name, value in single.items() if name not in joined}


def _context(facts: Mapping[str, Any], is_rest: bool) -> Mapping[str, Any]:
    authorizer: Mapping[str, Any] = facts.get("authorizer") or {}
    return authorizer if is_rest else authorizer.get("lambda") or {}
