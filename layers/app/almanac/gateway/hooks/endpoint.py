"""Endpoint of hooks. Its answer never stops the client, whatever the request contains."""

from typing import Any

import msgspec

from almanac.gateway.hooks.answers import EMPTY
from almanac.gateway.hooks.events import CLIENTS, as_object, read_event
from almanac.gateway.hooks.service import Hooks, TryAgain
from almanac.gateway.http.facts import HOOKS
from almanac.gateway.http.responses import json_response, not_found
from almanac.kernel.caller import Caller
from almanac.kernel.clock import Clock
from almanac.kernel.errors import Unavailable
from almanac.platform.store.port import Store
from almanac.protocol.message.revisions import HANDSHAKE
from almanac.protocol.wire.http import HttpEndpoint, Request, Response, ServedRequest

Json = dict[str, Any]
RETRY_HEADER = "x-almanac-retry"
"""Header of an answer to an event that could not be recorded now."""
STATUS = "status"
_HEADERS = {"content-type": "application/json", "mcp-protocol-version": HANDSHAKE[-1]}
_encode = msgspec.json.Encoder().encode


def answer_hook(
    name: str, request: Request, caller: Caller, endpoint: HttpEndpoint, store: Store, clock: Clock
) -> Response:
    """Return the answer to `/hooks/<name>` for an admitted caller, calling tools through `endpoint`."""
    if refused := endpoint.origin_refusal({name.lower(): value.strip() for name, value in request.headers.items()}):
        return refused
    if name not in (*CLIENTS, STATUS):
        return not_found(f"Hooks are sent with POST to {HOOKS}/<client>, which is one of {', '.join(CLIENTS)}.")
    if request.method != "POST":
        message = {"code": 405, "message": "Send hooks with POST.", "data": {"code": "invalid_input"}}
        return json_response(405, {"jsonrpc": "2.0", "id": None, "error": message}, {"allow": "POST"})
    hooks = Hooks(_Tools(endpoint, caller).call, store, caller, clock)
    headers: dict[str, str] = {}
    answer, kind, outcome = EMPTY, name, "ok"
    try:
        if name == STATUS:
            answer = hooks.usage()
        elif event := read_event(name, request.body, request.query.get("event", "")):
            kind = f"{name} {event.kind}"
            answer = hooks.answer(event)
    except (TryAgain, Unavailable):
        headers[RETRY_HEADER] = "1"
        outcome = "error"
    response = json_response(200, answer, headers)
    return msgspec.structs.replace(response, served=ServedRequest(outcome, f"hooks {kind}"))


class _Tools:
    """The tools of one caller, with the scope, limits and audit trail of every other client."""

    def __init__(self, endpoint: HttpEndpoint, caller: Caller) -> None:
        self._endpoint = endpoint
        self._caller = caller

    def call(self, tool: str, /, **arguments: Any) -> Json | None:
        """Return the structured result, or None for a refusal. Raises TryAgain if the call could succeed later."""
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
        response = self._endpoint.answer(Request("POST", _HEADERS, _encode(message)), self._caller)
        answered: Json = msgspec.json.decode(response.body)
        result = as_object(answered.get("result"))
        if result and not result.get("isError"):
            return as_object(result.get("structuredContent"))
        facts = as_object(as_object(result.get("_meta")).get("almanac/error"))
        if facts.get("retryable"):
            raise TryAgain
        return None
