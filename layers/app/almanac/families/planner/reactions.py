"""What follows in the planner from what happens in the calendar."""

from collections.abc import Sequence

from almanac.families.calendar.calendars import PRIMARY
from almanac.families.planner.link_changes import LinkChanges
from almanac.families.planner.opening import open_planner
from almanac.families.planner.records import MARKS
from almanac.kernel.caller import Caller
from almanac.kernel.clock import Clock
from almanac.kernel.events import Event
from almanac.platform.bus.port import Reaction
from almanac.platform.services import Services
from almanac.platform.store.port import Change


def forget_booking(event: Event, services: Services) -> Sequence[Change]:
    """A booking was cancelled with a tool of the calendar: its mark and its links go."""
    booking = event.payload.get("event_id")
    if event.payload.get("calendar_id") != PRIMARY or not isinstance(booking, str):
        return ()
    caller = Caller(event.scope, actor=event.actor, key_id="")
    planner = open_planner(services, caller, services.get(Clock))
    links = LinkChanges(planner)
    links.drop(booking)
    return [MARKS.within(planner.store, planner.scope).delete(booking), *links.changes()]


REACTIONS = (Reaction("planner.forget_booking", frozenset(["booking_cancelled"]), forget_booking),)
