"""A client of the calendar family, and times that it asks for."""

import json
from typing import Any

from almanac.families.calendar.family import family
from almanac.kernel.caller import Caller
from almanac.kernel.clock import Clock
from almanac.platform.services import Services
from almanac.protocol.invoke import Host, Outcome, invoke
from almanac.protocol.progress import NoProgress
from almanac.protocol.tool import Call

DAY = {"start": "2026-03-16T00:00:00-04:00", "end": "2026-03-17T00:00:00-04:00"}
SLOT = {"calendar_id": "primary", "start": "2026-03-16T14:00:00-04:00", "end": "2026-03-16T14:30:00-04:00"}


class Client:
    """Calls tools of the family for one caller."""

    def __init__(self, services: Services, clock: Clock, caller: Caller) -> None:
        self._family = family.open(services)
        self._call = Call(caller, clock, NoProgress())
        self._host = Host(
            clock=clock,
            collaborators=self._family.collaborators,
            new_reference=lambda: "reference",
            report_defect=_raise,
        )

    def outcome(self, tool: str, **arguments: Any) -> Outcome:
        found = next(each for each in self._family.tools if each.name == tool)
        return invoke(found, arguments, self._call, self._host)

    def call(self, tool: str, **arguments: Any) -> Any:
        outcome = self.outcome(tool, **arguments)
        assert outcome.structured is not None, outcome.content
        return json.loads(outcome.structured)

    def refused(self, tool: str, **arguments: Any) -> str:
        outcome = self.outcome(tool, **arguments)
        assert outcome.is_error
        return outcome.content[0]["text"]


def _raise(reference: str, where: str, cause: BaseException) -> None:
    raise cause
