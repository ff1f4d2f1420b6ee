"""Bookings in a calendar that a real CalDAV server keeps, with its own client as a witness."""

import json
import os
import random
import subprocess
import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Barrier

import pytest
from msgspec.structs import replace

from almanac.families.calendar.accounts.connector import Connector
from almanac.families.calendar.accounts.environment import NetworkEnvironment
from almanac.families.calendar.booking.draft import Draft
from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.entries.codec import event_entry, view_of_entry
from almanac.families.calendar.entries.view import RecurringEntries
from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.providers.transport.addresses import NetworkPolicy
from almanac.kernel.caller import Scope
from almanac.kernel.clock import SystemClock
from almanac.kernel.errors import Conflict
from almanac.kernel.instants import milliseconds
from almanac.platform.encryption.key_file import KeyFileSealer
from almanac.platform.store.contention import Backoff
from almanac.platform.store.sqlite.store import SqliteStore
from tests.integration.caldav.conftest import Account, install_tool

NINE = datetime(2031, 3, 3, 9, tzinfo=UTC)
SCOPE = Scope("acme", "main")
WITNESS = """\
import caldav, json, sys
from datetime import datetime, timezone
url, user = sys.argv[1:]
with caldav.DAVClient(url, username=user, password="password") as client:
    calendar = client.principal().calendars()[0]
    window = [datetime(2031, 3, day, tzinfo=timezone.utc) for day in (1, 10)]
    found = calendar.search(start=window[0], end=window[1], event=True, expand=False)
    events = [each.icalendar_component for each in found]
    print(json.dumps(sorted([str(e["SUMMARY"]), e["DTSTART"].dt.astimezone(timezone.utc).isoformat()] for e in events)))
"""


@pytest.fixture
def rivals(account: Account, tmp_path: Path) -> Generator[list[BookingService]]:
    """Ten clients of one store, each with connections of its own."""
    clock = SystemClock()
    store = SqliteStore(tmp_path / "store.db", clock=clock, cursor_secret=b"the secret of these tests")
    environment = NetworkEnvironment(clock, time.sleep, random.random, NetworkPolicy(private=True))
    made: list[BookingService] = []
    for number in range(10):
        sealer = KeyFileSealer(tmp_path / "key", os.urandom)
        connector = Connector(store, SCOPE, sealer=sealer, environment=environment, random_bytes=os.urandom)
        if number == 0:
            connector.connect_caldav("home", account.url, account.user, "password", timezone="Europe/Berlin")
        calendars = Calendars(store, SCOPE, clock=clock, gateway=connector.connected)
        backoff = Backoff(time.sleep, random.random)
        made.append(BookingService(calendars, actor=f"client{number}", random_bytes=os.urandom, backoff=backoff))
    yield made
    store.close()


def draft(number: int = 0) -> Draft:
    start = NINE + timedelta(minutes=5 * number)
    return Draft(calendar_id="caldav/work", start=start, end=NINE + timedelta(hours=1), summary=f"Booking {number}")


@pytest.mark.slow
def test_of_ten_clients_that_want_overlapping_slots_one_books_and_the_server_holds_one_event(
    rivals: list[BookingService], account: Account
) -> None:
    gate = Barrier(len(rivals))

    def compete(number: int) -> bool:
        gate.wait()
        try:
            rivals[number].book(draft(number))
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(len(rivals)) as pool:
        won = list(pool.map(compete, range(len(rivals))))
    assert sum(won) == 1
    held = account.provider.changes(account.work, None).events
    assert [event.summary for event in held] == [f"Booking {won.index(True)}"]


@pytest.mark.slow
def test_another_client_sees_what_was_booked_moved_and_cancelled(
    rivals: list[BookingService], account: Account, repository: Path
) -> None:
    python = install_tool(repository, "caldav-client", "caldav==3.6.0")

    def witness_events() -> list[list[str]]:
        command = [python, "-c", WITNESS, account.url, account.user]
        answer = subprocess.run(command, capture_output=True, check=False, timeout=60, text=True)
        assert answer.returncode == 0, answer.stderr
        return json.loads(answer.stdout)

    booked = rivals[0].book(draft()).event
    assert witness_events() == [["Booking 0", "2031-03-03T09:00:00+00:00"]]
    rivals[1].reschedule("caldav/work", booked.id, NINE + timedelta(hours=3), None)
    assert witness_events() == [["Booking 0", "2031-03-03T12:00:00+00:00"]]
    rivals[2].cancel("caldav/work", booked.id)
    assert witness_events() == []


def test_one_instance_of_a_series_moves_and_goes_on_the_server(rivals: list[BookingService], account: Account) -> None:
    series = rivals[0].book(replace(draft(), recurrence="FREQ=DAILY;COUNT=4", reminders=(10,))).event

    moved = rivals[1].reschedule("caldav/work", f"{series.id}_20310304", NINE + timedelta(hours=30), None).event
    assert rivals[2].cancel("caldav/work", f"{series.id}_20310305")
    assert not rivals[3].cancel("caldav/work", f"{series.id}_20310305")

    assert _starts(account) == [0, 30, 72]
    assert _busy(rivals[4]) == [0, 30, 72]
    with pytest.raises(Conflict):
        rivals[5].book(replace(draft(), start=NINE + timedelta(hours=30), end=NINE + timedelta(hours=31)))
    rivals[5].book(replace(draft(), start=NINE + timedelta(hours=48), end=NINE + timedelta(hours=49)))
    assert rivals[6].cancel("caldav/work", moved.id)
    assert _starts(account) == [0, 48, 72]
    assert _busy(rivals[7]) == [0, 48, 72]
    assert rivals[8].cancel("caldav/work", series.id)
    assert _busy(rivals[9]) == [48]


def test_what_another_program_made_moves_and_keeps_what_only_that_program_knows(
    rivals: list[BookingService], account: Account
) -> None:
    lines = [
        *("BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//other//EN", "BEGIN:VEVENT", "UID:theirs"),
        "DTSTAMP:20300101T000000Z",
        *("DTSTART:20310303T090000Z", "DURATION:PT1H", "SUMMARY:Theirs", "RRULE:FREQ=DAILY;COUNT=2", "X-THEIRS:kept"),
        *(
            "BEGIN:VALARM",
            "ACTION:DISPLAY",
            "DESCRIPTION:x",
            "TRIGGER:-PT7M",
            "END:VALARM",
            "END:VEVENT",
            "END:VCALENDAR",
        ),
    ]
    url = f"{account.collection}theirs.ics"
    account.dav.send("PUT", url, "\r\n".join([*lines, ""]).encode(), Content_Type="text/calendar")

    moved = rivals[0].reschedule("caldav/work", "theirs_20310304", NINE + timedelta(hours=30), None).event

    assert moved.id == "theirs~20310304T090000Z"
    text = account.dav.send("GET", url).body.decode()
    assert text.count("X-THEIRS:kept") == 2
    assert text.count("TRIGGER:-PT7M") == 2
    assert text.count("RRULE") == 1
    assert _starts(account) == [0, 30]


def _starts(account: Account) -> list[int]:
    """Hours after NINE at which something begins that takes time, as the server holds it."""
    zone = account.work.zone
    window = Interval(milliseconds(NINE), milliseconds(NINE + timedelta(days=9)))
    known = account.provider.changes(account.work, None).events
    wide = RecurringEntries((view_of_entry(event_entry("work", event, zone)) for event in known), zone)
    found = [one.start for one in wide.single(window) if one.busy]
    found += [start for one in wide.series_views(window) for start, _ in one.times]
    return sorted((start - window.start) // 3_600_000 for start in found)


def _busy(bookings: BookingService) -> list[int]:
    """Return the busy hours of our own calendar."""
    calendar = bookings.calendars.readable("caldav/work")
    window = Interval(milliseconds(NINE), milliseconds(NINE + timedelta(days=9)))
    return [
        (one.start - window.start) // 3_600_000 for one in bookings.calendars.list_entries(calendar, window) if one.busy
    ]
