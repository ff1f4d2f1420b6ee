"""The same nine tools behind awslabs.mcp-lambda-handler."""

from collections.abc import Callable
from typing import Any

from servers import awslabs_server
from servers.api_gateway import Context, event, text

__all__ = ["handler", "prepare", "text"]

handler = awslabs_server.make().handle_request


def prepare(body: str, headers: dict[str, str]) -> Callable[[], dict[str, Any]]:
    request, context = event("/mcp/time", body, headers), Context()
    return lambda: handler(request, context)
