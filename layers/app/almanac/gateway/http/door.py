"""HTTP handler of MCP requests and hooks, for API Gateway's events on Lambda and on the laptop.

    POST /mcp            all families of this handler that the caller's key and the request's filters allow
    POST /mcp/<family>   one family
    POST /hooks/<client> an event of a coding agent, if this handler has a store

Any other path gets a 404 in JSON. Sign-in has its own handler (`gateway/oauth`).
"""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Protocol

from almanac.gateway.chat_views import CHAT_VIEWS
from almanac.gateway.http.event import IncomingRequest, answer_event, read_event
from almanac.gateway.http.facts import HOOKS, HUB
from almanac.gateway.http.hosts import family_server, host_for, hub_server
from almanac.gateway.http.responses import guard, not_found, refusal_response
from almanac.gateway.observability.request_report import RequestReport, printable
from almanac.gateway.observability.telemetry import Telemetry, telemetry_for
from almanac.identity.access.principal import Principal
from almanac.identity.access.principal_fields import from_context
from almanac.identity.access.refusals import NO_KEY, Refusal, outside_families
from almanac.kernel.caller import Caller
from almanac.kernel.clock import Clock, SystemClock
from almanac.platform.store.port import Store
from almanac.protocol.family import Family
from almanac.protocol.invoke import Json
from almanac.protocol.tool import Call, Tool
from almanac.protocol.toolset import NO_SETS, Toolset, ToolSets
from almanac.protocol.wire.http import HttpEndpoint, Request, Response, ServedRequest

if TYPE_CHECKING:
    from almanac.identity.access.call_leases import CallLeases
import msgspec


class _Params(msgspec.Struct):
    name: str = ""


class _Message(msgspec.Struct):
    method: str = ""
    params: _Params = msgspec.field(default_factory=_Params)


_read = msgspec.json.Decoder(_Message).decode

MAX_ANSWER_BYTES = 6 * 1024 * 1024
"""Lambda's limit for an answer as its runtime writes it: JSON, in which the body is a string. API Gateway replaces a
larger answer with a 502 without a reason."""
_ROOM_FOR_HEADERS = 4096
# Bytes that each character adds in a JSON string: one for the backslash, and three where \u2028 replaces three bytes.
_GROWTH = {'"': 1, "\\": 1, "\n": 1, "\u2028": 3, "\u2029": 3}

_NOT_SERVED = ServedRequest()

Handler = Callable[[Mapping[str, Any], object], dict[str, Any]]


class AnswerHook(Protocol):
    """Answers a hook of the named client, and calls tools through the endpoint of all families."""

    def __call__(
        self, name: str, request: Request, caller: Caller, endpoint: HttpEndpoint, store: Store, clock: Clock
    ) -> Response: ...


class Admission(Protocol):
    """Counts a request against its key's limits."""

    def admit(self, allowed: Principal) -> Refusal | None: ...


def http_handler(
    *families: Family,
    admission: Callable[[], Admission] | None = None,
    audit_store: Callable[[], Store] | None = None,
    clock: Clock | None = None,
    telemetry: Telemetry | None = None,
    allowed_origins: frozenset[str] = frozenset(),
    admits: Callable[[Tool, Call, Json], None] | None = None,
    leases: "Callable[[], CallLeases] | None" = None,
    expensive: frozenset[str] = frozenset(),
    hooks: AnswerHook | None = None,
    sets: ToolSets = NO_SETS,
    feed_url: str | None = None,
) -> Handler:
    """Return a Lambda handler that serves `families`.

    `admission` opens the counter of requests when the first key with a limit calls, so a function whose callers are
    unlimited never opens a store. `audit_store` opens the store of the audit trail of changing calls. `admits` judges
    single calls, see `Host`. `leases` bound the calls of a tenant to tools of the families named in `expensive`.
    `hooks` answers hooks of coding agents, which need `audit_store` to record what their sessions were told. `sets` are
    the sets of tools that requests may ask for. Clients of all families learn `feed_url` if the live feed is not below
    their address. The default telemetry depends on the environment.
    """
    door = HttpDoor(
        families,
        admission=admission,
        audit_store=audit_store,
        clock=clock or SystemClock(),
        telemetry=telemetry or telemetry_for(os.environ),
        allowed_origins=allowed_origins,
        admits=admits,
        leases=leases,
        expensive=expensive,
        hooks=hooks,
        sets=sets,
        feed_url=feed_url,
    )
    return door.handle


class HttpDoor:
    def __init__(
        self,
        families: Sequence[Family],
        *,
        admission: Callable[[], Admission] | None,
        audit_store: Callable[[], Store] | None,
        clock: Clock,
        telemetry: Telemetry,
        allowed_origins: frozenset[str],
        admits: Callable[[Tool, Call, Json], None] | None,
        leases: "Callable[[], CallLeases] | None",
        expensive: frozenset[str],
        hooks: AnswerHook | None,
        sets: ToolSets,
        feed_url: str | None = None,
    ) -> None:
        self._families = {f"{HUB}/{family.name}": family for family in families}
        self._host = host_for(families, clock, telemetry, audit_store, admits)
        self._clock = clock
        self._hooks = hooks
        self._sets = sets
        self._feed_url = feed_url
        self._open_store = audit_store
        self._open_admission = admission
        self._admission: Admission | None = None
        self._telemetry = telemetry
        self._allowed_origins = allowed_origins
        self._endpoints: dict[str, HttpEndpoint] = {}
        self._open_leases = leases and cache(leases)
        self._expensive_families = expensive

    def handle(self, event: Mapping[str, Any], context: object) -> dict[str, Any]:
        """Return the answer to one event of API Gateway. Never raises."""
        started = time.perf_counter()
        is_rest = "httpMethod" in event
        incoming: IncomingRequest | None = None
        allowed: Principal | None = None

        def answer() -> Response:
            nonlocal incoming, allowed
            incoming = read_event(event)
            allowed = from_context(incoming.context)
            with self._telemetry.span("answer"):
                return self._answer(incoming, allowed)

        response = guard(answer, self._telemetry, "the HTTP door")
        if incoming is not None:
            elapsed = (time.perf_counter() - started) * 1000
            self._telemetry.record_request(_report(incoming, allowed, response, elapsed, context))
        return answer_event(response, is_rest=is_rest)

    def _answer(self, incoming: IncomingRequest, allowed: Principal | None) -> Response:
        path = incoming.path.rstrip("/")
        family = self._families.get(path)
        hooks = self._hooks if path.startswith(f"{HOOKS}/") else None
        if family is None and path != HUB and hooks is None:
            served = ", ".join([HUB, *self._families])
            return not_found(f"Send MCP messages with POST to one of {served}.")
        if allowed is None:
            return refusal_response(NO_KEY)
        if family is not None and not allowed.caller.may_use(family.name):
            return refusal_response(outside_families(family.name))
        if refusal := self._admit(allowed):
            return refusal_response(refusal)
        with self._lease(allowed, incoming, is_hook=hooks is not None) as refusal:
            if refusal is not None:
                return refusal_response(refusal)
            if hooks is not None and self._open_store is not None:
                name, tools = path.removeprefix(f"{HOOKS}/"), self._endpoint(HUB, None)
                return hooks(name, incoming.request, allowed.caller, tools, self._open_store(), self._clock)
            return self._endpoint(path, family).answer(incoming.request, allowed.caller)

    def _lease(
        self, allowed: Principal, incoming: IncomingRequest, *, is_hook: bool
    ) -> AbstractContextManager[Refusal | None]:
        """Hold a lease of the tenant while an expensive tool runs, or a hook, since hooks call expensive tools."""
        most = allowed.calls_at_once
        if self._open_leases is None or most is None or not self._expensive_tools:
            return nullcontext()
        if not is_hook and tool_name_of(incoming.request.body) not in self._expensive_tools:
            return nullcontext()
        return self._open_leases().hold(allowed.caller.scope.tenant, most)

    @cached_property
    def _expensive_tools(self) -> frozenset[str]:
        served = (family for family in self._families.values() if family.name in self._expensive_families)
        return frozenset(name for family in served for tool in family.tools for name in (tool.name, *tool.aliases))

    def _admit(self, allowed: Principal) -> Refusal | None:
        if self._open_admission is None or not allowed.is_limited:
            return None
        if self._admission is None:
            self._admission = self._open_admission()
        return self._admission.admit(allowed)

    def _endpoint(self, path: str, family: Family | None) -> HttpEndpoint:
        endpoint = self._endpoints.get(path)
        if endpoint is None:
            families = (family,) if family else tuple(self._families.values())
            server = family_server(family) if family else hub_server(families, self._feed_url)
            endpoint = HttpEndpoint(
                Toolset(families, CHAT_VIEWS),
                self._host,
                server=server,
                allowed_origins=self._allowed_origins,
                carries=fits,
                sets=self._sets,
            )
            self._endpoints[path] = endpoint
        return endpoint


def _report(
    incoming: IncomingRequest, allowed: Principal | None, response: Response, milliseconds: float, context: object
) -> RequestReport:
    served = response.served or _NOT_SERVED
    return RequestReport(
        path=printable(incoming.path),
        method=printable(served.method or incoming.request.method),
        tool=printable(served.tool),
        tenant=allowed.caller.scope.tenant if allowed else "",
        project=allowed.caller.scope.project if allowed else "",
        key_id=allowed.caller.key_id if allowed else "",
        status=response.status,
        outcome=served.outcome if response.served else _outcome(response.status),
        milliseconds=round(milliseconds, 3),
        request_id=str(getattr(context, "aws_request_id", "")),
        error=served.error,
        revision=served.revision,
    )


def _outcome(status: int) -> str:
    """Return the outcome of a request whose body was not read as a message."""
    if status >= 500:
        return "failed"
    return "refused" if status in (401, 403, 429) else "error"


def fits(body: str) -> bool:
    """Return whether an answer with this body, JSON text or an event stream of JSON, fits into Lambda's limit.

    The laptop applies the same limit, so an answer that works there also works on AWS."""
    room = MAX_ANSWER_BYTES - _ROOM_FOR_HEADERS
    # Most bytes of one character. Exact counting would cost a tool list more than sending it.
    most = 2 if body.isascii() else 6
    if most * len(body) <= room:
        return True
    written = len(body.encode()) + sum(body.count(each) * more for each, more in _GROWTH.items())
    return written <= room


def tool_name_of(body: bytes) -> str | None:
    """Return the tool's name in a tools/call, or None for any other message and for an unreadable body."""
    try:
        message = _read(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return message.params.name if message.method == "tools/call" else None
