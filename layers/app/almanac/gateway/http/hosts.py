"""The host in which tools run, and the server information that clients of an endpoint receive."""

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import almanac
from almanac.gateway.observability.telemetry import Telemetry, defect_reporter
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
    """Return a host that provides clock, caller, progress, log and elicitation, and each family's own collaborators.

    It records changing calls in the audit trail of `audit_store`, if there is one. `admits` is explained at `Host`.
    """
    return Host(
        clock=clock,
        collaborators=_CollaboratorLookup(families),
        new_reference=lambda: new_reference(os.urandom),
        report_defect=telemetry.defect,
        admits=admits,
        on_outcome=_AuditRecorder(audit_store, clock, telemetry).record if audit_store else None,
    )


class _CollaboratorLookup(dict[type, Provider]):
    """Collaborators by type. It looks into a family only when a tool needs it, as that call may open the family."""

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
    """Return the server information for the endpoint of all families."""
    if len(families) == 1:
        return family_server(families[0])
    return ServerInfo(
        name="almanac", title="Almanac", version=almanac.__version__, icons=(families[0].icon,), feed_url=feed_url
    )


class _AuditRecorder:
    def __init__(self, open_store: "Callable[[], Store]", clock: Clock, telemetry: Telemetry) -> None:
        self._open_store = open_store
        self._clock = clock
        self._report = defect_reporter(telemetry)
        self._trail: AuditTrail | None = None

    def record(self, tool: Tool, call: Call, outcome: Outcome, seconds: float) -> None:
        """Record the caller and outcome of a changing tool. Reading tools are not recorded and open no store."""
        if tool.effect is Effect.READS:
            return
        if self._trail is None:
            from almanac.identity.audit import AuditTrail  # noqa: PLC0415 - functions with reading tools only never need it

            self._trail = AuditTrail(self._open_store(), self._clock, os.urandom, self._report_lost_entry)
        self._trail.record(tool, call, outcome, seconds)

    def _report_lost_entry(self, where: str, cause: BaseException) -> None:
        self._report(f"the audit of {where}", cause)
