"""One tenant that wants a server for himself: rules tried on and on, and bookings at a server that hardly answers."""

import os
import random
import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import msgspec

from almanac.families.calendar.accounts.credentials import CalDavSecret
from almanac.families.calendar.accounts.credentials import Server as Account
from almanac.families.calendar.entries.records import CalendarRecord
from almanac.identity.keys import ApiKeys
from almanac.identity.records import Grant
from almanac.identity.tenants import Tenants
from almanac.kernel.caller import Scope
from almanac.kernel.clock import SystemClock
from almanac.local.calendars.accounts import open_connector
from almanac.local.data_folder import DataFolder
from tests.integration.local.server_process import Reply, Server, call_message

TRIED = 34
BOOKED = 40
TEXT = "".join(random.Random(7).choice("ab") for _ in range(4096))
SLOWEST = {"$or": [{"payload.text": {"$matches": f"[ab]*a[ab]{{{number}}}c"}} for number in range(30, 40)]}
"""As much as a rule may ask of an event: ten patterns that never match, and cannot tell before the end."""


def key_of(tenant: str, folder: Path) -> str:
    """The key of a tenant that is new in the data folder `folder`."""
    clock = SystemClock()
    store = DataFolder(folder).open_store(clock)
    known = Tenants(store, clock)
    known.create(tenant, default_timezone="Europe/Berlin")
    known.create_project(tenant, "main")
    key = ApiKeys(store, clock, os.urandom).issue(Grant(tenant=tenant, project="main", actor="ann")).key.text
    store.close()
    return key


def connect_to(port: int, tenant: str, folder: Path) -> None:
    """A calendar caldav/work of the tenant at a server on this port, which is not asked."""
    connector = open_connector(folder, None, None, Scope(tenant, "main"), SystemClock())
    where = Account(url=f"http://127.0.0.1:{port}/ann/", user="ann", addresses=("ann@example.com",))
    connector.accounts.keep("caldav", "home", msgspec.json.encode(CalDavSecret("password")), where)
    connector.calendars.create(work_calendar())


def work_calendar() -> CalendarRecord:
    """The calendar "work" of the account "home"."""
    return CalendarRecord(
        id="caldav/work",
        name="Work",
        timezone="Europe/Berlin",
        created_at=0,
        provider="caldav",
        account="home",
        remote_id="work",
    )


def rule_trial_message() -> dict[str, Any]:
    sample = {"payload": {"text": TEXT}}
    return call_message("test_rule", on_kind="broadcast_set", where=SLOWEST, sample=sample)


def book_slot_message(number: int) -> dict[str, Any]:
    start = f"2031-03-{number % 27 + 1:02}T09:00:00+01:00"
    end = f"2031-03-{number % 27 + 1:02}T10:00:00+01:00"
    return call_message("book_slot", calendar_id="caldav/work", start=start, end=end, summary=f"Booking {number}")


@contextmanager
def crowd_server(server: Server, key: str) -> Generator[Callable[[], list[tuple[float, Reply]]]]:
    """Repeat the requests until the block ends. Return the time and the outcome of each."""
    over = Event()
    ended: list[tuple[float, Reply]] = []

    def go_on(message: dict[str, Any]) -> None:
        while not over.is_set():
            begun = time.monotonic()
            reply = server.post(message, x_api_key=key)
            ended.append((time.monotonic() - begun, reply))

    with ThreadPoolExecutor(TRIED + BOOKED) as pool:
        messages = [rule_trial_message() for _ in range(TRIED)] + [
            book_slot_message(number) for number in range(BOOKED)
        ]
        calls = [pool.submit(go_on, message) for message in messages]
        try:
            yield lambda: list(ended)
        finally:
            over.set()
            for call in calls:
                call.result()
