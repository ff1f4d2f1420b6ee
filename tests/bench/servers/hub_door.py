"""The hub function as Lambda runs it: its folder is on the import path."""

# pyright: reportMissingImports=false, reportUnknownMemberType=false, reportUnknownLambdaType=false

from collections.abc import Callable
from typing import Any

import handle_http
from servers.api_gateway import Context, event, text

__all__ = ["prepare", "text"]


def prepare(body: str, headers: dict[str, str]) -> Callable[[], dict[str, Any]]:
    request, context = event("/mcp", body, headers), Context()
    return lambda: handle_http.handler(request, context)
