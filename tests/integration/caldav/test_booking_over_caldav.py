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

from almanac.families.calendar.booking import Draft, book
from almanac.families.calendar.calendars import Calendars
from almanac.families.calendar.connecting import Connector
from almanac.families.calendar.desk import Desk
from almanac.families.calendar.patience import Pauses
from almanac.families.calendar.providers.addresses import Reach
from almanac.families.calendar.rebooking import cancel, reschedule
from almanac.families.calendar.surroundings import Surroundings
from almanac.kernel.caller import Scope
from almanac.kernel.clock import SystemClock
from almanac.kernel.errors import Conflict
from almanac.platform.sealing.key_file import KeyFileSealer
from almanac.platform.store.sqlite import SqliteStore
from tests.integration.caldav.conftest import Account, installed

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
def desks(account: Account, tmp_path: Path) -> Generator[list[Desk]]:
    """Ten clients of one store, each with connections of its own."""
    clock = SystemClock()
    store = SqliteStore(tmp_path / "store.db", clock=clock, cursor_secret=b"the secret of these tests")
    around = Surroundings(clock, time.sleep, random.random, Reach(private=True))
    made: list[Desk] = []
    for number in range(10):
        sealer = KeyFileSealer(tmp_path / "key", os.urandom)
        connector = Connector(store, SCOPE, sealer=sealer, around=around, random_bytes=os.urandom)
        if number == 0:
            connector.connect_caldav("home", account.url, account.user, "password", timezone="Europe/Berlin")
        calendars = Calendars(store, SCOPE, clock=clock, remotes=connector.connected)
        pauses = Pauses(time.sleep, random.random)
        made.append(Desk(calendars, actor=f"client{number}", random_bytes=os.urandom, pauses=pauses))
    yield made
    store.close()


def draft(number: int = 0) -> Draft:
    start = NINE + timedelta(minutes=5 * number)
    return Draft(calendar_id="caldav/work", start=start, end=NINE + timedelta(hours=1), summary=f"Booking {number}")


def test_of_ten_clients_that_want_overlapping_slots_one_books_and_the_server_holds_one_event(
    desks: list[Desk], account: Account
) -> None:
    gate = Barrier(len(desks))

    def compete(number: int) -> bool:
        gate.wait()
        try:
            book(desks[number], draft(number))
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(len(desks)) as pool:
        won = list(pool.map(compete, range(len(desks))))
    assert sum(won) == 1
    held = account.provider.changes(account.work, None).events
    assert [event.summary for event in held] == [f"Booking {won.index(True)}"]


def test_another_client_sees_what_was_booked_moved_and_cancelled(
    desks: list[Desk], account: Account, repository: Path
) -> None:
    python = installed(repository, "caldav-client", "caldav==3.6.0")

    def seen() -> list[list[str]]:
        command = [python, "-c", WITNESS, account.url, account.user]
        answer = subprocess.run(command, capture_output=True, check=False, timeout=60, text=True)
        assert answer.returncode == 0, answer.stderr
        return json.loads(answer.stdout)

    booked = book(desks[0], draft()).event
    assert seen() == [["Booking 0", "2031-03-03T09:00:00+00:00"]]
    reschedule(desks[1], "caldav/work", booked.id, NINE + timedelta(hours=3), None)
    assert seen() == [["Booking 0", "2031-03-03T12:00:00+00:00"]]
    cancel(desks[2], "caldav/work", booked.id)
    assert seen() == []
