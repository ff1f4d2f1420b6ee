"""One call makes several exchanges: together they end in time, and few calls at once wait for a server that hangs."""

import os
import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from almanac.families.calendar.accounts import connector
from almanac.families.calendar.accounts.connector import Connector, gateway_opener
from almanac.families.calendar.accounts.credentials import CalDavSecret, Server
from almanac.families.calendar.accounts.environment import NetworkEnvironment
from almanac.families.calendar.accounts.providers import Providers
from almanac.families.calendar.booking.draft import Draft
from almanac.families.calendar.factory import open_bookings
from almanac.families.calendar.providers.transport.addresses import NetworkPolicy
from almanac.kernel.caller import Scope
from almanac.kernel.clock import SystemClock
from almanac.kernel.errors import Unavailable
from almanac.platform.encryption.key_file import KeyFileSealer
from almanac.platform.services import Services
from almanac.platform.store.port import Store
from almanac.platform.store.sqlite.store import SqliteStore
from tests.doubles.slow_server import DrippingServer, serve_slowly
from tests.integration.local.crowd import work_calendar

SCOPE = Scope("acme", "main")
NINE = datetime(2031, 3, 3, 9, tzinfo=UTC)
WORK = Draft(calendar_id="caldav/work", start=NINE, end=NINE + timedelta(hours=1), summary="Review")
CALL = 1.0
LATE = 8.0
"""What a busy machine may add; one exchange that did not know of the end of its call would take 10 seconds."""


@pytest.fixture
def server() -> Generator[DrippingServer]:
    with serve_slowly(b"HTTP/1.1 207 Multi-Status\r\n", b"X-A: b\r\n") as server:
        yield server


@pytest.fixture
def services(tmp_path: Path, server: DrippingServer, monkeypatch: pytest.MonkeyPatch) -> Generator[Services]:
    """Services with an account at a server that drips its headers, connected before it began to."""
    monkeypatch.setattr(connector, "CALL_SECONDS", CALL)
    clock = SystemClock()
    store = SqliteStore(tmp_path / "store.db", clock=clock, cursor_secret=b"the secret of these tests")
    sealer = KeyFileSealer(tmp_path / "key", os.urandom)
    environment = NetworkEnvironment(clock, time.sleep, lambda: 0.5, NetworkPolicy(private=True))
    accounts = Connector(store, SCOPE, sealer=sealer, environment=environment, random_bytes=os.urandom)
    secret = msgspec.json.encode(CalDavSecret("password"))
    where = Server(url=f"http://127.0.0.1:{server.port}/ann/", user="ann", addresses=("ann@example.com",))
    accounts.accounts.keep("caldav", "home", secret, where)
    accounts.calendars.create(work_calendar())
    opener = gateway_opener(lambda: store, sealer=sealer, environment=environment, random_bytes=os.urandom)
    yield Services({Store: lambda: store, Providers: lambda: Providers(opener)})
    store.close()


def seconds_of(services: Services) -> float:
    begun = time.monotonic()
    bookings = open_bookings(services, SCOPE, actor="ann", clock=SystemClock())
    with pytest.raises(Unavailable, match="The CalDAV server"):
        bookings.book(WORK)
    return time.monotonic() - begun


def test_a_booking_at_a_server_that_drips_ends_with_the_time_of_its_call(services: Services) -> None:
    assert seconds_of(services) < CALL + LATE


def test_of_forty_bookings_at_a_server_that_drips_few_hold_a_thread(services: Services, server: DrippingServer) -> None:
    with ThreadPoolExecutor(40) as pool:
        waited = list(pool.map(seconds_of, [services] * 40))
    assert max(waited) < CALL + LATE
    assert server.connections <= 12
    connections = server.connections
    seconds_of(services)
    assert server.connections == connections, "it was asked again at once"
