"""A booking service over a calendar that is kept here."""

from pathlib import Path

import pytest

from almanac.families.calendar.booking.service import BookingService
from almanac.kernel.clock import FixedClock
from tests.unit.families.calendar.services import NOW, open_bookings


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOW)


@pytest.fixture
def bookings(tmp_path: Path, clock: FixedClock) -> BookingService:
    return open_bookings(tmp_path, clock)
