"""A desk over a calendar that is kept here."""

from pathlib import Path

import pytest

from almanac.families.calendar.booking.service import Desk
from almanac.kernel.clock import FixedClock
from tests.unit.families.calendar.desks import NOW, open_desk


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOW)


@pytest.fixture
def desk(tmp_path: Path, clock: FixedClock) -> Desk:
    return open_desk(tmp_path, clock)
