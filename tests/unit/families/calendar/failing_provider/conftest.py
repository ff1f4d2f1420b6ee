"""A booking service over a calendar whose provider fails as planned."""

from pathlib import Path

import pytest

from almanac.families.calendar.booking.service import BookingService
from almanac.kernel.clock import FixedClock
from tests.unit.families.calendar.failing_provider.faults import Faults
from tests.unit.families.calendar.services import NOW, connect_remote, open_bookings


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOW)


@pytest.fixture
def faults() -> Faults:
    return Faults()


@pytest.fixture
def bookings(tmp_path: Path, clock: FixedClock, faults: Faults) -> BookingService:
    bookings = open_bookings(tmp_path, clock, faults=faults)
    connect_remote(bookings)
    return bookings
