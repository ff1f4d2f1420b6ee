"""A client of the calendar family, and times that it asks for."""

from almanac.families.calendar.family import family
from almanac.kernel.caller import Caller
from almanac.kernel.clock import Clock
from almanac.platform.services import Services
from tests.app import App

DAY = {"start": "2026-03-16T00:00:00-04:00", "end": "2026-03-17T00:00:00-04:00"}
SLOT = {"calendar_id": "primary", "start": "2026-03-16T14:00:00-04:00", "end": "2026-03-16T14:30:00-04:00"}


class Client(App):
    """Calls tools of the family for one caller."""

    def __init__(self, services: Services, clock: Clock, caller: Caller) -> None:
        opened = family.open(services)
        super().__init__({tool.name: tool for tool in opened.tools}, opened.collaborators, clock, caller)
