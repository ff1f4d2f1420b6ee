"""The nine tools as the official SDK's low-level server."""

from typing import Any

from mcp.server.lowlevel.server import Server

from almanac.families.time.family import family
from almanac.gateway.http.hosts import family_server, host_for
from almanac.gateway.observability.console import ConsoleTelemetry
from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import SystemClock
from almanac.platform.services import Services
from almanac.protocol.toolset import Toolset
from almanac.protocol.wire.reference import sdk_server

_FAMILY = family.open(Services({}))


def make() -> Server[Any]:
    caller = Caller(Scope("bench", "default"), "bench", "k0", default_timezone="Europe/Berlin")
    host = host_for([_FAMILY], SystemClock(), ConsoleTelemetry())
    return sdk_server(Toolset([_FAMILY]), host, caller, family_server(_FAMILY))
