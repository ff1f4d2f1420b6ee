"""Test floating times of a calendar without a zone. They are read in the zone of the project, whoever connected it."""

import os
import random
import time
from collections.abc import Callable, Generator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from almanac.families.calendar.accounts.connector import Connector
from almanac.families.calendar.accounts.environment import NetworkEnvironment
from almanac.families.calendar.booking.draft import Draft
from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.providers.transport.addresses import NetworkPolicy
from almanac.kernel.caller import Scope
from almanac.kernel.clock import SystemClock
from almanac.kernel.errors import Conflict
from almanac.kernel.instants import milliseconds
from almanac.platform.encryption.key_file import KeyFileSealer
from almanac.platform.store.contention import Backoff
from almanac.platform.store.sqlite.store import SqliteStore
from tests.integration.caldav.conftest import Account

SCOPE = Scope("acme", "main")
WORK = "caldav/work"
FLOATING = """\
BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//Somebody//Else//EN
BEGIN:VEVENT
UID:{uid}
DTSTAMP:20260101T000000Z
DTSTART:{start}
DURATION:PT1H
SUMMARY:Dentist
{more}END:VEVENT
END:VCALENDAR
"""
TOKYO_NINE = datetime(2031, 3, 3, 0, tzinfo=UTC)
BERLIN_NINE = datetime(2031, 3, 3, 8, tzinfo=UTC)

Server = Callable[[str | None], BookingService]


@pytest.fixture
def connector(tmp_path: Path, account: Account) -> Generator[Connector]:
    """The account, as a shell connects it that knows no zone."""
    clock = SystemClock()
    store = SqliteStore(tmp_path / "store.db", clock=clock, cursor_secret=b"the secret of these tests")
    environment = NetworkEnvironment(clock, time.sleep, random.random, NetworkPolicy(private=True))
    sealer = KeyFileSealer(tmp_path / "key", os.urandom)
    made = Connector(store, SCOPE, sealer=sealer, environment=environment, random_bytes=os.urandom)
    made.connect_caldav("home", account.url, account.user, "password")
    yield made
    store.close()


@pytest.fixture
def server(connector: Connector) -> Server:
    """Bookings of a server that knows this zone of the project."""

    def open_service(zone: str | None) -> BookingService:
        calendars = Calendars(
            connector.calendars.store, SCOPE, clock=SystemClock(), gateway=connector.connected, project_zone=zone
        )
        backoff = Backoff(time.sleep, random.random)
        return BookingService(calendars, actor="ann", random_bytes=os.urandom, backoff=backoff)

    return open_service


def put(account: Account, uid: str, start: str = "20310303T090000", more: str = "") -> None:
    text = FLOATING.format(uid=uid, start=start, more=more)
    account.dav.send("PUT", f"{account.collection}{uid}.ics", text.encode(), Content_Type="text/calendar")


def hour(start: datetime) -> Draft:
    return Draft(calendar_id=WORK, start=start, end=start + timedelta(hours=1), summary="Call")


def busy(bookings: BookingService, start: datetime) -> bool:
    window = Interval(milliseconds(start), milliseconds(start + timedelta(hours=1)))
    return bool(bookings.calendars.busy(bookings.calendars.readable(WORK), window))


def test_a_floating_time_is_not_booked_over_in_the_zone_of_the_server(
    connector: Connector, server: Server, account: Account
) -> None:
    put(account, "dentist")
    # A shell reads the calendar first, and knows no zone.
    connector.connected.sync(connector.calendars.find(WORK))
    with pytest.raises(Conflict) as refused:
        server("Asia/Tokyo").book(hour(TOKYO_NINE))
    assert refused.value.code == "slot_taken"
    assert not busy(server("Asia/Tokyo"), datetime(2031, 3, 3, 9, tzinfo=UTC))


def test_a_series_of_floating_times_moves_with_its_exceptions(
    connector: Connector, server: Server, account: Account
) -> None:
    put(account, "daily", more="RRULE:FREQ=DAILY;COUNT=3\nEXDATE:20310304T090000\n")
    connector.connected.sync(connector.calendars.find(WORK))
    tokyo = server("Asia/Tokyo")
    assert [busy(tokyo, TOKYO_NINE + timedelta(days=day)) for day in range(4)] == [True, False, True, False]


def test_the_zone_is_stored_with_the_calendar_and_followed_when_a_server_learns_another(
    connector: Connector, server: Server, account: Account
) -> None:
    put(account, "dentist")
    assert busy(server("Asia/Tokyo"), TOKYO_NINE)
    # Whoever knows no zone reads what a server stored, and changes nothing.
    assert busy(server(None), TOKYO_NINE)
    connector.connected.sync(connector.calendars.find(WORK))
    assert connector.calendars.find(WORK).floating_zone == "Asia/Tokyo"
    assert not busy(server("Europe/Berlin"), TOKYO_NINE)
    assert busy(server("Europe/Berlin"), BERLIN_NINE)
    put(account, "second", "20310303T110000")
    connector.connected.sync(connector.calendars.find(WORK))
    assert busy(server(None), BERLIN_NINE + timedelta(hours=2))


def test_a_zone_of_the_calendar_itself_goes_before_that_of_the_project(
    connector: Connector, server: Server, account: Account
) -> None:
    connector.connect_caldav("home", account.url, account.user, "password", timezone="Europe/Berlin")
    put(account, "dentist")
    assert busy(server("Asia/Tokyo"), BERLIN_NINE)
    assert connector.calendars.find(WORK).floating_zone is None
