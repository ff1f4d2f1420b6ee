"""Test calendars and the descriptions of their tools."""

import re

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
        ("primary", None),
    ]
    assert "already" in client.refusal("create_calendar", name="Meeting Room 2")


def test_nobody_decides_on_the_zone_of_primary_by_writing_first(client: Client):
    client.call("book_slot", **SLOT, summary="x")
    before = client.call("list_calendars")["calendars"][0]

    assert client.call("update_calendar", calendar_id="primary", timezone="asia/tokyo")["timezone"] == "Asia/Tokyo"

    assert (before["id"], before["primary"], before["timezone"]) == ("primary", True, None)
    assert client.call("list_calendars")["calendars"][0]["timezone"] == "Asia/Tokyo"


def test_what_a_calendar_is_shown_as_can_be_written_back(client: Client):
    client.call("create_calendar", name="Team", timezone="Europe/Berlin")
    for shown in client.call("list_calendars")["calendars"]:
        fields = {"calendar_id": shown["id"], "name": shown["name"], "timezone": shown["timezone"]}
        assert client.call("update_calendar", **fields) == shown


def test_a_calendar_is_renamed(client: Client):
    client.call("create_calendar", name="Team", timezone="Europe/Berlin")

    assert client.call("update_calendar", calendar_id="team", name="Crew")["name"] == "Crew"

    assert client.call("list_calendars")["calendars"][1]["name"] == "Crew"


def test_a_secret_in_a_name_is_in_neither_name_nor_id(client: Client):
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    made = client.call("create_calendar", name=f"Deploys {token}")
    renamed = client.call("update_calendar", calendar_id=made["id"], name=f"With {token}")

    assert (made["name"], renamed["name"]) == ("Deploys [REDACTED:github_token]", "With [REDACTED:github_token]")
    assert "ghp_" not in made["id"]


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("Primary", r"primary-[0-9a-z]{6}"),
        ("Émile's Café", r"emile-s-cafe"),
        ("会議室", r"calendar-[0-9a-z]{26}"),
        ("Кабинет 2", r"calendar-[0-9a-z]{26}"),
        ("🎉", r"calendar-[0-9a-z]{26}"),
        ("a" * 200, "a{60}"),
        ("-- . --", r"calendar-[0-9a-z]{26}"),
    ],
)
def test_any_name_makes_a_calendar_and_none_takes_the_place_of_primary(client: Client, name: str, made: str):
    created = client.call("create_calendar", name=name)

    assert re.fullmatch(made, created["id"])
    assert (created["name"], created["primary"]) == (name, False)
    assert client.call("check_availability", **SLOT | {"calendar_id": created["id"]})["available"] is True


def test_names_that_differ_get_ids_that_differ(client: Client):
    first, second = (client.call("create_calendar", name=name)["id"] for name in ("Room 2", "Room-2!"))

    assert first == "room-2"
    assert second.startswith("room-2-")


def test_the_id_of_primary_is_not_to_be_had(client: Client):
    assert "already" in client.refusal("create_calendar", name="Mine", calendar_id="primary")


@pytest.mark.parametrize("calendar_id", ["nothing", "google/none"])
def test_an_unknown_calendar_is_said_to_be(client: Client, calendar_id: str):
    assert "list_calendars" in client.refusal("list_events", calendar_id=calendar_id, **DAY)


def test_another_projects_calendar_is_another(services: Services, clock: FixedClock, caller: Caller):
    other = Caller(type(caller.scope)("tenant", "other"), "b", "k2", default_timezone="America/New_York")
    Client(services, clock, caller).call("book_slot", **SLOT, summary="x")

    assert Client(services, clock, other).call("check_availability", **SLOT)["available"] is True


def test_hints_say_what_each_tool_does():
    hints = {tool.name: tool.annotations for tool in family.open(Services({})).tools}

    book = hints["book_slot"]
    assert (book["readOnlyHint"], book["destructiveHint"], book["idempotentHint"]) == (False, False, False)
    assert book["openWorldHint"] is True
    for name in ("list_events", "find_free_slots", "check_availability", "get_availability"):
        assert hints[name]["readOnlyHint"]
        assert hints[name]["openWorldHint"]
