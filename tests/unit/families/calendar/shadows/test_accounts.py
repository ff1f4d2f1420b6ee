"""Accounts at providers: their calendars are found, noted and forgotten."""

from datetime import date

import pytest

from almanac.families.calendar.accounts.connector import Connector
from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.entries.records import CalendarRecord
from almanac.families.calendar.model.events import AllDay
from almanac.families.calendar.providers.google.token import GoogleSecret
from almanac.families.calendar.providers.port import RemoteCalendar
from almanac.kernel.errors import NotFound
from tests.unit.families.calendar.shadows.remote import WEEK, WORK, Remote, event, shown_ids


def test_new_calendars_are_discovered_and_changed_ones_noted(connector: Connector, remote: Remote) -> None:
    assert connector.discover("google/home") is None
    remote.calendar_list = [
        RemoteCalendar(id="work", name="Work!", access_role="reader", timezone="Europe/Berlin"),
        RemoteCalendar(id="home", name="Home"),
    ]
    found = connector.discover("google/home")
    assert isinstance(found, CalendarRecord)
    work = connector.calendars.find(WORK)
    assert (work.name, work.access_role) == ("Work!", "reader")
    assert connector.discover("caldav/home") is None


def test_days_are_read_anew_where_a_calendar_changes_its_zone(
    connector: Connector, calendars: Calendars, remote: Remote
) -> None:
    remote.put(event("one"))
    calendars.readable(WORK)
    remote.calendar_list = [RemoteCalendar(id="work", name="Work", timezone="Asia/Tokyo")]
    connector.list_calendars(connector.accounts.find("google", "mine"))
    assert connector.connected.state(calendars.find(WORK)) is None
    assert calendars.find(WORK).timezone == "Asia/Tokyo"


def test_equal_names_in_two_accounts_do_not_collide(connector: Connector) -> None:
    other = connector.accounts.keep("google", "other", b"secret")
    assert [one.id for one in connector.list_calendars(other)] == ["google/work@other"]


def test_disconnecting_forgets_the_account_and_everything_that_was_read(
    connector: Connector, calendars: Calendars, remote: Remote
) -> None:
    for number in range(120):
        remote.put(event(f"event{number}"))
    calendars.readable(WORK)
    assert connector.disconnect("google", "mine") == [WORK]
    assert connector.accounts.list_accounts() == []
    with pytest.raises(NotFound):
        calendars.find(WORK)
    again = connector.accounts.keep("google", "mine", b"secret")
    connector.list_calendars(again)
    remote.events.clear()
    assert shown_ids(calendars) == []


def connect_google(connector: Connector, timezone: str | None) -> list[CalendarRecord]:
    return connector.connect_google("mine", GoogleSecret("id", "secret", "refresh-1"), timezone=timezone)


def test_the_zone_of_an_account_is_kept_for_calendars_that_appear_later(connector: Connector, remote: Remote) -> None:
    remote.calendar_list = [RemoteCalendar(id="work", name="Work")]
    connect_google(connector, "America/New_York")
    remote.calendar_list += [
        RemoteCalendar(id="later", name="Later"),
        RemoteCalendar(id="told", name="Told", timezone="Asia/Tokyo"),
    ]
    connector.list_calendars(connector.accounts.find("google", "mine"))
    zones = {one.id: one.timezone for one in connector.calendars.list_calendars() if not one.is_native}
    new_york = "America/New_York"
    assert zones == {"google/work": new_york, "google/later": new_york, "google/told": "Asia/Tokyo"}


def test_a_calendar_has_no_zone_until_its_provider_its_account_or_a_server_says_one(
    connector: Connector, remote: Remote
) -> None:
    connector.disconnect("google", "mine")
    remote.calendar_list = [RemoteCalendar(id="work", name="Work")]
    assert [one.timezone for one in connect_google(connector, None)] == [None]
    assert [one.timezone for one in connect_google(connector, "Asia/Tokyo")] == ["Asia/Tokyo"]
    # Connecting again without a zone leaves the calendar as it is.
    assert [one.timezone for one in connect_google(connector, None)] == ["Asia/Tokyo"]


def test_days_stand_where_the_new_zone_of_their_calendar_has_them(
    connector: Connector, calendars: Calendars, remote: Remote
) -> None:
    day = AllDay(date(2026, 3, 3))
    holiday = event("holiday", start=day, end=AllDay(date(2026, 3, 4)))
    remote.put(holiday)
    calendars.readable(WORK)
    before = _times(calendars)
    remote.calendar_list = [RemoteCalendar(id="work", name="Work", timezone="Asia/Tokyo")]
    connector.list_calendars(connector.accounts.find("google", "mine"))
    calendars.readable(WORK)
    (moved,) = _times(calendars)
    assert [moved] == [(before[0][0] - 8 * 3_600_000, before[0][1] - 8 * 3_600_000)]


def _times(calendars: Calendars) -> list[tuple[int, int]]:
    return [(one.start, one.end) for one in calendars.list_entries(calendars.find(WORK), WEEK)]


def test_a_calendar_that_was_deleted_and_made_again_is_read_from_its_beginning(
    connector: Connector, calendars: Calendars, remote: Remote
) -> None:
    remote.put(event("ghost"))
    calendars.readable(WORK)
    remote.down = NotFound("The remote does not have the calendar.", "")
    with pytest.raises(NotFound):
        connector.connected.sync(calendars.find(WORK))
    remote.down = None
    remote.events.clear()
    # The new calendar knows the old token by chance, and has nothing to say of it.
    remote.put(event("new"))
    remote.log = ["new"]
    connector.connected.sync(calendars.find(WORK))
    assert shown_ids(calendars) == ["new"]
