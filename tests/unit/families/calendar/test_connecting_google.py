"""Test the way from a refresh token to a booking, over the connections that a server uses."""

import os
from collections.abc import Generator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from almanac.families.calendar.accounts.connector import Connector, gateway_opener
from almanac.families.calendar.accounts.environment import NetworkEnvironment
from almanac.families.calendar.booking.draft import Draft
from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.providers.google.token import GoogleSecret
from almanac.families.calendar.providers.transport.addresses import NetworkPolicy
from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import Forbidden, Unavailable
from almanac.platform.encryption.key_file import KeyFileSealer
from almanac.platform.store.contention import Backoff
from almanac.platform.store.sqlite.store import SqliteStore
from tests.doubles.google_calendar import FakeGoogle, run_google

SCOPE = Scope("acme", "main")
WORK = "google/work@example.com"
NINE = datetime(2026, 3, 3, 9, tzinfo=UTC)
SLOT = Draft(calendar_id=WORK, start=NINE, end=NINE + timedelta(hours=1), summary="Review")


@pytest.fixture
def google() -> FakeGoogle:
    made = FakeGoogle()
    made.add_calendar("work@example.com", primary=True)
    made.add_calendar("holidays", accessRole="reader")
    return made


@pytest.fixture
def connector(google: FakeGoogle, tmp_path: Path, clock: FixedClock) -> Generator[Connector]:
    store = SqliteStore(tmp_path / "store.db", clock=clock, cursor_secret=b"the secret of these tests")
    with run_google(google) as address:
        environment = NetworkEnvironment(
            clock,
            lambda _: None,
            lambda: 0.5,
            NetworkPolicy(private=True),
            seconds=5,
            google_api=address,
            google_tokens=f"{address}/token",
        )
        sealer = KeyFileSealer(tmp_path / "key", os.urandom)
        yield gateway_opener(lambda: store, sealer=sealer, environment=environment, random_bytes=os.urandom)(
            SCOPE, clock
        )
    store.close()


@pytest.fixture
def bookings(connector: Connector, clock: FixedClock) -> BookingService:
    connector.connect_google("mine", GoogleSecret("id", "secret", "refresh-1"))
    calendars = Calendars(connector.calendars.store, SCOPE, clock=clock, gateway=connector)
    return BookingService(calendars, actor="ann", random_bytes=os.urandom, backoff=Backoff(lambda _: None, lambda: 0.5))


def test_an_account_brings_its_calendars_with_what_may_be_done_in_them(bookings: BookingService) -> None:
    found = {
        one.id: (one.access_role, one.timezone) for one in bookings.calendars.list_calendars() if not one.is_native
    }
    assert found == {WORK: ("owner", "Europe/Berlin"), "google/holidays": ("reader", "Europe/Berlin")}
    with pytest.raises(Forbidden):
        bookings.calendars.writable("google/holidays")


def test_a_booking_is_an_event_at_google_and_a_cancelled_one_is_none(
    bookings: BookingService, google: FakeGoogle
) -> None:
    booked = bookings.book(SLOT).event
    assert google.events["work@example.com"][booked.id]["summary"] == "Review"
    assert booked.etag == google.events["work@example.com"][booked.id]["etag"]
    assert booked.organizer == "work@example.com"
    assert bookings.cancel(WORK, booked.id)
    assert google.events["work@example.com"][booked.id]["status"] == "cancelled"


def test_google_failing_before_its_write_leaves_neither_event_nor_booking(
    bookings: BookingService, google: FakeGoogle
) -> None:
    google.fail = [0, 503]
    with pytest.raises(Unavailable):
        bookings.book(SLOT)
    assert all(item["status"] == "cancelled" for item in google.events["work@example.com"].values())
    assert bookings.book(SLOT).event.id in google.events["work@example.com"]


def test_a_booking_that_google_took_before_it_failed_is_finished(bookings: BookingService, google: FakeGoogle) -> None:
    google.fail = [0, -503]
    booked = bookings.book(SLOT).event
    assert [item["id"] for item in google.events["work@example.com"].values()] == [booked.id]


def test_a_permission_that_is_not_one_is_not_kept(connector: Connector) -> None:
    with pytest.raises(Forbidden):
        connector.connect_google("mine", GoogleSecret("id", "secret", "wrong"))
    assert connector.accounts.list_accounts() == []
