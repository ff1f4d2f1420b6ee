"""Protocol engine for all revisions: message in, message out. No sockets, no sessions, no event loop."""

import msgspec
from msgspec import UNSET

from almanac.kernel.caller import Caller
from almanac.protocol.invoke import DEFECT, Host
from almanac.protocol.message import headers as header_fields
from almanac.protocol.message import rpc
from almanac.protocol.message.headers import Headers
from almanac.protocol.message.revisions import HANDSHAKE, STATELESS
from almanac.protocol.message.rpc import Message, RpcError, json_text
from almanac.protocol.toolset import EVERYTHING, Selection, Toolset
from almanac.protocol.wire import era, methods
from almanac.protocol.wire.exchange import Exchange, ServedRequest
from almanac.protocol.wire.methods import Method, Server
from almanac.protocol.wire.server_info import ServerInfo


class Reply(msgspec.Struct, frozen=True):
    """Reply to a message. `body` is JSON text, empty if the message needs no answer.

    `notices` are notifications to send before the body.
    """

    status: int
    body: str
    served: ServedRequest
    notices: tuple[str, ...] = ()


class Wire:
    """Message handler of one server. It expects headers with lower-case names and stripped values."""

    def __init__(self, toolset: Toolset, host: Host, info: ServerInfo) -> None:
        self._toolset = toolset
        self._server = Server(info, host)
        self._stamp = json_text({era.SERVER_INFO_KEY: info.to_wire(STATELESS[-1])})

    def answer(
        self,
        body: bytes,
        headers: Headers,
        caller: Caller,
        selection: Selection = EVERYTHING,
        hub_url: str | None = None,
    ) -> Reply:
        """Return the reply to the message in `body`: a response, or an empty 202 if the message needs none."""
        try:
            message = rpc.read(body)
        except RpcError as error:
            return Reply(400, rpc.failure(None, error), _error_record(error))
        if message.method is UNSET or message.id is UNSET:
            return _acknowledge(message, headers)
        params = message.params or {}
        stateless = era.is_stateless(message.method, params, headers)
        exchange = None
        try:
            revision = (
                era.stateless_revision(message.method, params, headers)
                if stateless
                else era.handshake_revision(headers)
            )
            view = self._toolset.view(caller, selection)
            exchange = Exchange(message.method, params, revision, caller, view, headers, hub_url)
            method = methods.find_method(exchange)
            fields = methods.run(method, exchange, self._server)
        except RpcError as error:
            status = era.http_status(error, stateless=stateless)
            return Reply(status, rpc.failure(message.id, error), _error_record(error, message.method, exchange))
        envelope = self._envelope(method, exchange)
        comma = "," if fields and envelope else ""
        response = rpc.success(message.id, fields, comma, envelope)
        return Reply(200, response, _success_record(exchange), tuple(exchange.notices))

    def refusal(self, reply: Reply, body: bytes, headers: Headers, error: RpcError) -> Reply:
        """Return the reply with `error` that replaces `reply`, an earlier answer to the message in `body`."""
        message = rpc.read(body)
        stateless = era.is_stateless(message.method or "", message.params or {}, headers)
        failure = rpc.failure(None if message.id is UNSET else message.id, error)
        served = msgspec.structs.replace(reply.served, outcome="error", error=str(error.code))
        return Reply(era.http_status(error, stateless=stateless), failure, served)

    def _envelope(self, method: Method, exchange: Exchange) -> str:
        """Return the fields that every result of this revision has in addition to the fields of its method."""
        if not exchange.stateless:
            return f'"_meta":{json_text(exchange.meta)}' if exchange.meta else ""
        caching = _cache_fields(methods.ttl_of(method, exchange)) if exchange.result_type == "complete" else ""
        stamp = f"{json_text(exchange.meta)[:-1]},{self._stamp[1:]}" if exchange.meta else self._stamp
        return f'"resultType":"{exchange.result_type}"{caching},"_meta":{stamp}'


def _cache_fields(ttl_ms: int | None) -> str:
    """Return the fields that tell clients how long they may cache a result.

    Caches must not share it between keys, because a key's scope decides what it sees.
    """
    return "" if ttl_ms is None else f',"ttlMs":{ttl_ms},"cacheScope":"private"'


def _success_record(exchange: Exchange) -> ServedRequest:
    if exchange.error is None:
        return ServedRequest("ok", exchange.method, exchange.tool, exchange.revision)
    outcome = "failed" if exchange.error == DEFECT else "error"
    return ServedRequest(outcome, exchange.method, exchange.tool, exchange.revision, exchange.error)


def _error_record(error: RpcError, method: str = "", exchange: Exchange | None = None) -> ServedRequest:
    """Return the record of a request that is answered with `error`. `exchange` is None if its revision is unknown."""
    tool, revision = (exchange.tool, exchange.revision) if exchange else ("", "")
    return ServedRequest("error" if error.is_callers else "failed", method, tool, revision, str(error.code))


def _acknowledge(message: Message, headers: Headers) -> Reply:
    """Accept and drop a notification or response: no request lives long enough for one to matter."""
    method = message.method or ""
    version = headers.get(header_fields.VERSION)
    if version is None or version in HANDSHAKE:
        return Reply(202, "", ServedRequest(method=method, revision=era.handshake_revision(headers)))
    if message.method is UNSET:
        unasked = RpcError(rpc.INVALID_REQUEST, "This revision has no requests from the server to respond to.")
        return Reply(400, rpc.failure(None, unasked), _error_record(unasked))
    try:
        era.check_version(version)
    except RpcError as error:
        return Reply(400, rpc.failure(None, error), _error_record(error, method))
    return Reply(202, "", ServedRequest(method=method, revision=version))
