"""Test bookings in a Google calendar beside those of other programs."""

import os
import random
import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Barrier

import pytest

from almanac.families.calendar.accounts.connector import Connector
from almanac.families.calendar.accounts.environment import NetworkEnvironment
from almanac.families.calendar.booking.draft import Draft
from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.model.events import Event
from almanac.families.calendar.providers.google.calendars import GoogleProvider
from almanac.families.calendar.providers.google.token import GoogleSecret
from almanac.families.calendar.providers.transport.addresses import NetworkPolicy
from almanac.kernel.caller import Scope
from almanac.kernel.clock import SystemClock
from almanac.kernel.errors import Conflict
from almanac.kernel.instants import milliseconds
from almanac.platform.encryption.key_file import KeyFileSealer
from almanac.platform.store.contention import Backoff
from almanac.platform.store.sqlite.store import SqliteStore
from tests.doubles.google_calendar import FakeGoogle, run_google

WORK = "google/work@example.com"
SCOPE = Scope("acme", "main")
NINE = datetime(2031, 3, 3, 9, tzinfo=UTC)


def installation(folder: Path, address: str, stack: ExitStack) -> BookingService:
    """Return an installation with its own data folder and the connected account."""
    folder.mkdir()
    clock = SystemClock()
    store = stack.enter_context(
        closing(SqliteStore(folder / "store.db", clock=clock, cursor_secret=b"the secret of these tests"))
    )
    environment = NetworkEnvironment(
        clock,
        time.sleep,
        random.random,
        NetworkPolicy(private=True),
        google_api=address,
        google_tokens=f"{address}/token",
    )
    sealer = KeyFileSealer(folder / "key", os.urandom)
    connector = Connector(store, SCOPE, sealer=sealer, environment=environment, random_bytes=os.urandom)
    connector.connect_google("mine", GoogleSecret("id", "secret", "refresh-1"))
    calendars = Calendars(store, SCOPE, clock=clock, gateway=connector.connected)
    return BookingService(
        calendars, actor=folder.name, random_bytes=os.urandom, backoff=Backoff(time.sleep, random.random)
    )


@pytest.fixture
def rivals(google: FakeGoogle, tmp_path: Path) -> Generator[list[BookingService]]:
    with run_google(google) as address, ExitStack() as stack:
        yield [installation(tmp_path / f"installation{number}", address, stack) for number in range(2)]


def draft(number: int) -> Draft:
    start = NINE + timedelta(hours=3 * number)
    return Draft(calendar_id=WORK, start=start, end=start + timedelta(hours=1), summary=f"Round {number}")


def live(google: FakeGoogle) -> list[str]:
    return [str(one["summary"]) for one in google.events["work@example.com"].values() if one["status"] != "cancelled"]


@pytest.mark.slow
def test_of_two_installations_at_most_one_books_and_the_other_is_told(
    rivals: list[BookingService], google: FakeGoogle
) -> None:
    gate = Barrier(2)

    def compete(bookings: BookingService, number: int) -> Event | Conflict:
        gate.wait()
        try:
            return bookings.book(draft(number)).event
        except Conflict as told:
            return told

    with ThreadPoolExecutor(2) as pool:
        # How often both are in each other's way depends on what the machine does besides.
        for number in range(16):
            told = list(pool.map(compete, rivals, [number, number]))
            confirmed = [one for one in told if isinstance(one, Event)]
            assert live(google).count(f"Round {number}") == len(confirmed) <= 1
            assert all(one.code == "slot_taken" for one in told if isinstance(one, Conflict))
            if len(live(google)) == 8:
                break
    assert len(live(google)) == 8


def test_an_event_that_somebody_enters_meanwhile_is_met(
    rivals: list[BookingService], google: FakeGoogle, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = {"start": {"dateTime": "2031-03-03T10:30:00+01:00"}, "end": {"dateTime": "2031-03-03T10:45:00+01:00"}}
    look = GoogleProvider.current_events

    def look_after_entry(self: GoogleProvider, *asked: object) -> object:
        if "elsewhere" not in google.events["work@example.com"]:
            google.put("work@example.com", {"id": "elsewhere", "summary": "Elsewhere", **times})
        return look(self, *asked)  # type: ignore[arg-type]

    monkeypatch.setattr(GoogleProvider, "current_events", look_after_entry)
    with pytest.raises(Conflict, match="Elsewhere"):
        rivals[0].book(draft(0))
    assert live(google) == ["Elsewhere"]


def test_bookings_are_marked_as_those_of_an_almanac(rivals: list[BookingService], google: FakeGoogle) -> None:
    booked = rivals[0].book(draft(0)).event
    times = {"start": {"date": "2031-03-03"}, "end": {"date": "2031-03-04"}}
    google.put("work@example.com", {"id": "holiday", "summary": "Holiday", **times})
    calendar = rivals[1].calendars.find(WORK)
    window = Interval(milliseconds(NINE), milliseconds(NINE) + 3_600_000)
    seen = rivals[1].calendars.gateway.provider(calendar).current_events(calendar.at_provider(), window)
    assert {(one.event.id, one.ours) for one in seen} == {(booked.id, True), ("holiday", False)}
