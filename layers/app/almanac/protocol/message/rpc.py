"""JSON-RPC 2.0 as MCP uses it: a body holds one request, notification or response, never a batch."""

from typing import Any, Final, Literal

import msgspec
from msgspec import UNSET, UnsetType

from almanac.protocol.message.depth import MAX_LEVELS, is_too_deep, may_be_too_deep

Json = dict[str, Any]
Id = int | str

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
RESOURCE_NOT_FOUND: Final = -32002
HEADER_MISMATCH: Final = -32020
MISSING_CLIENT_CAPABILITY: Final = -32021
UNSUPPORTED_VERSION: Final = -32022


class RpcError(Exception):
    """JSON-RPC error response: `code`, one sentence, and `data` if the protocol defines some."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data

    @property
    def is_callers(self) -> bool:
        """Return whether the request is at fault rather than the server."""
        return self.code != INTERNAL_ERROR


class Message(msgspec.Struct):
    """JSON-RPC message. A request has a method and an id, a notification only a method, a response neither."""

    jsonrpc: Literal["2.0"]
    id: Id | UnsetType = UNSET
    method: str | UnsetType = UNSET
    params: Json | None = None
    result: Any = UNSET
    error: Any = UNSET


_MESSAGES = msgspec.json.Decoder(Message)
_encode = msgspec.json.Encoder().encode


def read(body: bytes) -> Message:
    """Parse the message in `body`.

    RpcError PARSE_ERROR for a body that is not JSON, INVALID_REQUEST for JSON that is not a message.
    """
    try:
        message = _MESSAGES.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise _unreadable(body) from None
    if may_be_too_deep(body) and is_too_deep(message.params):
        raise RpcError(INVALID_REQUEST, f"The message is nested more than {MAX_LEVELS} levels deep.")
    if message.method is UNSET and message.result is UNSET and message.error is UNSET:
        raise RpcError(INVALID_REQUEST, "The message has no method.")
    return message


def _unreadable(body: bytes) -> RpcError:
    try:
        decoded = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return RpcError(PARSE_ERROR, "The body is not JSON in UTF-8, or is nested too deeply.")
    if isinstance(decoded, list):
        return RpcError(INVALID_REQUEST, "Batches are not supported. Send one message per request.")
    return RpcError(
        INVALID_REQUEST,
        'The body must be one JSON-RPC object: "jsonrpc" is "2.0", "id" a string or an integer, "method" a string, '
        '"params" an object.',
    )


def json_text(value: Any) -> str:
    """Encode `value` as JSON text. Messages are assembled as text because API Gateway takes text."""
    return _encode(value).decode()


def success(id: Id, *fields: str) -> str:
    """Return a response whose result has `fields`: pieces of JSON text that form an object without its braces.

    The pieces are copied only here: a list of tools is long, and each copy of it costs more than a call.
    """
    return "".join(('{"jsonrpc":"2.0","id":', json_text(id), ',"result":{', *fields, "}}"))


def failure(id: Id | None, error: RpcError) -> str:
    """Return an error response. `id` is None if the request's id could not be read."""
    fields: Json = {"code": error.code, "message": error.message}
    if error.data is not None:
        fields["data"] = error.data
    return f'{{"jsonrpc":"2.0","id":{json_text(id)},"error":{json_text(fields)}}}'


def notification(method: str, params: Json) -> str:
    return json_text({"jsonrpc": "2.0", "method": method, "params": params})
