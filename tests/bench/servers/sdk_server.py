"""The nine tools as the official SDK's low-level server."""

from typing import Any

from mcp.server.lowlevel.server import Server

from almanac.families.time.family import family
from almanac.gateway.console import ConsoleTelemetry
from almanac.gateway.hosting import family_server, host_for
from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import SystemClock
from almanac.protocol.reference import sdk_server
from almanac.protocol.toolset import Toolset


def make() -> Server[Any]:
    caller = Caller(Scope("bench", "default"), "bench", "k0", default_timezone="Europe/Berlin")
    host = host_for([family], SystemClock(), ConsoleTelemetry())
    return sdk_server(Toolset([family]), host, caller, family_server(family))
