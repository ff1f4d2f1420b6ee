"""Calendars of which no zone is known say so, where they are listed and where they are booked."""

from dataclasses import replace

import pytest

from almanac.families.calendar.accounts.connector import Connector
from almanac.families.calendar.accounts.providers import Providers
from almanac.families.calendar.providers.port import RemoteCalendar
from almanac.kernel.caller import Caller
from almanac.kernel.clock import FixedClock
from almanac.platform.services import Services
from almanac.platform.store.port import Store
from tests.unit.families.calendar.shadows.remote import SCOPE, WORK, Remote
from tests.unit.families.calendar.tools.client import SLOT, Client

ASKS = "No time zone is known for this calendar"


@pytest.fixture
def remote() -> Remote:
    remote = Remote()
    remote.calendar_list = [RemoteCalendar(id="work", name="Work")]
    return remote


def client(connector: Connector, clock: FixedClock, caller: Caller, zone: str | None) -> Client:
    services = Services(
        {Store: lambda: connector.calendars.store, Providers: lambda: Providers(lambda _scope, _clock: connector)}
    )
    return Client(services, clock, replace(caller, scope=SCOPE, project_timezone=zone))


def notes_by_calendar(client: Client) -> dict[str, list[str]]:
    return {one["id"]: one["notes"] for one in client.call("list_calendars")["calendars"]}


def test_an_unknown_zone_is_told(connector: Connector, clock: FixedClock, caller: Caller) -> None:
    unknown = client(connector, clock, caller, None)
    assert [note[: len(ASKS)] for note in notes_by_calendar(unknown)[WORK]] == [ASKS]
    assert notes_by_calendar(unknown)["primary"] == []
    (warning,) = unknown.call("book_slot", **SLOT | {"calendar_id": WORK}, summary="Call")["warnings"]
    assert warning.startswith(ASKS)


def test_a_zone_that_the_server_knows_is_enough(connector: Connector, clock: FixedClock, caller: Caller) -> None:
    known = client(connector, clock, caller, "Asia/Tokyo")
    assert notes_by_calendar(known)[WORK] == []
    assert known.call("book_slot", **SLOT | {"calendar_id": WORK}, summary="Call")["warnings"] == []
    # It is stored with the calendar, for callers who know none.
    assert notes_by_calendar(client(connector, clock, caller, None))[WORK] == []


def test_a_zone_that_the_rules_lack_is_told_as_unknown(connector: Connector, clock: FixedClock, caller: Caller) -> None:
    abbreviated = client(connector, clock, caller, "EST")
    (warning,) = abbreviated.call("book_slot", **SLOT | {"calendar_id": WORK}, summary="Call")["warnings"]
    assert warning.startswith(ASKS)
    abbreviated.call("book_slot", **SLOT | {"calendar_id": "primary"}, summary="Call")
    for name in (WORK, "primary"):
        assert [note[: len(ASKS)] for note in notes_by_calendar(abbreviated)[name]] == [ASKS]


def test_setting_a_zone_ends_the_note(connector: Connector, clock: FixedClock, caller: Caller) -> None:
    unknown = client(connector, clock, caller, None)
    assert unknown.call("update_calendar", calendar_id=WORK, timezone="Europe/Berlin")["notes"] == []
    assert notes_by_calendar(unknown)[WORK] == []
