"""Fixtures of a provider, a connected account at it, and the services that read and book there."""

import os
from collections.abc import Generator
from pathlib import Path

import pytest

from almanac.families.calendar.accounts.connector import Connector
from almanac.families.calendar.accounts.environment import NetworkEnvironment
from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.entries.calendars import Calendars
from almanac.kernel.clock import FixedClock
from almanac.platform.encryption.key_file import KeyFileSealer
from almanac.platform.store.contention import Backoff
from almanac.platform.store.sqlite.store import SqliteStore
from tests.unit.families.calendar.shadows.remote import SCOPE, Always, Remote


@pytest.fixture
def remote() -> Remote:
    return Remote()


@pytest.fixture
def connector(tmp_path: Path, clock: FixedClock, remote: Remote) -> Generator[Connector]:
    store = SqliteStore(tmp_path / "store.db", clock=clock, cursor_secret=b"the secret of these tests")
    made = Connector(
        store,
        SCOPE,
        sealer=KeyFileSealer(tmp_path / "key", os.urandom),
        environment=NetworkEnvironment(clock, lambda _: None, lambda: 0.5),
        random_bytes=os.urandom,
        connections=Always(remote),
    )
    made.list_calendars(made.accounts.keep("google", "mine", b"secret"))
    yield made
    store.close()


@pytest.fixture
def calendars(connector: Connector, clock: FixedClock) -> Calendars:
    return Calendars(connector.calendars.store, SCOPE, clock=clock, gateway=connector.connected)


@pytest.fixture
def bookings(calendars: Calendars) -> BookingService:
    return BookingService(calendars, actor="ann", random_bytes=os.urandom, backoff=Backoff(lambda _: None, lambda: 0.5))
