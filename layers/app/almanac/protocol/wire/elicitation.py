"""Elicitation on the wire: reads answers from a request and writes questions into a result."""

from typing import TYPE_CHECKING

from almanac.protocol.elicitation import Elicitation, InputRequired
from almanac.protocol.invoke import Host
from almanac.protocol.message import rpc
from almanac.protocol.message.revisions import STATELESS
from almanac.protocol.message.rpc import Json, RpcError
from almanac.protocol.wire import params
from almanac.protocol.wire.era import CAPABILITIES_KEY
from almanac.protocol.wire.exchange import Exchange

if TYPE_CHECKING:
    from almanac.protocol.wire.seal import Seal

_NO_ELICITATION = Elicitation()


def read_elicitation(exchange: Exchange, request: params.CallTool | params.GetPrompt, host: Host) -> Elicitation:
    """Return the client's capabilities and answers. RpcError for a state that this server did not seal."""
    if not exchange.stateless:
        return _NO_ELICITATION
    declared: Json = exchange.params["_meta"][CAPABILITIES_KEY]
    state = None
    if request.request_state is not None:
        state = _seal(host).open(request.request_state, _call_identity(exchange, request))
    return Elicitation(declared, request.input_responses or {}, state)


def input_required(
    required: InputRequired, exchange: Exchange, request: params.CallTool | params.GetPrompt, host: Host
) -> Json:
    """Return the fields of MCP's InputRequiredResult. RpcError if the client cannot be asked."""
    if not exchange.stateless:
        raise RpcError(rpc.INVALID_PARAMS, f"This needs a client that speaks revision {STATELESS[0]}, to ask a person.")
    declared: Json = exchange.params["_meta"][CAPABILITIES_KEY]
    missing: dict[str, Json] = {
        question.capability: {} for question in required.questions.values() if question.capability not in declared
    }
    if missing:
        message = f"The client must declare {', '.join(missing)} for this."
        raise RpcError(rpc.MISSING_CLIENT_CAPABILITY, message, {"requiredCapabilities": missing})
    exchange.result_type = "input_required"
    fields: Json = {"inputRequests": {key: one.to_wire() for key, one in required.questions.items()}}
    if required.state is not None:
        fields["requestState"] = _seal(host).close(required.state, _call_identity(exchange, request))
    return fields


def _seal(host: Host) -> "Seal":
    # Loaded on first use: importing cryptography is a fifth of the cold start, and few calls ask questions.
    from almanac.protocol.wire.seal import Seal  # noqa: PLC0415

    if host.state_secret is None:
        raise LookupError("a tool keeps state between rounds, but the host has no state_secret")
    return Seal(host.state_secret, host.clock)


def _call_identity(exchange: Exchange, request: params.CallTool | params.GetPrompt) -> object:
    caller = exchange.caller
    identity = (caller.scope.tenant, caller.scope.project, caller.key_id)
    return (exchange.method, request.name, request.arguments or {}, identity)
