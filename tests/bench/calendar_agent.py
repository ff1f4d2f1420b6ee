"""The calendar's tools over a store, called as an agent calls them."""

from typing import Any

from calendar_year import SCOPE, ZONE

from almanac.composition.services import services_for
from almanac.families.calendar.family import family
from almanac.kernel.caller import Caller
from almanac.kernel.clock import SystemClock
from almanac.platform.store.port import Store
from almanac.protocol.invoke import Host, invoke
from almanac.protocol.progress import NoProgress
from almanac.protocol.tool import Call


class Agent:
    def __init__(self, store: Store) -> None:
        clock = SystemClock()
        calendar = family.open(services_for(store, clock))
        self._tools = {tool.name: tool for tool in calendar.tools}
        self._host = Host(
            clock=clock,
            collaborators=calendar.collaborators,
            new_reference=lambda: "reference",
            report_defect=_raise,
        )
        caller = Caller(SCOPE, actor="ann", key_id="key", default_timezone=ZONE)
        self._call = Call(caller, clock, NoProgress())

    def do(self, tool: str, /, **arguments: Any) -> str:
        """The answer as JSON. SystemExit where the call is refused."""
        outcome = invoke(self._tools[tool], {"calendar_id": "primary", **arguments}, self._call, self._host)
        if outcome.structured is None or outcome.is_error:
            raise SystemExit(f"{tool} was refused: {outcome.content}")
        return outcome.structured


def _raise(reference: str, where: str, cause: BaseException) -> None:
    raise cause
