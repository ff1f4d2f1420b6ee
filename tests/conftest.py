"""What many tests need: where the repository is, a caller, a clock that stands still."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import FixedClock


@pytest.fixture(scope="session")
def repository() -> Path:
    return Path(__file__).parent.parent


@pytest.fixture
def caller() -> Caller:
    return Caller(Scope("tenant", "project"), actor="tester", key_id="key", default_timezone="America/New_York")


@pytest.fixture
def clock() -> FixedClock:
    """Wednesday, 2026-02-18 14:30 UTC, 09:30 in New York."""
    return FixedClock(datetime(2026, 2, 18, 14, 30, tzinfo=UTC))
