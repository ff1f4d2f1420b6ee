"""Protocol methods. Each returns the fields of its result as JSON text, without braces and without the envelope."""

from collections.abc import Callable

import msgspec

from almanac.kernel.errors import AlmanacError
from almanac.protocol.elicitation import InputRequired
from almanac.protocol.invoke import Host
from almanac.protocol.message.revisions import negotiate
from almanac.protocol.message.rpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    RESOURCE_NOT_FOUND,
    Json,
    RpcError,
    json_text,
)
from almanac.protocol.skills import EXTENSION
from almanac.protocol.wire import capabilities, elicitation, lists, params, resources, skills
from almanac.protocol.wire.exchange import Exchange
from almanac.protocol.wire.server_info import ServerInfo
from almanac.protocol.wire.tool_calls import call_tool

LIST_TTL_MS = 300_000
_ECHO = 100
LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")


class Server(msgspec.Struct, frozen=True):
    """Services that methods use beside the request."""

    info: ServerInfo
    host: Host


class Method(msgspec.Struct, frozen=True):
    """Protocol method with its cache lifetime.

    `ttl_ms`: how long a client may cache the result; None for results that clients do not cache. `feature`: the method
    exists only in views with this feature.
    """

    fields: Callable[[Exchange, Server], str]
    ttl_ms: int | None = None
    feature: str = "tools"


def _initialize(exchange: Exchange, server: Server) -> str:
    request = params.read(exchange.params, params.Initialize)
    exchange.revision = negotiate(request.version)
    return _fields(capabilities.initialize_result(exchange.view, server.info, exchange.revision, request.capabilities))


def _discover(exchange: Exchange, _server: Server) -> str:
    params.read(exchange.params, params.Plain)
    return _fields(capabilities.discover_result(exchange.view, exchange.revision))


def _ping(exchange: Exchange, _server: Server) -> str:
    params.read(exchange.params, params.Plain)
    return ""


def _set_level(exchange: Exchange, _server: Server) -> str:
    """Accept the level without effect: no request knows about earlier ones."""
    if params.read(exchange.params, params.SetLevel).level not in LEVELS:
        raise RpcError(INVALID_PARAMS, f"Levels: {', '.join(LEVELS)}.")
    return ""


def _list(exchange: Exchange, _server: Server) -> str:
    if params.read(exchange.params, params.ListParams).cursor is not None:
        raise RpcError(INVALID_PARAMS, "Unknown cursor: lists are returned whole.")
    return _list_fields(exchange)


def _list_fields(exchange: Exchange) -> str:
    draws = lists.draws_views(exchange)
    return lists.fields(exchange.view, exchange.method, exchange.revision, draws=draws)


def _list_resources(exchange: Exchange, server: Server) -> str:
    if exchange.view.skills is None:
        return _list(exchange, server)
    cursor = params.read(exchange.params, params.ListParams).cursor
    known = _list_fields(exchange)
    return skills.list_resources(known, exchange, server.host, cursor)


def _call_tool(exchange: Exchange, server: Server) -> str:
    return call_tool(exchange, server.host)


def _read_resource(exchange: Exchange, server: Server) -> str:
    uri = params.read(exchange.params, params.ResourceAddress).uri
    try:
        page = resources.read_resource(exchange.view, uri)
    except resources.NoSuchResource:
        try:
            page = skills.read_file(exchange, server.host, uri)
        except skills.NoSuchSkillFile as missing:
            raise _no_resource(exchange, uri, str(missing)) from None
    return _fields({"contents": [page]})


def _subscribe(exchange: Exchange, _server: Server) -> str:
    """Accept a subscription to a page of fixed address, without effect: such pages change only with a deployment."""
    uri = params.read(exchange.params, params.ResourceAddress).uri
    if all(page.uri != uri for page in (*exchange.view.resources, *exchange.view.chat_views)):
        raise _no_resource(exchange, uri)
    return ""


def _no_resource(exchange: Exchange, uri: str, why: str = "") -> RpcError:
    code = INVALID_PARAMS if exchange.stateless else RESOURCE_NOT_FOUND
    return RpcError(code, why or "No resource has that uri. resources/list has them.", {"uri": uri})


def _get_prompt(exchange: Exchange, server: Server) -> str:
    request = params.read(exchange.params, params.GetPrompt)
    answers = elicitation.read_elicitation(exchange, request, server.host)
    try:
        return _fields(resources.get_prompt(exchange.view, request.name, request.arguments or {}, answers))
    except InputRequired as required:
        return _fields(elicitation.input_required(required, exchange, request, server.host))


def _complete(exchange: Exchange, _server: Server) -> str:
    request = params.read(exchange.params, params.Complete)
    return _fields(resources.complete(exchange.view, request.ref, request.argument))


def _list_skills(exchange: Exchange, server: Server) -> str:
    return skills.list_skills(exchange, server.host)


def _get_skill(exchange: Exchange, server: Server) -> str:
    return skills.get_skill(exchange, server.host)


def _read_directory(exchange: Exchange, server: Server) -> str:
    return skills.read_directory(exchange, server.host)


def _fields(result: Json) -> str:
    return json_text(result)[1:-1]


_BOTH_ERAS: dict[str, Method] = {
    "tools/list": Method(_list, LIST_TTL_MS),
    "tools/call": Method(_call_tool),
    "resources/list": Method(_list_resources, LIST_TTL_MS, "resources"),
    "resources/templates/list": Method(_list, LIST_TTL_MS, "resources"),
    "resources/read": Method(_read_resource, 0, "resources"),
    "prompts/list": Method(_list, LIST_TTL_MS, "prompts"),
    "prompts/get": Method(_get_prompt, feature="prompts"),
    "completion/complete": Method(_complete, feature="completions"),
}
HANDSHAKE_METHODS = _BOTH_ERAS | {
    "initialize": Method(_initialize),
    "ping": Method(_ping),
    "logging/setLevel": Method(_set_level, feature="logging"),
    "resources/subscribe": Method(_subscribe, feature="resources"),
    "resources/unsubscribe": Method(_subscribe, feature="resources"),
}
STATELESS_METHODS = _BOTH_ERAS | {
    "server/discover": Method(_discover, LIST_TTL_MS),
    # Clients must not cache these: a skill may be installed or removed at any time.
    "skills/list": Method(_list_skills, 0, EXTENSION),
    "skills/get": Method(_get_skill, 0, EXTENSION),
    "resources/directory/read": Method(_read_directory, 0, EXTENSION),
}


def find_method(exchange: Exchange) -> Method:
    """Return the method that a request names. RpcError METHOD_NOT_FOUND if its revision or view does not have it."""
    method = (STATELESS_METHODS if exchange.stateless else HANDSHAKE_METHODS).get(exchange.method)
    if method is None or not capabilities.has_feature(exchange.view, method.feature):
        raise RpcError(METHOD_NOT_FOUND, "Method not found.", exchange.method[:_ECHO])
    return method


def ttl_of(method: Method, exchange: Exchange) -> int | None:
    """Return how long a client may cache the result of an exchange."""
    return method.ttl_ms if exchange.ttl_ms is None else exchange.ttl_ms


def run(method: Method, exchange: Exchange, server: Server) -> str:
    """Run the method and return the fields of its result. Every failure is an RpcError; an internal error leaks no
    details."""
    try:
        return method.fields(exchange, server)
    except RpcError:
        raise
    except AlmanacError as refused:
        raise RpcError(INVALID_PARAMS, str(refused)) from None
    # As for tools, any other exception is a bug of the server. Its details stay in the process.
    except Exception as defect:  # noqa: BLE001
        reference = server.host.new_reference()
        server.host.report_defect(reference, exchange.method, defect)
        raise RpcError(INTERNAL_ERROR, f"Internal error, reference {reference}.") from None
