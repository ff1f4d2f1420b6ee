"""Many clients want series, whole days and slots that all meet on one day: one gets it, and no instance of anything
overlaps another's.

ALMANAC_RACE_ROUNDS=50 runs more rounds.
"""

import os
from collections.abc import Iterator
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.model.availability import Interval
from almanac.kernel.clock import SystemClock
from almanac.kernel.instants import milliseconds
from tests.unit.families.calendar.rivals import winners_of_processes, winners_of_threads
from tests.unit.families.calendar.series_rival import ROUND_DAYS, draft_of_round
from tests.unit.families.calendar.services import NINE, REMOTE, connect_remote, open_bookings, open_store

ROUNDS = int(os.environ.get("ALMANAC_RACE_ROUNDS", "8"))
CLIENTS = 12


@pytest.fixture
def bookings(tmp_path: Path) -> Iterator[BookingService]:
    store = open_store(tmp_path, SystemClock())
    bookings = open_bookings(tmp_path, SystemClock(), store=store)
    connect_remote(bookings)
    yield bookings
    store.close()


@pytest.mark.parametrize("calendar", ["primary", REMOTE])
def test_threads_that_want_series_of_the_same_time_get_one(bookings: BookingService, tmp_path: Path, calendar: str):
    won = winners_of_threads(tmp_path, calendar, CLIENTS, ROUNDS, draft_of_round)

    assert _all_apart(bookings, calendar) == set(won)


@pytest.mark.slow
@pytest.mark.parametrize("calendar", ["primary", REMOTE])
def test_processes_that_want_series_of_the_same_time_get_one(bookings: BookingService, tmp_path: Path, calendar: str):
    won = winners_of_processes(tmp_path, calendar, CLIENTS // 2, ROUNDS, script="series_rival.py")

    assert _all_apart(bookings, calendar) == set(won)


def _all_apart(bookings: BookingService, calendar: str) -> set[str]:
    """The ids of all entries, none of which overlaps another."""
    window = Interval(
        milliseconds(NINE - timedelta(days=9)), milliseconds(NINE + timedelta(days=(ROUNDS + 2) * ROUND_DAYS))
    )
    shown = bookings.calendars.list_entries(bookings.calendars.find(calendar), window)
    assert all(first.end <= second.start for first, second in pairwise(shown))
    return {one.filed.id for one in shown}
