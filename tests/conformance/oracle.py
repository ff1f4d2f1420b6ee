"""Answers of the official SDK to a request, by its own checks and its own server, over the same tools."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import anyio
from mcp.server.connection import Connection
from mcp.server.lowlevel.server import Server
from mcp.server.runner import modern_error_data, serve_one
from mcp.shared.exceptions import NoBackChannelError
from mcp.shared.inbound import (
    ERROR_CODE_HTTP_STATUS,
    InboundLadderRejection,
    classify_inbound_request,
    validate_mcp_param_headers,
)
from mcp.shared.transport_context import TransportContext
from mcp_types import ErrorData, JSONRPCRequest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

Json = dict[str, Any]


@dataclass
class _Dispatch:
    """The SDK's view of one HTTP exchange: notifications are kept, nothing can be asked."""

    transport: TransportContext
    request_id: int | str
    message_metadata: None = None
    can_send_request: bool = False
    cancel_requested: anyio.Event = field(default_factory=anyio.Event)
    notices: list[Json] = field(default_factory=list[Json])

    async def send_raw_request(self, method: str, params: Mapping[str, Any] | None, opts: object = None) -> Json:
        raise NoBackChannelError(method)

    async def notify(self, method: str, params: Mapping[str, Any] | None, opts: object = None) -> None:
        self.notices.append({"jsonrpc": "2.0", "method": method, "params": dict(params or {})})

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        raise NotImplementedError


@dataclass(frozen=True)
class Answer:
    status: int
    body: Json
    notices: list[Json]


def answer(server: Server[Any], message: Json, headers: Mapping[str, str]) -> Answer:
    """The SDK's answer to a request with these headers, whose names are in lower case."""
    return anyio.run(_answer, server, message, headers)


async def _answer(server: Server[Any], message: Json, headers: Mapping[str, str]) -> Answer:
    request = JSONRPCRequest.model_validate(message)
    named = headers.get("mcp-protocol-version")
    dispatch = _Dispatch(TransportContext(kind="streamable-http", can_send_request=False, headers=headers), request.id)
    if named is None or named in HANDSHAKE_PROTOCOL_VERSIONS:
        connection = Connection.from_envelope(named or "2025-03-26", None, None)
        return await _serve(server, dispatch, request, connection, stateless=False)
    route = classify_inbound_request(message, headers=headers)
    if not isinstance(route, InboundLadderRejection) and request.method == "tools/call":
        route = _check_parameters(server, request, headers) or route
    if isinstance(route, InboundLadderRejection):
        return _error_answer(
            request, ErrorData(code=route.code, message=route.message, data=route.data), stateless=True
        )
    connection = Connection.from_envelope(route.protocol_version, route.client_info, route.client_capabilities)
    return await _serve(server, dispatch, request, connection, stateless=True)


def _check_parameters(
    server: Server[Any], request: JSONRPCRequest, headers: Mapping[str, str]
) -> InboundLadderRejection | None:
    params = request.params or {}
    assert server.get_tool_input_schema is not None
    schema = server.get_tool_input_schema(str(params.get("name")))
    return validate_mcp_param_headers(schema, params.get("arguments") or {}, headers) if schema else None


async def _serve(
    server: Server[Any], dispatch: _Dispatch, request: JSONRPCRequest, connection: Connection, *, stateless: bool
) -> Answer:
    try:
        result = await serve_one(
            server, dispatch, request.method, request.params, connection=connection, lifespan_state={}
        )
    except Exception as raised:  # noqa: BLE001 - the SDK's own mapping of whatever is raised
        return _error_answer(request, modern_error_data(raised), stateless=stateless)
    return Answer(200, {"jsonrpc": "2.0", "id": request.id, "result": result}, dispatch.notices)


def _error_answer(request: JSONRPCRequest, error: ErrorData, *, stateless: bool) -> Answer:
    body = {"jsonrpc": "2.0", "id": request.id, "error": error.model_dump(mode="json", exclude_none=True)}
    return Answer(ERROR_CODE_HTTP_STATUS.get(error.code, 200) if stateless else 200, json.loads(json.dumps(body)), [])
