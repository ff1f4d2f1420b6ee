"""The server behind an endpoint: its introduction, and the host that its tools run in."""

import os
from collections.abc import Callable, Sequence

import almanac
from almanac.gateway.observability.auditing import Auditing
from almanac.gateway.observability.telemetry import Telemetry
from almanac.kernel.caller import Caller
from almanac.kernel.clock import Clock
from almanac.kernel.ids import new_reference
from almanac.platform.store.port import Store
from almanac.protocol.elicitation import Elicitation
from almanac.protocol.family import Family
from almanac.protocol.invoke import Host, Json
from almanac.protocol.progress import Log, Progress
from almanac.protocol.tool import Call, Provider, Tool
from almanac.protocol.wire.server_info import ServerInfo


def host_for(
    families: Sequence[Family],
    clock: Clock,
    telemetry: Telemetry,
    audit_store: Callable[[], Store] | None = None,
    admits: Callable[[Tool, Call, Json], None] | None = None,
) -> Host:
    """Clock, caller, progress, log and dialogue for every family, and each family's own collaborators.

    Calls that change something are kept in the audit trail of `audit_store`, where there is one. `admits`: see `Host`.
    """
    return Host(
        clock=clock,
        collaborators=_Provided(families),
        new_reference=lambda: new_reference(os.urandom),
        report_defect=telemetry.defect,
        admits=admits,
        on_outcome=Auditing(audit_store, clock, telemetry).record if audit_store else None,
    )


class _Provided(dict[type, Provider]):
    """Collaborators by type. Those of a family are looked up when a tool asks: it may be opened by that very call."""

    def __init__(self, families: Sequence[Family]) -> None:
        super().__init__(
            {
                Clock: lambda call: call.clock,
                Caller: lambda call: call.caller,
                Progress: lambda call: call.progress,
                Log: lambda call: call.log,
                Elicitation: lambda call: call.elicitation,
            }
        )
        self._families = tuple(families)

    def __missing__(self, kind: type) -> Provider:
        for family in self._families:
            if (provider := family.collaborators.get(kind)) is not None:
                return self.setdefault(kind, provider)
        raise KeyError(kind)


def family_server(family: Family) -> ServerInfo:
    return ServerInfo(
        name=f"almanac-{family.name}", title=family.title, version=almanac.__version__, icons=(family.icon,)
    )


def hub_server(families: Sequence[Family], feed_url: str | None = None) -> ServerInfo:
    """The introduction of all families together."""
    if len(families) == 1:
        return family_server(families[0])
    return ServerInfo(
        name="almanac", title="Almanac", version=almanac.__version__, icons=(families[0].icon,), feed_url=feed_url
    )
