"""Test Google calendars that show only free and busy times."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from almanac.families.calendar.accounts.connector import Connector
from almanac.families.calendar.accounts.credentials import AccountRecord, Accounts
from almanac.families.calendar.accounts.environment import NetworkEnvironment
from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.entries.view import event_of
from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.providers.google.calendars import GoogleProvider
from almanac.families.calendar.providers.google.calls import GoogleCalls
from almanac.families.calendar.providers.google.token import GoogleSecret, GoogleToken
from almanac.families.calendar.providers.transport.addresses import AddressBook, NetworkPolicy
from almanac.families.calendar.providers.transport.http import HttpClient
from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import Forbidden, InvalidInput
from almanac.kernel.instants import milliseconds
from almanac.platform.encryption.key_file import KeyFileSealer
from almanac.platform.store.sqlite.store import SqliteStore
from tests.doubles.google_calendar import FakeGoogle, run_google

BOSS = "google/boss@example.com"
NINE = datetime(2026, 3, 2, 9, tzinfo=UTC)


@pytest.fixture
def google() -> FakeGoogle:
    made = FakeGoogle()
    made.add_calendar("boss@example.com", accessRole="freeBusyReader")
    return made


@pytest.fixture
def calendars(google: FakeGoogle, clock: FixedClock, tmp_path: Path) -> Iterator[Calendars]:
    store = SqliteStore(tmp_path / "store.db", clock=clock, cursor_secret=b"the secret of these tests")
    http = HttpClient("Google Calendar", AddressBook(NetworkPolicy(private=True)), seconds=5)
    with run_google(google) as address:
        token = GoogleToken(http, GoogleSecret("id", "secret", "refresh-1"), clock, url=f"{address}/token")
        provider = GoogleProvider(GoogleCalls(http, token, sleep=lambda _: None, random=lambda: 0.5, url=address))

        class FakeConnections:
            def provider(self, accounts: Accounts, record: AccountRecord) -> GoogleProvider:
                return provider

        connector = Connector(
            store,
            Scope("acme", "main"),
            sealer=KeyFileSealer(tmp_path / "key", os.urandom),
            environment=NetworkEnvironment(clock, lambda _: None, lambda: 0.5),
            random_bytes=os.urandom,
            connections=FakeConnections(),
        )
        connector.list_calendars(connector.accounts.keep("google", "mine", b"secret"))
        yield Calendars(store, Scope("acme", "main"), clock=clock, gateway=connector)
    http.close()
    store.close()


def busy_at(google: FakeGoogle, name: str, start: datetime, minutes: int = 60) -> None:
    ends = {"start": start, "end": start + timedelta(minutes=minutes)}
    google.put("boss@example.com", {"id": name, **{key: {"dateTime": at.isoformat()} for key, at in ends.items()}})


def window(days: int) -> Interval:
    return Interval(milliseconds(NINE) - 3_600_000, milliseconds(NINE + timedelta(days=days)))


def test_its_busy_times_are_those_that_the_provider_tells_now(calendars: Calendars, google: FakeGoogle) -> None:
    calendar = calendars.readable(BOSS)
    assert calendars.busy(calendar, window(1)) == []
    busy_at(google, "first", NINE)
    busy_at(google, "touching", NINE + timedelta(hours=1), 30)
    assert calendars.busy(calendar, window(1)) == [
        Interval(milliseconds(NINE), milliseconds(NINE + timedelta(minutes=90)))
    ]


def test_it_is_listed_as_busy_and_nothing_else(calendars: Calendars, google: FakeGoogle) -> None:
    busy_at(google, "secret", NINE)
    shown = calendars.list_entries(calendars.readable(BOSS), window(1))
    assert [(one.start, one.busy) for one in shown] == [(milliseconds(NINE), True)]
    event = event_of(shown[0])
    assert event is not None
    assert event.summary == "Busy"


def test_a_year_is_asked_for_in_pieces_that_the_provider_takes(calendars: Calendars, google: FakeGoogle) -> None:
    google.longest_free_busy = timedelta(days=20)
    for day in range(0, 360, 45):
        busy_at(google, f"day{day:05}", NINE + timedelta(days=day))
    assert len(calendars.busy(calendars.readable(BOSS), window(360))) == 8


def test_more_than_a_year_is_refused(calendars: Calendars) -> None:
    with pytest.raises(InvalidInput, match="a year at a time"):
        calendars.busy(calendars.readable(BOSS), window(400))


def test_it_can_be_neither_booked_nor_exported(calendars: Calendars) -> None:
    with pytest.raises(Forbidden, match="is read-only"):
        calendars.writable(BOSS)
    with pytest.raises(Forbidden, match="only free and busy"):
        calendars.events(calendars.readable(BOSS))


def test_one_that_is_shared_no_more_is_not_taken_for_free(calendars: Calendars, google: FakeGoogle) -> None:
    calendar = calendars.readable(BOSS)
    del google.events["boss@example.com"]
    with pytest.raises(Forbidden, match="does not share the busy times"):
        calendars.busy(calendar, window(1))
