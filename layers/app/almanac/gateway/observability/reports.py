"""What a request was and how it went, read from its two bodies without keeping any of their contents."""

import msgspec
from msgspec import UNSET, UnsetType

from almanac.gateway.observability.request_report import printable
from almanac.protocol.message.rpc import INTERNAL_ERROR
from almanac.protocol.wire.http import Request, Response

_HEAD = 200
_CALL = "tools/call"


class _Params(msgspec.Struct):
    name: str = ""


class _Method(msgspec.Struct):
    method: str = ""


class _Call(msgspec.Struct):
    params: _Params


class _Result(msgspec.Struct, rename="camel"):
    is_error: bool = False


class _Error(msgspec.Struct):
    code: int = 0


class _Answer(msgspec.Struct):
    result: _Result | UnsetType = UNSET
    error: _Error | UnsetType = UNSET


_read_method = msgspec.json.Decoder(_Method).decode
_read_call = msgspec.json.Decoder(_Call).decode
_read_answer = msgspec.json.Decoder(_Answer).decode


def what_was_asked(request: Request) -> tuple[str, str]:
    """(method, tool): JSON-RPC's method and the name of the called tool, HTTP's method where the body has none."""
    try:
        method = _read_method(request.body).method or request.method
        tool = _read_call(request.body).params.name if method == _CALL else ""
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return request.method, ""
    return printable(method), printable(tool)


def how_it_went(method: str, response: Response) -> str:
    """ok, error, refused or failed."""
    if response.status >= 500:
        return "failed"
    if response.status in (401, 403, 429):
        return "refused"
    if response.status >= 400:
        return "error"
    body = response.body
    if response.headers.get("content-type") == "text/event-stream":
        # The result is the last event.
        body = body.rstrip().rpartition(b"data:")[2]
    # A list is long and has no outcome of its own: only its beginning is looked at.
    return _outcome(body) if method == _CALL or b',"error":' in body[:_HEAD] else "ok"


def _outcome(body: bytes) -> str:
    try:
        answer = _read_answer(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return "ok"
    if answer.error is not UNSET:
        return "failed" if answer.error.code == INTERNAL_ERROR else "error"
    return "error" if answer.result is not UNSET and answer.result.is_error else "ok"
