"""Accounts at providers: their calendars are found, noted and forgotten."""

import pytest

from almanac.families.calendar.calendars import Calendars
from almanac.families.calendar.connecting import Connector
from almanac.families.calendar.providers.port import RemoteCalendar
from almanac.families.calendar.records import CalendarRecord
from almanac.kernel.errors import NotFound
from tests.unit.families.calendar.shadows.remote import WORK, Remote, event, shown


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
    assert connector.accounts.listed() == []
    with pytest.raises(NotFound):
        calendars.find(WORK)
    again = connector.accounts.keep("google", "mine", b"secret")
    connector.list_calendars(again)
    remote.events.clear()
    assert shown(calendars) == []
