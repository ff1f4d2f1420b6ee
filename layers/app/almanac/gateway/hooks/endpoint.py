"""The address of hooks: a client's request in, its answer out. Whatever the request holds, the client goes on."""

from typing import Any

import msgspec

from almanac.gateway.hooks.answers import EMPTY
from almanac.gateway.hooks.events import CLIENTS, mapping, read_event
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
"""In an answer to what could not be recorded now."""
STATUS = "status"
_HEADERS = {"content-type": "application/json", "mcp-protocol-version": HANDSHAKE[-1]}
_encode = msgspec.json.Encoder().encode


def answer_hook(
    name: str, request: Request, caller: Caller, endpoint: HttpEndpoint, store: Store, clock: Clock
) -> Response:
    """Return the answer to `/hooks/<name>`, of a caller that is admitted. Tools are called through `endpoint`."""
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
    """The tools of one caller, as any client calls them: by the same scope, with the same limits and audit."""

    def __init__(self, endpoint: HttpEndpoint, caller: Caller) -> None:
        self._endpoint = endpoint
        self._caller = caller

    def call(self, tool: str, /, **arguments: Any) -> Json | None:
        """Return the structured result; None for a refusal. Raises TryAgain where it could succeed later."""
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
        response = self._endpoint.answer(Request("POST", _HEADERS, _encode(message)), self._caller)
        answered: Json = msgspec.json.decode(response.body)
        result = mapping(answered.get("result"))
        if result and not result.get("isError"):
            return mapping(result.get("structuredContent"))
        facts = mapping(mapping(result.get("_meta")).get("almanac/error"))
        if facts.get("retryable"):
            raise TryAgain
        return None
