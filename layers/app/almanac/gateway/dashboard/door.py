"""HTTP handler of the dashboard, for API Gateway's events. It imports the code for pages at the first request."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from almanac.gateway.http.event import answer_event
from almanac.gateway.http.facts import read_address, read_path
from almanac.gateway.http.responses import guard
from almanac.gateway.observability.request_report import RequestReport, printable
from almanac.gateway.observability.telemetry import Telemetry
from almanac.kernel.caller import Caller
from almanac.protocol.wire.http import Response

if TYPE_CHECKING:
    from almanac.gateway.dashboard.dashboard import AdmittedRequest, Dashboard

Event = Mapping[str, Any]
Answer = dict[str, Any]
ROOT = "/ui"


def is_page(path: str) -> bool:
    return path == ROOT or path.startswith(ROOT + "/")


LIVE = f"{ROOT}/live"
"""The path of the stream that notifies pages of changes."""


@dataclass(frozen=True, slots=True)
class PageListener:
    """A signed-in caller whose page is notified of changes, with the id of the session."""

    session: str
    caller: Caller


@dataclass(frozen=True, slots=True)
class Turn:
    """Work to do at the tenant's turn."""

    tenant: str
    work: Callable[[], Answer]


class DashboardDoor:
    def __init__(self, open_dashboard: "Callable[[], Dashboard]", telemetry: Telemetry) -> None:
        self._open = cache(open_dashboard)
        self._telemetry = telemetry

    def handle(self, event: Event, context: object) -> Answer:  # noqa: ARG002 - a Lambda handler
        """Return the answer to one event of API Gateway. Never raises."""
        found = self.enter(event)
        return found.work() if isinstance(found, Turn) else found

    def enter(self, event: Event) -> Answer | Turn:
        """Return the answer to a request that needs no page, or the work that makes the page. Never raises."""
        started = time.perf_counter()
        waiting: list[AdmittedRequest] = []

        def judge() -> Response:
            found = self._open().enter(event)
            if isinstance(found, Response):
                return found
            waiting.append(found)
            return _LATER

        response = self._guard(judge)
        if not waiting:
            return self._finish(event, response, started, None)
        entered = waiting[0]

        def work() -> Answer:
            return self._finish(event, self._guard(lambda: self._open().answer(entered)), started, entered)

        return Turn(entered.principal.caller.scope.tenant, work)

    def admit_listener(self, event: Event) -> Answer | PageListener:
        """Return the caller of a request for the stream of changes, or the answer that refuses it.

        The server calls this again while the stream lasts. Never raises."""
        found: list[PageListener] = []

        def judge() -> Response:
            heard = self._open().admit_listener(event)
            if isinstance(heard, Response):
                return heard
            found.append(heard)
            return _LATER

        response = self._guard(judge)
        return found[0] if found else answer_event(response, is_rest="httpMethod" in event)

    def _guard(self, make: Callable[[], Response]) -> Response:
        return guard(make, self._telemetry, "the pages")

    def _finish(self, event: Event, response: Response, started: float, entered: "AdmittedRequest | None") -> Answer:
        caller = entered.principal.caller if entered else None
        is_rest = "httpMethod" in event
        self._telemetry.record_request(
            RequestReport(
                path=printable(read_path(event)),
                method="page",
                tenant=caller.scope.tenant if caller else "",
                project=caller.scope.project if caller else "",
                key_id=caller.key_id if caller else "",
                status=response.status,
                outcome=_outcome(response.status),
                milliseconds=round((time.perf_counter() - started) * 1000, 3),
                address=printable(read_address(event)),
            )
        )
        return answer_event(response, is_rest=is_rest)


_LATER = Response(200, {}, "")


def _outcome(status: int) -> str:
    if status >= 500:
        return "failed"
    return "refused" if status in (401, 403, 421, 429) else "ok" if status < 400 else "error"
