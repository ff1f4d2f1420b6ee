"""Calendars, and what is said of their tools."""

import pytest

from almanac.families.calendar.family import family
from almanac.kernel.caller import Caller
from almanac.kernel.clock import FixedClock
from almanac.platform.services import Services
from tests.unit.families.calendar.tools.client import DAY, SLOT, Client


def test_calendars_are_listed_and_created(client: Client):
    client.call("create_calendar", name="Meeting room 2", timezone="europe/berlin")

    listed = client.call("list_calendars")

    assert listed["total"] == 2
    assert [(one["id"], one["timezone"]) for one in listed["calendars"]] == [
        ("meeting-room-2", "Europe/Berlin"),
        ("primary", "America/New_York"),
    ]
    assert "already" in client.refused("create_calendar", name="Meeting Room 2")


@pytest.mark.parametrize("calendar_id", ["nothing", "google/none"])
def test_an_unknown_calendar_is_said_to_be(client: Client, calendar_id: str):
    assert "list_calendars" in client.refused("list_events", calendar_id=calendar_id, **DAY)


def test_another_projects_calendar_is_another(services: Services, clock: FixedClock, caller: Caller):
    other = Caller(type(caller.scope)("tenant", "other"), "b", "k2", default_timezone="America/New_York")
    Client(services, clock, caller).call("book_slot", **SLOT, summary="x")

    assert Client(services, clock, other).call("check_availability", **SLOT)["available"] is True


def test_hints_say_what_each_tool_does():
    hints = {tool.name: tool.annotations for tool in family(Services({})).tools}

    book = hints["book_slot"]
    assert (book["readOnlyHint"], book["destructiveHint"], book["idempotentHint"]) == (False, False, False)
    assert book["openWorldHint"] is True
    for name in ("list_events", "find_free_slots", "check_availability", "get_availability"):
        assert hints[name]["readOnlyHint"]
        assert hints[name]["openWorldHint"]
