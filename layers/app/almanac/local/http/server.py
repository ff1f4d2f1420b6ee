"""HTTP server of the laptop, which converts each request to API Gateway's event for the same authorizer and handler.

It judges the key before it waits for the body. Tenants share the threads, the memory for bodies and the time fairly.
"""

import asyncio
import time
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from almanac.gateway.dashboard.door import DashboardDoor, Turn, is_page
from almanac.gateway.http.authorizer import judge, refusal_report
from almanac.gateway.http.door import Handler
from almanac.gateway.http.event import answer_event
from almanac.gateway.http.facts import HOOKS, HUB
from almanac.gateway.http.responses import (
    bad_request,
    json_response,
    overdue,
    refusal_response,
    too_busy,
    too_large,
    too_slow,
    unavailable,
)
from almanac.gateway.oauth.door import MOST_BODY_BYTES, SignInDoor, is_for_sign_in
from almanac.gateway.observability.request_report import RequestReport, printable
from almanac.gateway.observability.telemetry import Telemetry
from almanac.identity.access.authorize import key_in_headers
from almanac.identity.access.gatekeeper import Gatekeeper
from almanac.identity.access.principal import Principal
from almanac.identity.access.principal_fields import to_context
from almanac.identity.access.refusals import Refusal
from almanac.kernel.errors import Unavailable
from almanac.local.http.asgi import BODY_IS_HERE, Receive, Scope, Send
from almanac.local.http.completions import Completions
from almanac.local.http.exchange import Answer, client_of, doubtful, send_answer, send_last, to_event, with_body
from almanac.local.http.fair_queue import AdmittedWork, Full
from almanac.local.http.fair_threads import FairThreads
from almanac.local.http.request_body import SMALL_BYTES, Body, BodyRoom, Gone, NoRoom, TooLarge
from almanac.protocol.wire.http import MAX_BODY_BYTES, Response

HEALTH = "/health"


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeLimits:
    """Time limits in seconds. Proxies wait for 30 seconds or less.

    `soon` is for a small body before its key is judged, `body` for any body, `turn` until a call begins, and `call` for
    the whole call."""

    soon: float = 0.5
    body: float = 30.0
    turn: float = 10.0
    call: float = 28.0


class _Answered(Exception):
    """Carries the response to a request that is answered without a call."""

    def __init__(self, response: Response, *, is_reported: bool = False) -> None:
        super().__init__(response.status)
        self.response = response
        self.is_reported = is_reported


class HttpServer:
    """An ASGI application. `health` is the answer of /health. Keys are judged and calls run on `threads`. `pages` is
    the dashboard under /ui/. `sign_in` answers clients that sign in, and is None if they cannot."""

    def __init__(
        self,
        handler: Handler,
        gatekeeper: Gatekeeper,
        telemetry: Telemetry,
        threads: FairThreads[Any],
        *,
        health: Mapping[str, Any],
        limits: TimeLimits | None = None,
        room: BodyRoom | None = None,
        pages: DashboardDoor | None = None,
        sign_in: SignInDoor | None = None,
    ) -> None:
        self._handler = handler
        self._pages = pages
        self._sign_in = sign_in
        self._gatekeeper = gatekeeper
        self._telemetry = telemetry
        self._threads = threads
        self._health = json_response(200, dict(health))
        self._limits = limits or TimeLimits()
        self._room = room or BodyRoom()
        self._calls: set[Future[Any]] = set()
        self._completions = Completions()

    @property
    def is_busy(self) -> bool:
        """Return whether a call is running, including one whose client has gone."""
        return bool(self._calls)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers: dict[bytes, bytes] = dict(scope["headers"])
        if doubt := doubtful(scope, headers):
            await send_last(send, bad_request(doubt))
            return
        if scope["path"] == HEALTH and scope["method"] in ("GET", "HEAD"):
            await send_answer(send, answer_event(self._health, is_rest=False))
            return
        started = time.perf_counter()
        body = Body(headers, receive, is_here=scope.get(BODY_IS_HERE, False))
        try:
            answer = await self._answer(scope, body)
        except _Answered as instead:
            if not instead.is_reported:
                self._report(scope, instead.response, started)
            await send_last(send, instead.response, body)
        except Unavailable as down:
            # The key could not be judged. A call's own exceptions are answered by its handler.
            await send_last(send, unavailable(str(down)), body)
        except Gone:
            return
        else:
            await send_answer(send, answer)

    async def _answer(self, scope: Scope, body: Body) -> Answer:
        """Return the answer of the call. Raises _Answered if no call answers, after which the connection ends, or
        Gone."""
        event = to_event(scope)
        if self._pages is not None and is_page(event["rawPath"]):
            return await self._page(self._pages, event, body)
        if self._sign_in is not None and is_for_sign_in(event["rawPath"]):
            if body.most_bytes > MOST_BODY_BYTES:
                raise _Answered(too_large(MOST_BODY_BYTES))
            request_event, sign_in = with_body(event, await self._whole(body)), self._sign_in
            return await self._outcome(self._enter(lambda: sign_in.handle(request_event, None)))
        if not _is_for_families(event["rawPath"]):
            return await self._outcome(self._enter(lambda: self._handler(event, None)))
        if body.most_bytes <= SMALL_BYTES and key_in_headers(event["headers"]) and await self._has_arrived(body):
            whole = with_body(event, await body.read())
            return await self._outcome(self._enter(lambda: self._judge(whole)))
        verdict = await self._outcome(self._enter(lambda: self._verdict(event)))
        if isinstance(verdict, Refusal):
            raise _Answered(self._refusal(verdict, event), is_reported=True)
        tenant = verdict.caller.scope.tenant
        try:
            with self._room.reserve(tenant, body.most_bytes):
                whole = with_body(event, await self._whole(body))
                return await self._outcome(self._call(self._admit(whole, verdict)))
        except NoRoom as none:
            raise _Answered(too_busy(own=none.own)) from None

    async def _page(self, pages: DashboardDoor, event: Answer, body: Body) -> Answer:
        if body.most_bytes > SMALL_BYTES:
            raise _Answered(too_large(SMALL_BYTES))
        whole = with_body(event, await self._whole(body))

        def enter() -> Answer | AdmittedWork[Answer]:
            found = pages.enter(whole)
            return AdmittedWork(found.tenant, found.work) if isinstance(found, Turn) else found

        return await self._outcome(self._enter(enter))

    async def _has_arrived(self, body: Body) -> bool:
        try:
            return await body.arrives_within(self._limits.soon)
        except TooLarge:
            raise _Answered(too_large(MAX_BODY_BYTES)) from None

    async def _whole(self, body: Body) -> bytes:
        try:
            async with asyncio.timeout(self._limits.body):
                return await body.read()
        except TooLarge:
            raise _Answered(too_large(MAX_BODY_BYTES)) from None
        except TimeoutError:
            raise _Answered(too_slow(self._limits.body)) from None

    def _enter(self, enter: Any) -> Future[Any]:
        try:
            return self._track(self._threads.enter(enter))
        except Full:
            raise _Answered(too_busy(own=False)) from None

    def _call(self, admitted: AdmittedWork[Answer]) -> Future[Any]:
        try:
            return self._track(self._threads.call(admitted))
        except Full:
            raise _Answered(too_busy(own=True)) from None

    def _track(self, call: Future[Any]) -> Future[Any]:
        self._calls.add(call)
        call.add_done_callback(self._calls.discard)
        return call

    async def _outcome(self, call: Future[Any]) -> Any:
        """Wait a bounded time for the result of the call. Raises _Answered if there is none."""
        try:
            if not await self._completions.ends_within(call, self._limits.turn) and self._threads.withdraw(call):
                raise _Answered(too_busy(own=True))
            if not await self._completions.ends_within(call, self._limits.call - self._limits.turn):
                raise _Answered(overdue(self._limits.call))
            return call.result()
        except Full as full:
            raise _Answered(too_busy(own=full.tenant is not None)) from None
        except asyncio.CancelledError:
            self._threads.withdraw(call)
            raise _Answered(_STOPPING) from None

    def _judge(self, event: Answer) -> Answer | AdmittedWork[Answer]:
        verdict = self._verdict(event)
        if isinstance(verdict, Refusal):
            return answer_event(self._refusal(verdict, event), is_rest=False)
        return self._admit(event, verdict)

    def _refusal(self, refusal: Refusal, event: Answer) -> Response:
        origin = self._sign_in.origin_of(event) if self._sign_in is not None else None
        return refusal_response(refusal, origin, event["rawPath"])

    def _verdict(self, event: Answer) -> Principal | Refusal:
        started = time.perf_counter()
        verdict = judge(event, self._gatekeeper)
        if isinstance(verdict, Refusal):
            self._telemetry.record_request(refusal_report(event, verdict, (time.perf_counter() - started) * 1000))
        return verdict

    def _admit(self, event: Answer, verdict: Principal) -> AdmittedWork[Answer]:
        event["requestContext"]["authorizer"] = {"lambda": to_context(verdict)}
        return AdmittedWork(verdict.caller.scope.tenant, lambda: self._handler(event, None))

    def _report(self, scope: Scope, response: Response, started: float) -> None:
        self._telemetry.record_request(
            RequestReport(
                path=printable(scope["path"]),
                method=scope["method"],
                status=response.status,
                outcome="refused",
                milliseconds=round((time.perf_counter() - started) * 1000, 3),
                address=client_of(scope),
            )
        )


_STOPPING = unavailable("The server is stopping. Whether the call took effect is not known.")


def _is_for_families(path: str) -> bool:
    return path == HUB or path.startswith((f"{HUB}/", f"{HOOKS}/"))
