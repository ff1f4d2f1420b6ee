"""The nine tools on awslabs.mcp-lambda-handler's server."""

# pyright: reportMissingImports=false, reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

from typing import Any

import msgspec
from awslabs.mcp_lambda_handler import MCPLambdaHandler

from almanac.families.time.family import family
from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import SystemClock
from almanac.platform.services import Services
from almanac.protocol.tool import Tool

_COLLABORATORS = {"clock": SystemClock(), "caller": Caller(Scope("bench", "default"), "bench", "k0")}
_encode = msgspec.json.Encoder().encode


def make(sessions: str | None = None) -> Any:
    """`sessions` is the DynamoDB table in which it keeps them; without one it keeps none."""
    server = MCPLambdaHandler(name="almanac", version="0", session_store=sessions)
    for tool in family.open(Services({})).tools:
        _offer(tool, server)
    return server


def _offer(tool: Tool, server: Any) -> None:
    function = tool.function
    injected = function.__kwdefaults__ or {}
    names = function.__code__.co_varnames[: function.__code__.co_argcount + function.__code__.co_kwonlyargcount]
    provided = {name: _COLLABORATORS[name] for name in names[function.__code__.co_argcount :] if name not in injected}

    def call(**arguments: Any) -> str:
        return _encode(function(**arguments, **provided)).decode()

    call.__name__, call.__doc__ = function.__name__, function.__doc__
    call.__annotations__ = {name: kind for name, kind in function.__annotations__.items() if name not in provided}
    server.tool()(call)
