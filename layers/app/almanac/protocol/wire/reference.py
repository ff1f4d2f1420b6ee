"""Server on the official SDK over the same tools. It serves stdio, and tests compare the wire with it.

Importing the SDK costs half a second, so nothing that answers HTTP on Lambda imports this module.
"""

import json
from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types
import msgspec
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server as SdkServer
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from almanac.kernel.caller import Caller
from almanac.protocol.introduction import introduction
from almanac.protocol.invoke import Host
from almanac.protocol.message.revisions import HANDSHAKE
from almanac.protocol.message.rpc import RpcError
from almanac.protocol.toolset import EVERYTHING, Selection, Toolset, View
from almanac.protocol.wire import capabilities, methods
from almanac.protocol.wire.exchange import Exchange
from almanac.protocol.wire.methods import HANDSHAKE_METHODS, STATELESS_METHODS, Server
from almanac.protocol.wire.server_info import ServerInfo

Context = ServerRequestContext[Any, Any]
Handler = Callable[[Context, types.RequestParams], Awaitable[dict[str, Any]]]

_NOTICES: dict[str, type[types.ProgressNotification | types.LoggingMessageNotification]] = {
    "notifications/progress": types.ProgressNotification,
    "notifications/message": types.LoggingMessageNotification,
}


async def serve_stdio(
    toolset: Toolset, host: Host, caller: Caller, server: ServerInfo, selection: Selection = EVERYTHING
) -> None:
    """Serve `caller` on this process's standard input and output until the input ends."""
    sdk = sdk_server(toolset, host, caller, server, selection=selection)
    async with stdio_server() as (received, sent):
        await sdk.run(received, sent, sdk.create_initialization_options())


class _CapableServer(SdkServer[Any]):
    """SDK server that declares the same capabilities as the wire. The SDK itself would spell out every flag."""

    offered: types.ServerCapabilities

    def get_capabilities(self, *_: Any, **__: Any) -> types.ServerCapabilities:
        return self.offered


def sdk_server(
    toolset: Toolset,
    host: Host,
    caller: Caller,
    server: ServerInfo,
    *,
    selection: Selection = EVERYTHING,
    revision: str = HANDSHAKE[-1],
) -> SdkServer[Any]:
    """Return the SDK's low-level server over the tools that `caller` may see, introduced as in `revision`."""
    view = toolset.view(caller, selection)
    described = server.to_wire(revision)
    sdk = _CapableServer(
        server.name,
        version=server.version,
        title=described.get("title"),
        instructions=introduction(view) or None,
        website_url=described.get("websiteUrl"),
        icons=[types.Icon.model_validate(icon) for icon in described.get("icons", [])] or None,
        get_tool_input_schema=lambda name: _input_schema(view, name),
    )
    sdk.offered = types.ServerCapabilities.model_validate(capabilities.capabilities(view, revision))
    sdk.middleware.clear()
    for name, method in (HANDSHAKE_METHODS | STATELESS_METHODS).items():
        if name not in ("initialize", "ping") and capabilities.has_feature(view, method.feature):
            sdk.add_request_handler(name, types.RequestParams, _handler(name, view, caller, Server(server, host)))
    return sdk


def _input_schema(view: View, name: str) -> dict[str, Any] | None:
    tool = view.by_name.get(name)
    return tool.input_schema if tool else None


def _handler(name: str, view: View, caller: Caller, server: Server) -> Handler:
    async def handle(context: Context, _params: types.RequestParams) -> dict[str, Any]:
        exchange = Exchange(name, dict(context.params or {}), context.protocol_version, caller, view)
        try:
            method = methods.find_method(exchange)
            fields = methods.run(method, exchange, server)
        except RpcError as error:
            raise MCPError(error.code, error.message, error.data) from None
        for notice in exchange.notices:
            notification = json.loads(notice)
            await context.session.send_notification(
                _NOTICES[notification["method"]].model_validate(notification), context.request_id
            )
        result = msgspec.json.decode(f"{{{fields}}}")
        if exchange.stateless:
            result["resultType"] = exchange.result_type
            if (ttl_ms := methods.ttl_of(method, exchange)) is not None and exchange.result_type == "complete":
                result |= {"ttlMs": ttl_ms, "cacheScope": "private"}
        return result | ({"_meta": exchange.meta} if exchange.meta else {})

    return handle
