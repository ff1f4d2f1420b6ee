"""The audit trail behind a door, opened by the first call that changes something."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from almanac.gateway.observability.telemetry import Telemetry, reporting
from almanac.kernel.clock import Clock
from almanac.protocol.invoke import Outcome
from almanac.protocol.tool import Call, Effect, Tool

if TYPE_CHECKING:
    from almanac.identity.audit import AuditTrail
    from almanac.platform.store.port import Store


class Auditing:
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
