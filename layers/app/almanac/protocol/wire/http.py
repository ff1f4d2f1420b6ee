"""Streamable HTTP on one endpoint: one request, one response, and no state in between.

Responses are buffered. Notifications of a call precede its result in one event stream if the client accepts event
streams. All other responses are JSON.
"""

from collections.abc import Callable, Mapping

import msgspec

from almanac.kernel.caller import Caller
from almanac.kernel.errors import InvalidInput
from almanac.protocol import selection
from almanac.protocol.invoke import Host
from almanac.protocol.message import origin, rpc
from almanac.protocol.message.rpc import RpcError
from almanac.protocol.toolset import NO_SETS, Toolset, ToolSets
from almanac.protocol.wire.engine import Reply, Wire
from almanac.protocol.wire.exchange import ServedRequest
from almanac.protocol.wire.server_info import ServerInfo

__all__ = ["MAX_BODY_BYTES", "HttpEndpoint", "Request", "Response", "ServedRequest", "ServerInfo"]

MAX_BODY_BYTES = 4 * 1024 * 1024

_JSON = "application/json"
_EVENTS = "text/event-stream"

_TOO_LONG = RpcError(
    rpc.INVALID_PARAMS,
    "The answer is larger than can be sent. Ask for less: a smaller limit, a shorter span, fewer operations, or one "
    "item at a time. If the call changes something, that has happened.",
    {"code": "answer_too_large"},
)


class Request(msgspec.Struct, frozen=True):
    """HTTP request. Header names may have any case; `query` is decoded, with one value per name. `hub_url` is as in
    `Call`."""

    method: str
    headers: Mapping[str, str]
    body: bytes
    query: Mapping[str, str] = msgspec.field(default_factory=dict[str, str])
    hub_url: str | None = None


class Response(msgspec.Struct, frozen=True):
    """HTTP response with JSON or an event stream as its body. `served` is None if no message was read."""

    status: int
    headers: dict[str, str]
    body: str
    served: ServedRequest | None = None


class HttpEndpoint:
    """MCP endpoint at one address.

    `allowed_origins`, such as `https://app.example.com`, are the pages that may call it. `carries` returns whether the
    server in front of the endpoint can deliver a body; by default it delivers all. `sets` are the sets that `?set=` may
    name.
    """

    def __init__(
        self,
        toolset: Toolset,
        host: Host,
        *,
        server: ServerInfo,
        allowed_origins: frozenset[str] = frozenset(),
        carries: Callable[[str], bool] = lambda _: True,
        sets: ToolSets = NO_SETS,
    ) -> None:
        self._families = frozenset(family.name for family in toolset.families)
        self._wire = Wire(toolset, host, server)
        self._allowed_origins = frozenset(allowed_origin.lower().rstrip("/") for allowed_origin in allowed_origins)
        self._carries = carries
        self._sets = sets

    def answer(self, request: Request, caller: Caller) -> Response:
        """Return the response to `request`. It never raises, and never has a status of 500 or above."""
        headers = {name.lower(): value.strip() for name, value in request.headers.items()}
        if refused := self._request_refusal(request, headers):
            return refused
        try:
            selected = selection.read(request.query, headers, self._families, self._sets)
        except InvalidInput as error:
            return _error(400, str(error))
        reply = self._wire.answer(request.body, headers, caller, selected, request.hub_url)
        response = _response(reply, headers)
        if self._carries(response.body):
            return response
        response = _response(self._wire.refusal(reply, request.body, headers, _TOO_LONG), headers)
        if self._carries(response.body):
            return response
        # Both responses carry the message's id, which may itself be too long.
        return msgspec.structs.replace(_error(response.status, _TOO_LONG.message), served=response.served)

    def origin_refusal(self, headers: Mapping[str, str]) -> Response | None:
        """Return the refusal for a browser page that may not call this server; None for programs and other pages.

        Header names are in lower case.
        """
        if origin.is_allowed(headers.get("origin"), headers.get("host", ""), self._allowed_origins):
            return None
        return _error(403, "Pages of this origin may not call this server.")

    def _request_refusal(self, request: Request, headers: Mapping[str, str]) -> Response | None:
        if refused := self.origin_refusal(headers):
            return refused
        if request.method.upper() != "POST":
            return _error(
                405, "Send messages with POST. There is no stream to GET and no session to DELETE.", allow="POST"
            )
        if len(request.body) > MAX_BODY_BYTES:
            return _error(
                413,
                f"The body is over {MAX_BODY_BYTES} bytes. Send less at a time: fewer files or items in a call, and "
                "the files of a large skill one by one with upload_only.",
            )
        media_type = headers.get("content-type", _JSON).partition(";")[0].rstrip().lower()
        if media_type != _JSON:
            return _error(415, f"Send the message as {_JSON}.")
        return None


def _response(reply: Reply, headers: Mapping[str, str]) -> Response:
    if reply.notices and _EVENTS in headers.get("accept", "").lower():
        events = "".join(f"event: message\ndata: {text}\n\n" for text in (*reply.notices, reply.body))
        return Response(reply.status, {"content-type": _EVENTS, "cache-control": "no-cache"}, events, reply.served)
    return Response(reply.status, {"content-type": _JSON} if reply.body else {}, reply.body, reply.served)


def _error(status: int, message: str, **headers: str) -> Response:
    body = rpc.failure(None, RpcError(rpc.INVALID_REQUEST, message))
    return Response(status, {"content-type": _JSON, **headers}, body)
