"""The nine tools behind the MCP endpoint alone: no event of API Gateway, no identity, no telemetry."""

from collections.abc import Callable

from almanac.families.time.family import family
from almanac.gateway.http.hosts import family_server, host_for
from almanac.gateway.observability.console import ConsoleTelemetry
from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import SystemClock
from almanac.platform.services import Services
from almanac.protocol.toolset import Toolset
from almanac.protocol.wire.http import HttpEndpoint, Request, Response

_FAMILY = family.open(Services({}))
_endpoint = HttpEndpoint(
    Toolset([_FAMILY]), host_for([_FAMILY], SystemClock(), ConsoleTelemetry()), server=family_server(_FAMILY)
)
_caller = Caller(Scope("bench", "default"), "bench", "k0", default_timezone="Europe/Berlin")


def prepare(body: str, headers: dict[str, str]) -> Callable[[], Response]:
    request = Request("POST", headers, body.encode())
    return lambda: _endpoint.answer(request, _caller)


def text(answer: Response) -> str:
    return answer.body
