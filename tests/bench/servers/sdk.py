"""The same nine tools behind the official SDK: its low-level server, one message at a time through `serve_one`."""

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import anyio
from mcp.server.connection import Connection
from mcp.server.runner import serve_one
from mcp.shared.exceptions import NoBackChannelError
from mcp.shared.inbound import InboundModernRoute, classify_inbound_request
from mcp.shared.transport_context import TransportContext
from mcp_types import JSONRPCRequest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from servers import sdk_server


@dataclass
class _Exchange:
    """What the SDK wants to know of one HTTP request; there is nobody to talk back to."""

    transport: TransportContext
    request_id: int | str
    message_metadata: None = None
    can_send_request: bool = False
    cancel_requested: anyio.Event = field(default_factory=anyio.Event)

    async def send_raw_request(
        self, method: str, params: Mapping[str, Any] | None, opts: object = None
    ) -> dict[str, Any]:
        raise NoBackChannelError(method)

    async def notify(self, method: str, params: Mapping[str, Any] | None, opts: object = None) -> None: ...

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None: ...


_server = sdk_server.make()
# One loop for all requests, as a Lambda handler over the SDK would keep it.
_loop = asyncio.new_event_loop()


def prepare(body: str, headers: dict[str, str]) -> Callable[[], str]:
    return lambda: _loop.run_until_complete(_answer(body, headers))


def text(answer: str) -> str:
    return answer


async def _answer(body: str, headers: dict[str, str]) -> str:
    message = json.loads(body)
    request = JSONRPCRequest.model_validate(message)
    exchange = _Exchange(TransportContext(kind="streamable-http", can_send_request=False, headers=headers), request.id)
    result = await serve_one(
        _server, exchange, request.method, request.params, connection=_connection(message, headers), lifespan_state={}
    )
    return json.dumps({"jsonrpc": "2.0", "id": request.id, "result": result})


def _connection(message: dict[str, Any], headers: dict[str, str]) -> Connection:
    revision = headers["mcp-protocol-version"]
    if revision in HANDSHAKE_PROTOCOL_VERSIONS:
        return Connection.from_envelope(revision, None, None)
    route = classify_inbound_request(message, headers=headers)
    assert isinstance(route, InboundModernRoute)
    return Connection.from_envelope(route.protocol_version, route.client_info, route.client_capabilities)
