"""The family on a store in a file, called as a client calls it."""

from pathlib import Path

import pytest

from almanac.families.calendar.accounts.providers import Providers
from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.factory import open_bookings
from almanac.kernel.caller import Caller
from almanac.kernel.clock import FixedClock
from almanac.platform.services import Services
from almanac.platform.store.port import Store
from tests.unit.families.calendar.services import open_store
from tests.unit.families.calendar.tools.client import Client


@pytest.fixture
def services(tmp_path: Path, clock: FixedClock) -> Services:
    return Services({Store: lambda: open_store(tmp_path, clock), Providers: Providers})


@pytest.fixture
def client(services: Services, clock: FixedClock, caller: Caller) -> Client:
    return Client(services, clock, caller)


@pytest.fixture
def bookings(services: Services, clock: FixedClock, caller: Caller) -> BookingService:
    return open_bookings(services, caller.scope, actor="importer", clock=clock, zone=caller.default_timezone)
