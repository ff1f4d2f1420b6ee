"""Message in, message out: the protocol itself, for all revisions. No sockets, no sessions, no event loop."""

import msgspec
from msgspec import UNSET

from almanac.kernel.caller import Caller
from almanac.protocol.invoke import Host
from almanac.protocol.message import headers as header_fields
from almanac.protocol.message import rpc
from almanac.protocol.message.headers import Headers
from almanac.protocol.message.revisions import HANDSHAKE, STATELESS
from almanac.protocol.message.rpc import Message, RpcError
from almanac.protocol.toolset import EVERYTHING, Selection, Toolset
from almanac.protocol.wire import era, methods
from almanac.protocol.wire.exchange import Exchange
from almanac.protocol.wire.methods import Method, Server
from almanac.protocol.wire.server_info import ServerInfo

_encode = msgspec.json.Encoder().encode


class Reply(msgspec.Struct, frozen=True):
    """`body` is JSON text, empty where a message has no answer. `notices` are notifications that go before it."""

    status: int
    body: bytes = b""
    notices: tuple[bytes, ...] = ()


class Wire:
    """Answers messages for one server. Headers are given with lower-case names and stripped values."""

    def __init__(self, toolset: Toolset, host: Host, info: ServerInfo) -> None:
        self._toolset = toolset
        self._server = Server(info, host)
        self._stamp = _encode({era.SERVER_INFO_KEY: info.described(STATELESS[-1])})

    def answer(self, body: bytes, headers: Headers, caller: Caller, selection: Selection = EVERYTHING) -> Reply:
        """The reply to the message in `body`: a response, or 202 and nothing where none is due."""
        try:
            message = rpc.read(body)
        except RpcError as error:
            return Reply(400, rpc.failure(None, error))
        if message.method is UNSET or message.id is UNSET:
            return _acknowledged(message, headers)
        params = message.params or {}
        stateless = era.is_stateless(message.method, params, headers)
        try:
            revision = era.stateless_revision(message.method, params, headers) if stateless else era.opened(headers)
            view = self._toolset.view(caller, selection)
            exchange = Exchange(message.method, params, revision, caller, view, headers)
            method = methods.of(exchange)
            result = self._enveloped(methods.run(method, exchange, self._server), method, exchange)
        except RpcError as error:
            return Reply(era.http_status(error, stateless=stateless), rpc.failure(message.id, error))
        return Reply(200, rpc.success(message.id, result), tuple(exchange.notices))

    def refusal(self, body: bytes, headers: Headers, error: RpcError) -> Reply:
        """The reply with `error` in place of what `answer` said to the message in `body`, which could be read."""
        message = rpc.read(body)
        method = message.method or ""
        stateless = era.is_stateless(method, message.params or {}, headers)
        return Reply(
            era.http_status(error, stateless=stateless), rpc.failure(None if message.id is UNSET else message.id, error)
        )

    def _enveloped(self, fields: bytes, method: Method, exchange: Exchange) -> bytes:
        """The result as an object, with what its revision wants in every result."""
        meta = _encode(exchange.meta) if exchange.meta else b""
        if not exchange.stateless:
            return b"{" + fields + (b',"_meta":' + meta if meta else b"") + b"}"
        kept = _keeping(method.ttl_ms) if exchange.result_type == "complete" else b""
        stamp = self._stamp if not meta else meta[:-1] + b"," + self._stamp[1:]
        lead = fields + b"," if fields else b""
        return b"{" + lead + b'"resultType":' + _encode(exchange.result_type) + kept + b',"_meta":' + stamp + b"}"


def _keeping(ttl_ms: int | None) -> bytes:
    """How long a result may be kept. Never shared between keys: what a key sees depends on its scope."""
    return b"" if ttl_ms is None else b',"ttlMs":%d,"cacheScope":"private"' % ttl_ms


def _acknowledged(message: Message, headers: Headers) -> Reply:
    """Notifications and responses are taken and dropped: no request lives long enough for one to matter."""
    named = headers.get(header_fields.VERSION)
    if named is None or named in HANDSHAKE:
        return Reply(202)
    if message.method is UNSET:
        unasked = RpcError(rpc.INVALID_REQUEST, "This revision has no requests from the server to respond to.")
        return Reply(400, rpc.failure(None, unasked))
    try:
        era.check_version(named)
    except RpcError as error:
        return Reply(400, rpc.failure(None, error))
    return Reply(202)
