"""JSON responses for refused requests, unknown paths, limits and defects."""

import os
from collections.abc import Callable
from typing import Any

import msgspec

from almanac.gateway.observability.telemetry import Telemetry
from almanac.identity.access.refusals import NO_KEY, Refusal, too_many
from almanac.kernel.errors import InvalidInput, Unavailable
from almanac.kernel.ids import new_reference
from almanac.protocol.wire.http import Response

Json = dict[str, Any]


CHALLENGE = 'Bearer realm="almanac"'
_encode = msgspec.json.Encoder().encode


def refusal_response(refusal: Refusal, origin: str | None = None, path: str = "/mcp") -> Response:
    """Return the response to a refused request.

    401 and 403 carry WWW-Authenticate, 403 also names the needed scope, and 429 says when to retry. `origin` is where
    clients sign in, None if they cannot."""
    headers: dict[str, str] = {}
    if refusal.status in (401, 403):
        headers["www-authenticate"] = challenge(refusal, origin, path)
    if refusal.retry_after_seconds is not None:
        headers["retry-after"] = str(refusal.retry_after_seconds)
    return json_response(refusal.status, _refusal_body(refusal), headers)


def challenge(refusal: Refusal, origin: str | None, path: str) -> str:
    """Return the value of WWW-Authenticate for a refused request at `path`."""
    if refusal.status == 403:
        narrow = f'{CHALLENGE}, error="insufficient_scope"'
        return narrow if refusal.scope is None else f'{narrow}, scope="{refusal.scope}"{_metadata(origin, path)}'
    if origin is None:
        return CHALLENGE
    from almanac.identity.oauth.scopes import ALL  # noqa: PLC0415 - most processes never need it

    wrong = "" if refusal == NO_KEY else ', error="invalid_token"'
    return f'{CHALLENGE}{wrong}{_metadata(origin, path)}, scope="{ALL}"'


def _metadata(origin: str | None, path: str) -> str:
    """Return the parameter with the URL of the metadata of the resource at `path`, "" if the server has no sign-in."""
    if origin is None:
        return ""
    from almanac.identity.oauth.resources import HUB, PROTECTED_RESOURCE  # noqa: PLC0415 - most processes never need it

    below = path.rstrip("/")
    inside = below if below == HUB or below.startswith(f"{HUB}/") else ""
    return f', resource_metadata="{origin}{PROTECTED_RESOURCE}{inside}"'


def guard(answer: Callable[[], Response], telemetry: Telemetry, where: str) -> Response:
    """Return the answer, or the response to the exception that was raised.

    This is the outermost boundary of the process. An unexpected exception is logged under a reference, and the caller
    learns only the reference."""
    try:
        return answer()
    except InvalidInput as wrong:
        return bad_request(str(wrong))
    except Unavailable as down:
        return unavailable(str(down))
    except Exception as defect:  # noqa: BLE001 - no code above could answer
        reference = new_reference(os.urandom)
        telemetry.defect(reference, where, defect)
        return internal_error(reference)


def not_found(hint: str) -> Response:
    return json_response(404, _error_body(404, f"There is nothing at this path. {hint}", {"code": "not_found"}))


def unavailable(message: str) -> Response:
    facts = {"code": "unavailable", "retryable": True}
    return json_response(503, _error_body(503, message, facts), {"retry-after": "1"})


def bad_request(message: str) -> Response:
    return json_response(400, _error_body(400, message, {"code": "invalid_input"}))


def too_large(limit: int) -> Response:
    message = f"The body is larger than {limit} bytes. Send less at a time."
    return json_response(413, _error_body(413, message, {"code": "too_large", "limit_bytes": limit}))


def too_slow(seconds: float) -> Response:
    message = f"The body did not arrive within {seconds:g} seconds. Send the request again."
    return json_response(408, _error_body(408, message, {"code": "timeout", "retryable": True}))


def too_busy(*, own: bool) -> Response:
    """Return the response to a request that was not started: the tenant is at its limit if `own`, else the server."""
    if not own:
        return unavailable("Too many requests wait already. Nothing was done. Repeat the request in a second.")
    return refusal_response(too_many("as many calls of this tenant as may run at once do so, and others wait", 1))


def overdue(seconds: float) -> Response:
    message = (
        f"The call took longer than {seconds:g} seconds and was not waited for. Whether it takes effect is not known: "
        "look before you repeat it."
    )
    return json_response(504, _error_body(504, message, {"code": "timeout", "retryable": False}))


def internal_error(reference: str) -> Response:
    message = f"Internal error, reference {reference}. Nothing is wrong with the request; try again later."
    return json_response(500, _error_body(500, message, {"code": "internal_error", "reference": reference}))


def json_response(status: int, body: Json, headers: dict[str, str] | None = None) -> Response:
    return Response(status, {"content-type": "application/json", **(headers or {})}, _encode(body).decode())


def _refusal_body(refusal: Refusal) -> Json:
    facts: Json = {"code": refusal.code, "hint": refusal.hint}
    if refusal.needed_scope is not None:
        facts["needed_scope"] = refusal.needed_scope
    if refusal.retry_after_seconds is not None:
        facts["retry_after_seconds"] = refusal.retry_after_seconds
    body = _error_body(refusal.status, f"{refusal.message} {refusal.hint}", facts)
    # Programs that do not know JSON-RPC look for these at the top level.
    return body | {name: facts[name] for name in ("needed_scope", "retry_after_seconds") if name in facts}


def _error_body(status: int, message: str, data: Json) -> Json:
    return {"jsonrpc": "2.0", "id": None, "error": {"code": status, "message": message, "data": data}}
