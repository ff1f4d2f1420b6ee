"""Every family over one store and a clock that stands still, its tools called the way an agent calls them."""

import os
from typing import Any

import msgspec

from almanac.composition.families import every_family
from almanac.composition.services import services_for
from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import Clock
from almanac.platform.store.port import Store
from almanac.protocol.invoke import Host, invoke
from almanac.protocol.progress import NoProgress
from almanac.protocol.tool import Call

TENANT = "acme"
WEB, OPS = Scope(TENANT, "web"), Scope(TENANT, "ops")
ANN = Caller(WEB, actor="ann", key_id="k-ann", default_timezone="America/New_York")
KEI = Caller(WEB, actor="kei", key_id="k-kei", default_timezone="Asia/Tokyo")
OLE = Caller(OPS, actor="ole", key_id="k-ole", default_timezone="Europe/Berlin", week_start="sunday")

Json = dict[str, Any]


class House:
    def __init__(self, store: Store, clock: Clock) -> None:
        self.store = store
        self._clock = clock
        families = every_family(services_for(store, clock))
        self._tools = {tool.name: tool for family in families for tool in family.tools}
        self._collaborators = {kind: one for family in families for kind, one in family.collaborators.items()}

    def do(self, caller: Caller, tool: str, /, **arguments: Any) -> Json:
        """What a call that succeeds answers; of a planner tool its data."""
        defects: list[BaseException] = []
        host = Host(
            clock=self._clock,
            collaborators=self._collaborators,
            new_reference=lambda: os.urandom(4).hex(),
            report_defect=lambda _reference, _where, cause: defects.append(cause),
        )
        outcome = invoke(self._tools[tool], arguments, Call(caller, self._clock, NoProgress()), host)
        if defects:
            raise defects[0]
        assert outcome.structured is not None, (tool, outcome.content)
        answer = msgspec.json.decode(outcome.structured)
        assert not outcome.is_error, (tool, answer)
        return answer.get("data", answer)
