"""The same nine tools behind awslabs.mcp-lambda-handler."""

# pyright: reportMissingImports=false, reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownLambdaType=false

from collections.abc import Callable
from typing import Any

import msgspec
from awslabs.mcp_lambda_handler import MCPLambdaHandler
from servers.api_gateway import Context, event, text

from almanac.families.time.family import family
from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import SystemClock
from almanac.protocol.tool import Tool

__all__ = ["prepare", "text"]

_COLLABORATORS = {"clock": SystemClock(), "caller": Caller(Scope("bench", "default"), "bench", "k0")}
_encode = msgspec.json.Encoder().encode
_server = MCPLambdaHandler(name="almanac", version="0")


def _offer(tool: Tool) -> None:
    function = tool.function
    injected = function.__kwdefaults__ or {}
    names = function.__code__.co_varnames[: function.__code__.co_argcount + function.__code__.co_kwonlyargcount]
    provided = {name: _COLLABORATORS[name] for name in names[function.__code__.co_argcount :] if name not in injected}

    def call(**arguments: Any) -> str:
        return _encode(function(**arguments, **provided)).decode()

    call.__name__, call.__doc__ = function.__name__, function.__doc__
    call.__annotations__ = {name: kind for name, kind in function.__annotations__.items() if name not in provided}
    _server.tool()(call)


for _tool in family.tools:
    _offer(_tool)


def prepare(body: str, headers: dict[str, str]) -> Callable[[], dict[str, Any]]:
    request, context = event("/mcp/time", body, headers), Context()
    return lambda: _server.handle_request(request, context)
