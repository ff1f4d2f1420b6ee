"""The server behind an endpoint: its introduction, and the host that its tools run in."""

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import almanac
from almanac.gateway.observability.telemetry import Telemetry, reporting
from almanac.kernel.caller import Caller
from almanac.kernel.clock import Clock
from almanac.kernel.ids import new_reference
from almanac.platform.store.port import Store
from almanac.protocol.elicitation import Elicitation
from almanac.protocol.family import Family
from almanac.protocol.invoke import Host, Json, Outcome
from almanac.protocol.progress import Log, Progress
from almanac.protocol.tool import Call, Effect, Provider, Tool
from almanac.protocol.wire.server_info import ServerInfo

if TYPE_CHECKING:
    from almanac.identity.audit import AuditTrail
    from almanac.platform.store.port import Store


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
        on_outcome=_Auditing(audit_store, clock, telemetry).record if audit_store else None,
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


class _Auditing:
    def __init__(self, open_store: "Callable[[], Store]", clock: Clock, telemetry: Telemetry) -> None:
        self._open_store = open_store
        self._clock = clock
        self._report = reporting(telemetry)
        self._trail: AuditTrail | None = None

    def record(self, tool: Tool, call: Call, outcome: Outcome, seconds: float) -> None:
        """Keeps who called a changing tool and how it ended. Reading tools leave no trace and open no store."""
        if tool.effect is Effect.READS:
            return
        if self._trail is None:
            from almanac.identity.audit import AuditTrail  # noqa: PLC0415 - a function of reading tools needs none

            self._trail = AuditTrail(self._open_store(), self._clock, os.urandom, self._lost)
        self._trail.record(tool, call, outcome, seconds)

    def _lost(self, where: str, cause: BaseException) -> None:
        self._report(f"the audit of {where}", cause)
